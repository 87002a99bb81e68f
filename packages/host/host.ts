import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openCoreTime } from "./core-time.ts";

/** A timer that can be ended before its time. */
export interface Timer {
  /** Work that is due is not done any more. Safe to call again, and after the work. */
  clear(): void;
}

/**
 * The machine's time and chance. They are passed in, so that a simulation can have another clock, and so that
 * a simulated process that was killed has none of its timers left.
 */
export interface Host {
  /** Unix ms. It may jump when somebody sets the clock. */
  now(): number;
  /** Milliseconds since some moment; never goes back. For durations. */
  elapsed(): number;
  /** The part of `elapsed` in which the process's event loop had work to do. */
  busyMs(): number;
  /**
   * The part of `elapsed` in which the process's main thread ran or waited for a core; 0 where the system does not say. A thread that has slept
   * and waits for its turn counts as idle in `busyMs`: a process that is held back by others, or by its CPU limit, seems to have time left there.
   */
  coreMs(): number;
  setTimeout(work: () => void, delayMs: number): Timer;
  setInterval(work: () => void, everyMs: number): Timer;
  /** Works in a later turn of the event loop: what has arrived is read first. */
  setImmediate(work: () => void): Timer;
  /** Resolves after so long; rejects with the signal's reason as soon as that is aborted. */
  delay(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number of at least 0 and below 1. */
  random(): number;
  uuid(): string;
}

/** The real machine. */
export const systemHost: Host = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
  coreMs: openCoreTime(),
  setTimeout(work, delayMs) {
    const timer = setTimeout(work, delayMs);
    return { clear: () => clearTimeout(timer) };
  },
  setInterval(work, everyMs) {
    const timer = setInterval(work, everyMs);
    return { clear: () => clearInterval(timer) };
  },
  setImmediate(work) {
    const immediate = setImmediate(work);
    return { clear: () => clearImmediate(immediate) };
  },
  async delay(delayMs, signal) {
    signal?.throwIfAborted();
    try {
      await delay(delayMs, undefined, signal === undefined ? {} : { signal });
    } catch (thrown) {
      signal?.throwIfAborted();
      throw thrown;
    }
  },
  random: () => Math.random(),
  uuid: () => randomUUID(),
};

/**
 * Settles as `work`, or rejects as soon as the signal is aborted: a process that ends does not wait for an
 * answer that may never come.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new Error("the reading was ended"));
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
