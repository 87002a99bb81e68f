import type { PartitionOutcome } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import type { PartitionBatch } from "./accumulator.ts";

/** A partition's batch that was not written, and why. */
export interface FailedBatch {
  readonly batch: PartitionBatch;
  readonly error: KafkaError;
}

/**
 * Sorts what was sent by what the answer says of it. When a leader moves while a send is under way the client resolves although
 * such a partition was never written (fact 1), so what is not in the answer counts as not written.
 */
export function sortByOutcome(
  sent: readonly PartitionBatch[],
  outcomes: readonly PartitionOutcome[],
): { written: PartitionBatch[]; failed: FailedBatch[] } {
  const written: PartitionBatch[] = [];
  const failed: FailedBatch[] = [];
  for (const batch of sent) {
    const outcome = outcomes.find(
      ({ topic, partition }) => topic === batch.topic && partition === batch.partition,
    );
    const error = outcome === undefined ? noAnswer(batch) : outcome.error;
    if (error === undefined) written.push(batch);
    else failed.push({ batch, error });
  }
  return { written, failed };
}

export function noneWritten(
  sent: readonly PartitionBatch[],
  error: KafkaError,
): ReturnType<typeof sortByOutcome> {
  return { written: [], failed: sent.map((batch) => ({ batch, error })) };
}

function noAnswer({ topic, partition }: PartitionBatch): KafkaError {
  return new KafkaError("unavailable", `the answer lacks ${topic}/${partition}, which was sent`, {
    canRetry: true,
  });
}
