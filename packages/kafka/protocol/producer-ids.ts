import type kafkajs from "kafkajs";
import type { Host } from "#host";
import type { Cluster } from "../cluster.ts";
import { connectCluster, leaderOf } from "./client-brokers.ts";
import { ReplaceableConnection } from "./replaceable-connection.ts";

/** The client has the request, and its types do not. */
interface ProducerIdBroker {
  initProducerId(request: { readonly transactionalId: null }): Promise<{ readonly producerId: string }>;
}

export interface ProducerIds extends Pick<Cluster, "newProducerId"> {
  close(): Promise<void>;
}

/** Connects on first use. */
export function createProducerIds(client: kafkajs.Kafka, host: Host): ProducerIds {
  const connection = new ReplaceableConnection<kafkajs.Cluster>({
    name: "the client of producer ids",
    open: () => connectCluster(client),
    close: (cluster) => cluster.disconnect(),
  });
  async function ask(cluster: kafkajs.Cluster, near: Parameters<Cluster["newProducerId"]>[0]) {
    await cluster.addTargetTopic(near.topic);
    const broker: unknown = await cluster.findBroker({ nodeId: leaderOf(cluster, near) });
    const { producerId } = await (broker as ProducerIdBroker).initProducerId({ transactionalId: null });
    return producerId;
  }
  return {
    async newProducerId(near) {
      try {
        return await connection.use((cluster) => ask(cluster, near));
      } catch (thrown) {
        await connection.check((cluster) => cluster.refreshMetadata());
        throw thrown;
      }
    },
    close: () => connection.close(host),
  };
}
