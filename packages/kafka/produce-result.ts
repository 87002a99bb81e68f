import type { PartitionBatch } from "./accumulator.ts";
import type { TopicPartition } from "./types.ts";

/**
 * The batches that a produce answer does not speak of. When a leader moves while a send is under way the client resolves
 * although such a partition was never written (fact 1), so what is not in the answer counts as not written.
 */
export function unwritten(
  sent: readonly PartitionBatch[],
  written: readonly TopicPartition[],
): PartitionBatch[] {
  return sent.filter(
    (batch) =>
      !written.some(({ topic, partition }) => topic === batch.topic && partition === batch.partition),
  );
}
