import type kafkajs from "kafkajs";
import { NO_LEADER } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import type { TopicPartition } from "../types.ts";

/** The client hands its cluster to the assigners of a consumer; this one is never connected and joins nothing. */
function clusterOf(client: kafkajs.Kafka): kafkajs.Cluster {
  let cluster: kafkajs.Cluster | undefined;
  const keepCluster: kafkajs.PartitionAssigner = (given) => {
    cluster = given.cluster;
    return {
      name: "none",
      version: 0,
      protocol: () => ({ name: "none", metadata: Buffer.alloc(0) }),
      assign: async () => [],
    };
  };
  client.consumer({ groupId: "none", allowAutoTopicCreation: false, partitionAssigners: [keepCluster] });
  if (cluster === undefined) throw new TypeError("the client has shown no cluster");
  return cluster;
}

/** The client's own way to the brokers, for requests that it offers no way to make. */
export async function connectCluster(client: kafkajs.Kafka): Promise<kafkajs.Cluster> {
  const cluster = clusterOf(client);
  try {
    await cluster.connect();
    return cluster;
  } catch (thrown) {
    await cluster.disconnect().catch(() => undefined);
    throw thrown;
  }
}

/** Broker id, as the client last learned it; the topic was added to the cluster before. */
export function leaderOf(cluster: kafkajs.Cluster, { topic, partition }: TopicPartition): string {
  const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  if (nodeId === undefined || nodeId === String(NO_LEADER))
    throw unavailable(`no leader of ${topic}-${partition} is known`);
  return nodeId;
}

export function unavailable(message: string): KafkaError {
  return new KafkaError("unavailable", message, { canRetry: true });
}
