// When a failed call is tried again (contract 3.5).
import { hash } from "node:crypto";

export interface RetryScheduleOptions {
  /** Delay after the first, second, … failed attempt; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** The window from the start of the first attempt; no attempt is due after it. */
  readonly windowMs: number;
  /**
   * The time that a webhook may take to answer: the last attempt starts at least that long before the window
   * ends.
   */
  readonly responseDeadlineMs: number;
  /** Delays of the topics that jobs wait in, ascending; the schedule's own unless given. */
  readonly topicDelaysMs?: readonly number[];
}

/** A destination's own retry settings; null means those of the installation. */
export interface OwnRetries {
  /** Delays in any order, none shorter than the shortest topic's. */
  readonly delaysMs: readonly number[] | null;
  readonly windowMs: number | null;
}

export interface FailedAttempt {
  readonly firstAttemptAtMs: number;
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  readonly nowMs: number;
  /** Ends the window at another time than so long after its first attempt. */
  readonly endsAtMs?: number | undefined;
  /**
   * The delay that the endpoint asked for (contract 3.3): the next attempt is not due before, unless the
   * window ends before.
   */
  readonly retryAfterMs?: number | undefined;
  /** The part of the longest jitter that the delay gets, from 0, none, up to 1; none by default. */
  readonly spread?: number;
}

export interface RetrySchedule {
  /** When the next attempt is due (Unix ms), or undefined when the window is over. */
  nextDueAtMs(failed: FailedAttempt): number | undefined;
  /** The end of the window: an attempt may start up to here. */
  windowEndsAtMs(firstAttemptAtMs: number): number;
  /** The same of a destination with delays or a window of its own, in the same topics. */
  withOwn(own: OwnRetries): RetrySchedule;
}

/**
 * Attempts at 0, then each delay after the attempt before it, then every last delay; the last attempt as late as still
 * fits. It fits when its response can still come within the window, so it is due one response deadline before the
 * end (1 % of a window so short that the deadline would be a good part of it, as tests use), and when the retry
 * topics can hold it that long: their delays, one after the other, must not lead past that moment.
 */
export function createRetrySchedule({
  delaysMs,
  windowMs,
  responseDeadlineMs,
  topicDelaysMs = delaysMs,
}: RetryScheduleOptions): RetrySchedule {
  const lastMs = delaysMs.at(-1);
  if (lastMs === undefined) throw new RangeError("a retry schedule needs at least one delay");
  const marginMs = Math.min(responseDeadlineMs, windowMs / 100);
  const windowEndsAtMs = (firstAttemptAtMs: number): number => firstAttemptAtMs + windowMs;

  return {
    windowEndsAtMs,
    nextDueAtMs({ firstAttemptAtMs, attempts, nowMs, endsAtMs, retryAfterMs = 0, spread = 0 }) {
      const leftMs = (endsAtMs ?? windowEndsAtMs(firstAttemptAtMs)) - nowMs;
      const longestMs = longestHoldMs(topicDelaysMs, leftMs - marginMs);
      if (longestMs === 0) return undefined;
      const delayMs = delaysMs[Math.max(attempts, 1) - 1] ?? lastMs;
      const jitteredMs = delayMs + jitterMs(delayMs, topicDelaysMs, spread);
      return nowMs + Math.min(Math.max(jitteredMs, Math.ceil(retryAfterMs)), longestMs);
    },
    withOwn: (own) =>
      createRetrySchedule({
        delaysMs: own.delaysMs ?? delaysMs,
        windowMs: own.windowMs ?? windowMs,
        responseDeadlineMs,
        topicDelaysMs,
      }),
  };
}

const JITTER_RATIO = 0.1;
/** More would cost the window an attempt, and hops. */
const MAX_JITTER_STEPS = 5;

/**
 * The jitter that is added to a delay, so that calls which failed together do not come back as one wave: up
 * to a tenth of the delay, in steps of the smallest delay, five at most, because waiting calls hop through
 * topics of fixed delays and anything between two steps would be rounded up. A delay below ten steps gets up
 * to one, the smallest delay none. With the default delays: 0 or 10 s on 1 min, up to 30 s on 5 min, up to 50
 * s on 15 and 30 min; it adds up from wait to wait, and there are 13 attempts with it as without.
 */
function jitterMs(delayMs: number, delaysMs: readonly number[], spread: number): number {
  const [stepMs = delayMs] = delaysMs;
  if (delayMs <= stepMs) return 0;
  const maxSteps = Math.min(Math.ceil((delayMs * JITTER_RATIO) / stepMs), MAX_JITTER_STEPS);
  return Math.min(Math.floor(spread * (maxSteps + 1)), maxSteps) * stepMs;
}

/** A job's spread for one of its waits: evenly from 0 to 1 over all jobs, and the same whenever it is asked for. */
export function retrySpread(jobId: string, wait: number): number {
  return Number.parseInt(hash("md5", `${jobId}:${wait}`, "hex").slice(0, 8), 16) / 2 ** 32;
}

/** The longest time up to `limitMs` that a chain of the delays can hold a job, largest first; 0 when not even the smallest fits. */
function longestHoldMs(delaysMs: readonly number[], limitMs: number): number {
  let heldMs = 0;
  for (const delayMs of delaysMs.toReversed()) {
    heldMs += Math.max(0, Math.floor((limitMs - heldMs) / delayMs)) * delayMs;
  }
  return heldMs;
}

/**
 * The retry topic for a job that is due later: the index of the largest delay that ends by then. A job due
 * later than that hops on when the delay is over. A job that is due within the smallest delay takes the
 * smallest, and is up to that much late rather than early, so that an endpoint's Retry-After is kept.
 * undefined: due now.
 */
export function retryTier(delaysMs: readonly number[], dueAtMs: number, nowMs: number): number | undefined {
  const remainingMs = dueAtMs - nowMs;
  if (remainingMs <= 0) return undefined;
  const index = delaysMs.findLastIndex((delayMs) => delayMs <= remainingMs);
  return Math.max(index, 0);
}
