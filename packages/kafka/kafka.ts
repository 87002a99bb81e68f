import { type Host, systemHost } from "#host";
import { createAdmin, type TablesSay } from "./admin/admin.ts";
import { AdminClient } from "./admin/admin-client.ts";
import type { Cluster, ProduceClient } from "./cluster.ts";
import { createRunner, createSharedRunner } from "./consuming/runner.ts";
import { Follower } from "./following/follower.ts";
import type { Kafka } from "./interface.ts";
import { quietAfter, SILENT_LOGGER } from "./log.ts";
import { MetadataCache } from "./producing/metadata.ts";
import { BatchingProducer } from "./producing/producer.ts";
import { clientCluster } from "./protocol/client-cluster.ts";
import type { Runner } from "./runner-types.ts";
import type { TableOptions } from "./table-types.ts";
import { readRange } from "./tables/range.ts";
import { TopicTable } from "./tables/table.ts";
import { MarkingTableWriter } from "./tables/table-writer.ts";
import { nextTerm, StampedTermWriter } from "./tables/term-writer.ts";
import type { KafkaLogger, KafkaSettings, Producer, ProducerOptions } from "./types.ts";

export interface KafkaDependencies {
  readonly logger?: KafkaLogger;
  /** Time and chance; the machine's own unless given. */
  readonly host?: Host;
}

/** Grace of a runner that its owner did not stop. */
const CLOSE_GRACE_MS = 5_000;

type Close = () => Promise<void>;

/** The way to Kafka. Nothing connects before it is used, and everything comes back by itself when Kafka does. */
export function createKafka(settings: KafkaSettings, dependencies: KafkaDependencies = {}): Kafka {
  const { logger = SILENT_LOGGER, host = systemHost } = dependencies;
  const closing = new AbortController();
  const cluster = clientCluster(settings, quietAfter(closing.signal, logger), host);
  return createKafkaOn(cluster, { logger, host }, closing);
}

/** Creates the layers above the cluster, on any cluster; `closing` is aborted when the way to Kafka begins to close. */
export function createKafkaOn(
  cluster: Cluster,
  { logger, host }: Required<KafkaDependencies>,
  closing = new AbortController(),
): Kafka {
  const admin = new AdminClient(cluster.admin, host);
  const metadata = new MetadataCache(admin, host);
  const parts = { newSession: cluster.newSession, logger, host };
  const follower = new Follower({ client: cluster.pollClient, range: cluster.fetchClient, logger, host });
  /** Parts to close, in this order: a runner looks into tables, and writes with a producer. */
  const closers = { runners: [] as Close[], tables: [] as Close[], producers: [] as Close[] };
  const newProducer = (options?: ProducerOptions): Producer => {
    const producer = new BatchingProducer(
      { client: cluster.newProduceClient(), metadata, logger, host },
      options,
    );
    closers.producers.push(() => producer.close());
    return producer;
  };
  const stoppedAtEnd = (runner: Runner): Runner => {
    closers.runners.push(() => runner.stop(CLOSE_GRACE_MS));
    return runner;
  };
  const tables: Pick<TopicTable<unknown>, "isWatchOf" | "unlessHalfRestored">[] = [];
  let tableWriting: ProduceClient | undefined;
  /** One for all tables: a control process edits one thing at a time. */
  const tableWritingClient = (): ProduceClient => {
    if (tableWriting === undefined) {
      const client = cluster.newProduceClient();
      closers.producers.push(() => client.close());
      tableWriting = client;
    }
    return tableWriting;
  };
  const unlessHalfRestored: TablesSay["unlessHalfRestored"] = (topic, ends) => {
    for (const table of tables) if (table.isWatchOf(topic)) table.unlessHalfRestored(ends);
  };
  return {
    producer: newProducer,
    durableProducer: (options) => newProducer({ ...options, deliveryTimeoutMs: Number.POSITIVE_INFINITY }),
    runner: (options) => stoppedAtEnd(createRunner(parts, options)),
    sharedRunner: (options) => stoppedAtEnd(createSharedRunner({ ...parts, admin }, options)),
    table<V extends L, L>(options: TableOptions<V, L>) {
      const table = new TopicTable<V, L>({ follower, admin, logger, host }, options);
      tables.push(table);
      closers.tables.push(() => table.close());
      return table;
    },
    tableWriter: (options) =>
      new MarkingTableWriter({ cluster, client: tableWritingClient(), metadata, host }, options),
    nextTerm: (topic, before, timeoutMs) => nextTerm(topic, before, { cluster, host }, timeoutMs),
    termWriter: (term, timeoutMs) =>
      new StampedTermWriter({ client: tableWritingClient(), metadata, host }, term, timeoutMs),
    follow: (topic) => follower.follow(topic),
    admin: () => createAdmin(admin, { unlessHalfRestored }),
    readRange: (options) =>
      readRange({ client: cluster.fetchClient, logger, host, closing: closing.signal }, options),
    async close() {
      closing.abort();
      // Those of a kind at once: each reader waits for Kafka's answers to its last requests.
      for (const kind of Object.values(closers)) await Promise.all(kind.splice(0).map((close) => close()));
      follower.close();
      admin.close();
      await cluster.close();
    },
  };
}
