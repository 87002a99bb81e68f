import type { TopicPartition } from "#kafka";
import type { Connection } from "./connection.ts";
import { ClusterError } from "./errors.ts";
import { ClientMetadata } from "./metadata.ts";

/** Asks the leader of a partition, as the product's: protocol/producer-ids.ts. */
export async function newProducerId(connection: Connection, near: TopicPartition): Promise<string> {
  const metadata = new ClientMetadata(connection);
  await metadata.add([near.topic]);
  const asked = { api: "producer_id", broker: metadata.leader(near), partitions: [near] } as const;
  return connection.call(asked, (reached) => {
    if (reached.kind === "refuse") throw ClusterError.refused(reached.error);
    return connection.brokers.newProducerId();
  });
}
