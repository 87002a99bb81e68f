// The one place that reads process.env; everything else is given its settings.

/** Variable name to text, as the process was started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of this process's environment. */
export function processEnvironment(): Environment {
  return { ...process.env };
}
