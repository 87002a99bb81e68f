import type { PartitionOffsets } from "../admin-types.ts";
import type { ClusterAdmin } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import type { AdminClient } from "./admin-client.ts";

/** First and next offset of every partition, by partition. One without a leader is waited for, too; no other than `partition` where that is given. */
export async function fetchOffsets(
  admin: Pick<AdminClient, "run">,
  topic: string,
  partition?: number,
): Promise<PartitionOffsets[]> {
  const offsets = await admin.run(async (client) =>
    unlessPartial(client, topic, await client.offsets(topic), partition),
  );
  return offsets.sort((a, b) => a.partition - b.partition);
}

/** Of every partition the first offset at or after the time (Unix ms). It waits as `fetchOffsets` does. */
export function fetchOffsetsAt(
  admin: Pick<AdminClient, "run">,
  topic: string,
  timestampMs: number,
  partition?: number,
): ReturnType<ClusterAdmin["offsetsAt"]> {
  return admin.run(async (client) =>
    unlessPartial(client, topic, await client.offsetsAt(topic, timestampMs), partition),
  );
}

async function unlessPartial<T extends { readonly partition: number }>(
  client: ClusterAdmin,
  topic: string,
  found: T[],
  wanted: number | undefined,
): Promise<T[]> {
  if (found.some(({ partition }) => partition === wanted)) return found;
  const count = (await client.shapes([topic])).get(topic)?.leaders.length ?? 0;
  if (found.length >= count) return found;
  const message = `offsets of ${found.length} of the ${count} partitions of ${topic} are known`;
  throw new KafkaError("unavailable", message, { canRetry: true });
}

/** Of what is known by partition what is known of this one; throws a RangeError where there is none. */
export function atPartition<T extends { readonly partition: number }>(
  found: readonly T[],
  partition: number,
): T {
  const one = found.find((each) => each.partition === partition);
  if (one === undefined) throw new RangeError(`there is no partition ${partition}`);
  return one;
}
