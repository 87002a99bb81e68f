import type { PartitionOffsets } from "../admin-types.ts";
import type { ClusterAdmin } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import type { AdminClient } from "./admin-client.ts";

/** First and next offset of every partition, by partition; tried `tries` times. One without a leader is waited for, too. */
export async function fetchOffsets(
  admin: Pick<AdminClient, "run">,
  topic: string,
  tries?: number,
): Promise<PartitionOffsets[]> {
  const offsets = await admin.run(
    async (client) => unlessPartial(client, topic, await client.offsets(topic)),
    tries,
  );
  return offsets.sort((a, b) => a.partition - b.partition);
}

/** Of every partition the first offset at or after the time (Unix ms). One without a leader is waited for, too. */
export function fetchOffsetsAt(
  admin: Pick<AdminClient, "run">,
  topic: string,
  timestampMs: number,
): ReturnType<ClusterAdmin["offsetsAt"]> {
  return admin.run(async (client) =>
    unlessPartial(client, topic, await client.offsetsAt(topic, timestampMs)),
  );
}

async function unlessPartial<T>(client: ClusterAdmin, topic: string, found: T[]): Promise<T[]> {
  const count = (await client.shapes([topic])).get(topic)?.leaders.length ?? 0;
  if (found.length >= count) return found;
  const message = `offsets of ${found.length} of the ${count} partitions of ${topic} are known`;
  throw new KafkaError("unavailable", message, { canRetry: true });
}
