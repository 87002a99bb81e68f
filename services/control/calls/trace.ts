// What is known of a call at one destination, and how it stands by it; pure.
import type { DropReason, PassedOverReason } from "#contract";
import type { ListedAttempt } from "../delivery-index/attempts-table.ts";
import type { ListedDeadLetter } from "../delivery-index/dead-letters-table.ts";
import type { ListedRoutedCall } from "../delivery-index/routed-calls-table.ts";
import { type WaitingJob, waitingState } from "../waiting/waiting-job.ts";

export interface Trace {
  readonly destinationId: string;
  /** Oldest first. */
  readonly attempts: readonly ListedAttempt[];
  /** Oldest first. */
  readonly deadLetters: readonly ListedDeadLetter[];
  readonly waiting: readonly WaitingJob[];
  /** Why it got no job; null when it got one, or nothing is recorded. */
  readonly passedOver: string | null;
}

const DUPLICATE: DropReason = "duplicate";
/** The router knows only destinations that are connected and on. */
const NOT_CONNECTED: PassedOverReason = "not_connected";

export const CALL_STATES = [
  "queued",
  "waiting",
  "paused",
  "delivered",
  "dead",
  "under_way",
  "passed_over",
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
  if (trace.attempts.length > 0) return "under_way";
  return trace.passedOver === null ? "no_trace" : "passed_over";
}

/** A replay may have sent it all the same: then there are requests. */
export function whyPassedOver(destinationId: string, accepted: readonly ListedRoutedCall[]): string | null {
  const routed = accepted.filter(({ outcome }) => outcome !== DUPLICATE);
  const newest = routed.at(-1);
  if (newest === undefined || routed.some(({ destinationIds }) => destinationIds.includes(destinationId)))
    return null;
  const said = newest.passedOver.find((each) => each.destinationId === destinationId);
  return said?.reason ?? NOT_CONNECTED;
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
