import { replayJobId } from "#contract";
import type { DeadLetter, DeliveryJob } from "#topics";

/**
 * A dead letter as a new delivery job, its window of four hours before it; undefined for a record that could not be read. The call keeps
 * its messageId, its bytes and its shard. The same replay gives the same job, so one that a crash sends twice is recognised.
 */
export function jobOf(letter: DeadLetter, replayId: string): DeliveryJob | undefined {
  const { id, destinationId, shard, sourceId, messageId, type, receivedAtMs, body } = letter;
  if (destinationId === null || sourceId === null || messageId === null) return undefined;
  if (type === null || receivedAtMs === null) return undefined;
  return {
    jobId: replayJobId(id, replayId),
    destinationId,
    shard,
    messageId,
    sourceId,
    type,
    receivedAtMs,
    attempts: 0,
    diverts: 0,
    replayId,
    firstAttemptAtMs: null,
    dueAtMs: 0,
    visibleAtMs: 0,
    outcomes: [],
    body,
  };
}
