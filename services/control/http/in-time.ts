// Work that a person or program waits for.
import type { Host } from "#host";
import { ProblemError } from "./problem.ts";

interface Limit<T> {
  readonly host: Pick<Host, "setTimeout">;
  readonly withinMs: number;
  /** What is answered where the work did not end in time. */
  late(): T;
}

/** The signal is aborted after the time: what the work rejects with from then on says only that it took too long. */
export async function inTime<T>(
  { host, withinMs, late }: Limit<T>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const timer = host.setTimeout(() => ending.abort(), withinMs);
  try {
    return await work(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    return late();
  } finally {
    timer.clear();
  }
}

/** To be thrown instead of an answer: a 503. */
export const unavailable = (detail: string) => (): never => {
  throw new ProblemError("unavailable", detail);
};
