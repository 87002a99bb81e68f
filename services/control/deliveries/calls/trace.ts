// What is known of a call at one destination, and how it stands by it; pure.
import type { DropReason, PassedOverReason } from "#contract";
import { spotOf } from "../../records/places/places.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import type { ListedRoutedCall } from "../index/routed-calls-table.ts";
import { type WaitingJob, waitingState } from "../waiting/waiting-job.ts";

export interface Trace {
  readonly destinationId: string;
  /** Oldest first. */
  readonly attempts: readonly ListedAttempt[];
  /** Oldest first, with those of a router that could not route the call. */
  readonly deadLetters: readonly ListedDeadLetter[];
  readonly waiting: readonly WaitingJob[];
  /** The routers have named it among those that get the call. */
  readonly isRouted: boolean;
  /** It had a job here before it was looked for where jobs wait and where dead letters stand, and all of these were looked at. */
  readonly isSettled: boolean;
  /** A replay has made its newest dead letter a job here again, before that, and no job of that replay has died here. */
  readonly isSentAgain: boolean;
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
  if (deadAtMs !== undefined && !trace.isSentAgain) return "dead";
  // Of successes only a sample has a record: what neither waits nor has died was taken.
  if (trace.isSettled) return "delivered";
  // The routers have not committed it yet, or not all was looked at: its job may still be written, or read.
  if (trace.isRouted || trace.isSentAgain) return "queued";
  if (trace.attempts.length > 0) return "under_way";
  return trace.passedOver === null ? "no_trace" : "passed_over";
}

/** How far the routers have committed calls, by partition, before anything else was looked at: the jobs of these are written. */
export type RoutedUpTo = ReadonlyMap<number, number>;

/** Whether a job of the call was written for the destination. */
export function hadJob(
  destinationId: string,
  { accepted, attempts }: { accepted: readonly ListedRoutedCall[]; attempts: readonly ListedAttempt[] },
  routedUpTo: RoutedUpTo,
): boolean {
  const isWritten = ({ callPlace, destinationIds }: ListedRoutedCall): boolean => {
    const { offset, partition } = spotOf(callPlace);
    return destinationIds.includes(destinationId) && offset < (routedUpTo.get(partition) ?? 0);
  };
  return attempts.some((attempt) => attempt.destinationId === destinationId) || accepted.some(isWritten);
}

/** `replaysBack`: those that made a letter a job here again. The times of letters are of several machines, so a letter of such a replay counts wherever it stands. */
export function isSentAgain(
  deadLetters: readonly ListedDeadLetter[],
  replaysBack: (letter: ListedDeadLetter) => readonly string[],
): boolean {
  const newest = deadLetters.at(-1);
  const replays = newest === undefined ? [] : replaysBack(newest);
  return replays.some((id) => deadLetters.every(({ replayId }) => replayId !== id));
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
