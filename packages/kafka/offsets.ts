import type { AdminClient } from "./admin-client.ts";
import type { PartitionOffsets } from "./types.ts";

/** First and next offset of every partition, by partition. */
export async function fetchOffsets(admin: AdminClient, topic: string): Promise<PartitionOffsets[]> {
  const offsets = await admin.run((client) => client.fetchTopicOffsets(topic));
  return offsets
    .map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
    .sort((a, b) => a.partition - b.partition);
}
