import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 50;

export interface UntilOptions {
  readonly timeoutMs: number;
  /** The thing awaited, for the message when it does not come. */
  readonly what: string | (() => string);
  readonly pollMs?: number;
}

/** The awaited condition did not come true within its deadline. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/**
 * Awaits a condition, polling it, and gives back what made it true. A condition that throws ends the waiting.
 * Rejects with a DeadlineError that says what was awaited.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs, what, pollMs = POLL_MS }: UntilOptions,
): Promise<Exclude<T, false | undefined | null>> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== undefined && value !== null) {
      return value as Exclude<T, false | undefined | null>;
    }
    if (performance.now() >= deadlineMs) {
      const text = typeof what === "string" ? what : what();
      throw new DeadlineError(`waited ${timeoutMs} ms for ${text}`);
    }
    await sleep(pollMs);
  }
}

/** Gives `promise` its time; when that is over, runs `onTimeout` and goes on waiting. Leaves no timer behind. */
export async function withDeadline<T>(
  promise: Promise<T>,
  timeoutMs: number,
  onTimeout: () => unknown,
): Promise<T> {
  const timer = setTimeout(onTimeout, timeoutMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
