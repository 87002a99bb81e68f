import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** A timer that can be ended before its time. */
export interface Timer {
  /** Work that is due is not done any more. Safe to call again, and after the work. */
  clear(): void;
}

/**
 * What code takes from the machine that it runs on: time and chance. Passed in, so that a simulation can have another clock, and so
 * that a simulated process that was killed has none of its timers left.
 */
export interface Host {
  /** Unix ms. It may jump when somebody sets the clock. */
  now(): number;
  /** Milliseconds since some moment; never goes back. For durations. */
  elapsed(): number;
  /** Of `elapsed`, how long the process's event loop had work to do. */
  busyMs(): number;
  setTimeout(work: () => void, delayMs: number): Timer;
  setInterval(work: () => void, everyMs: number): Timer;
  /** In a later turn of the event loop: what has arrived is read first. */
  setImmediate(work: () => void): Timer;
  /** Resolves after so long; rejects with the signal's reason as soon as that is aborted. */
  delay(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
  uuid(): string;
}

/** The real machine. */
export const systemHost: Host = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
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
