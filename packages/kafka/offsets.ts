import type { AdminClient } from "./admin-client.ts";
import type { PartitionOffsets } from "./types.ts";

/** First and next offset of every partition, by partition; tried `tries` times. */
export async function fetchOffsets(
  admin: AdminClient,
  topic: string,
  tries?: number,
): Promise<PartitionOffsets[]> {
  const offsets = await admin.run((client) => client.fetchTopicOffsets(topic), tries);
  return offsets
    .map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
    .sort((a, b) => a.partition - b.partition);
}
