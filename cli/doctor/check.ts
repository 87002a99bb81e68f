import { maskCredentials } from "#runtime";

/** A finding of one look at the deployment. */
export interface Finding {
  /** The name of the check. */
  readonly check: string;
  /** `wrong` keeps a service from working, `warning` does not yet. */
  readonly state: "ok" | "warning" | "wrong";
  readonly found: string;
  /** Advice for people; undefined when all is well. */
  readonly advice?: string;
}

/** For people, and without the credentials that an error may repeat, as that of a URL that holds some. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const because = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
  const hasAll = because === undefined || message.includes(because);
  return maskCredentials(hasAll ? message : `${message} (${because})`);
}

/** A check that waits for others does not wait for ever. Rejects when the time is over. */
export async function within<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what} did not answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
