import { type Host, systemHost } from "#host";
import { createAdmin } from "./admin/admin.ts";
import { AdminClient } from "./admin/admin-client.ts";
import type { Cluster } from "./cluster.ts";
import { createRunner } from "./consuming/runner.ts";
import { SILENT_LOGGER } from "./log.ts";
import { MetadataCache } from "./producing/metadata.ts";
import { BatchingProducer } from "./producing/producer.ts";
import { clientCluster } from "./protocol/client-cluster.ts";
import { readRange } from "./tables/range.ts";
import { TopicTable } from "./tables/table.ts";
import type { Kafka, KafkaLogger, KafkaSettings, Producer, ProducerOptions } from "./types.ts";

export interface KafkaDependencies {
  readonly logger?: KafkaLogger;
  /** Time and chance; the machine's own unless given. */
  readonly host?: Host;
}

/** Grace of a runner that its owner did not stop. */
const CLOSE_GRACE_MS = 5_000;

/** The way to Kafka. Nothing connects before it is used, and everything comes back by itself when Kafka does. */
export function createKafka(settings: KafkaSettings, dependencies: KafkaDependencies = {}): Kafka {
  const { logger = SILENT_LOGGER, host = systemHost } = dependencies;
  const cluster = clientCluster(settings, logger, host);
  return createKafkaOn(cluster, { logger, host, clientId: settings.clientId });
}

/** What is above the cluster, on any cluster. */
export function createKafkaOn(
  cluster: Cluster,
  { logger, host, clientId }: Required<KafkaDependencies> & Pick<KafkaSettings, "clientId">,
): Kafka {
  const admin = new AdminClient(cluster.admin, host);
  const metadata = new MetadataCache(admin, host);
  const closing = new AbortController();
  const parts = { newSession: cluster.newSession, admin, clientId, logger, host };
  /** Last made, first closed: a runner ends before the producer that it writes with. */
  const closers: (() => Promise<void>)[] = [];
  const newProducer = (options?: ProducerOptions): Producer => {
    const producer = new BatchingProducer(
      { client: cluster.newProduceClient(), metadata, logger, host },
      options,
    );
    closers.push(() => producer.close());
    return producer;
  };
  return {
    producer: newProducer,
    durableProducer: () => newProducer({ deliveryTimeoutMs: Number.POSITIVE_INFINITY }),
    runner(options) {
      const runner = createRunner(parts, options);
      closers.push(() => runner.stop(CLOSE_GRACE_MS));
      return runner;
    },
    table(options) {
      const table = new TopicTable(parts, options);
      closers.push(() => table.close());
      return table;
    },
    admin: () => createAdmin(admin),
    readRange: (options) =>
      readRange({ client: cluster.fetchClient, logger, host, closing: closing.signal }, options),
    async close() {
      closing.abort();
      for (const close of closers.splice(0).reverse()) await close();
      admin.close();
      await cluster.close();
    },
  };
}
