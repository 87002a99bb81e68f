// What is known of a call at one destination, and how it stands by it; pure.
import type { ListedAttempt } from "../delivery-index/attempts-table.ts";
import type { ListedDeadLetter } from "../delivery-index/dead-letters-table.ts";
import { type WaitingJob, waitingState } from "../waiting/waiting-job.ts";

export interface Trace {
  readonly destinationId: string;
  /** Oldest first. */
  readonly attempts: readonly ListedAttempt[];
  /** Oldest first. */
  readonly deadLetters: readonly ListedDeadLetter[];
  readonly waiting: readonly WaitingJob[];
}

export const CALL_STATES = [
  "queued",
  "waiting",
  "paused",
  "delivered",
  "dead",
  "under_way",
  "no_trace",
] as const;
export type CallState = (typeof CALL_STATES)[number];

export function callState(trace: Trace): CallState {
  const [waits] = trace.waiting;
  if (waits !== undefined) return waitingState(waits.job);
  const deliveredAtMs = latest(trace.attempts.filter(isSuccess).map(({ startedAtMs }) => startedAtMs));
  const deadAtMs = latest(trace.deadLetters.map(({ deadAtMs: atMs }) => atMs));
  if (deliveredAtMs !== undefined && deliveredAtMs >= (deadAtMs ?? 0)) return "delivered";
  if (deadAtMs !== undefined) return "dead";
  return trace.attempts.length > 0 ? "under_way" : "no_trace";
}

/** A job's record stays for a moment after its end: until the deliverer has committed it. */
export function stillWaiting({ attempts, deadLetters, waiting }: Trace): WaitingJob[] {
  return waiting.filter(({ job }) => {
    const isDead = deadLetters.some(({ id }) => id === job.jobId);
    const isTaken = attempts.some(
      (attempt) => attempt.jobId === job.jobId && isSuccess(attempt) && attempt.attempt > job.attempts,
    );
    return !isDead && !(isTaken && job.unaskedUrls.length === 0);
  });
}

function isSuccess({ outcome }: ListedAttempt): boolean {
  return outcome === "success";
}

function latest(timesMs: readonly number[]): number | undefined {
  return timesMs.length === 0 ? undefined : Math.max(...timesMs);
}
