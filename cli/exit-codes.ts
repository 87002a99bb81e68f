/** Exit codes of commands; `hookline --help` lists them. */
export const EXIT = {
  done: 0,
  /** It ran, and what it found or did is not well. */
  failed: 1,
  /** The command line or a setting is wrong: nothing was done. */
  usage: 2,
  /** The control API refused it. */
  refused: 3,
  notFound: 4,
  /** Nobody answered, or the one who did cannot now: the same may succeed later. */
  unreachable: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a message for people and an exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  /** The control API's answer, where it gave one. */
  readonly problem: object;

  constructor(message: string, exitCode: ExitCode, problem: object = {}) {
    super(message);
    this.exitCode = exitCode;
    this.problem = problem;
  }
}
