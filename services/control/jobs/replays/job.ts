import { jobKey, replayJobId, userIn } from "#contract";
import {
  type DeadLetter,
  type DeliveryJob,
  type DestinationConfig,
  type Replay,
  shardWidthOf,
  untriedJob,
} from "#topics";

type Limits = Pick<DestinationConfig, "maxRequestsPerSecond" | "maxInFlight" | "shardWidth">;

/**
 * Its shard is brought into the width that the destination has now: one that was given a limit since has a single shard (contract 4.4).
 */
export function withinWidth(job: DeliveryJob, destination: Limits | undefined): DeliveryJob {
  return destination === undefined ? job : { ...job, shard: job.shard % shardWidthOf(destination) };
}

/**
 * A dead letter as a new delivery job, its whole window before it; undefined for a record that could not be read. The call keeps
 * its messageId, its bytes and its shard, and its destination unless the replay names another. The same replay gives the same job, so one that a crash sends twice is recognised.
 */
export function jobOf(
  letter: DeadLetter,
  replay: Pick<Replay, "id" | "toDestinationId">,
): DeliveryJob | undefined {
  const { id, shard, sourceId, messageId, type, receivedAtMs, body } = letter;
  const replayId = replay.id;
  const destinationId = replay.toDestinationId ?? letter.destinationId;
  if (destinationId === null || sourceId === null || messageId === null) return undefined;
  if (type === null || receivedAtMs === null) return undefined;
  return untriedJob({
    jobId: replayJobId(jobKey({ ...letter, jobId: id }), replayId),
    destinationId,
    shard,
    messageId,
    sourceId,
    ...userIn(letter),
    type,
    receivedAtMs,
    replayId,
    body,
  });
}

/** A call that was sent before, as a new delivery job; the rest is as for a dead letter. */
export function againOf(job: DeliveryJob, replay: Pick<Replay, "id" | "toDestinationId">): DeliveryJob {
  const { shard, messageId, sourceId, type, receivedAtMs, body } = job;
  return untriedJob({
    jobId: replayJobId(jobKey(job), replay.id),
    destinationId: replay.toDestinationId ?? job.destinationId,
    shard,
    messageId,
    sourceId,
    ...userIn(job),
    type,
    receivedAtMs,
    replayId: replay.id,
    body,
  });
}
