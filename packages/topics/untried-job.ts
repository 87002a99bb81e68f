import type { DeliveryJob } from "./records.generated.ts";

/** What of a job is not its progress. */
type JobOrigin = Omit<
  DeliveryJob,
  | "attempts"
  | "diverts"
  | "firstAttemptAtMs"
  | "dueAtMs"
  | "visibleAtMs"
  | "failedAtMs"
  | "lastChanceUntilMs"
  | "pausedSinceMs"
  | "pausedMs"
  | "destinationPausedMs"
  | "unaskedUrls"
  | "outcomes"
>;

/** A job that nothing has been done for yet, as it is written to delivery-jobs. Field by field: the router makes one for each call. */
export function untriedJob(origin: JobOrigin): DeliveryJob {
  const { jobId, destinationId, shard, messageId, sourceId, userId, anonymousId } = origin;
  const { type, receivedAtMs, replayId, body } = origin;
  return {
    jobId,
    destinationId,
    shard,
    messageId,
    sourceId,
    userId,
    anonymousId,
    type,
    receivedAtMs,
    attempts: 0,
    diverts: 0,
    replayId,
    firstAttemptAtMs: null,
    dueAtMs: 0,
    visibleAtMs: 0,
    failedAtMs: null,
    lastChanceUntilMs: null,
    pausedSinceMs: null,
    pausedMs: 0,
    destinationPausedMs: null,
    unaskedUrls: [],
    outcomes: [],
    body,
  };
}
