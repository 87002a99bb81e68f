import { type Host, systemHost } from "#host";
import { createAdmin } from "./admin.ts";
import { AdminClient } from "./admin-client.ts";
import { createClient } from "./client.ts";
import { createFetchClient } from "./fetch-client.ts";
import { SILENT_LOGGER } from "./log.ts";
import { MetadataCache } from "./metadata.ts";
import { createProduceClient } from "./produce-client.ts";
import { BatchingProducer } from "./producer.ts";
import { readRange } from "./range.ts";
import { createRunner } from "./runner.ts";
import { sessionFactory } from "./session.ts";
import { TopicTable } from "./table.ts";
import type { Kafka, KafkaLogger, KafkaSettings } from "./types.ts";

export interface KafkaDependencies {
  readonly logger?: KafkaLogger;
  /** Time and chance; the machine's own unless given. */
  readonly host?: Host;
}

/** Grace of a runner that its owner did not stop. */
const CLOSE_GRACE_MS = 5_000;

/** The way to Kafka. Nothing connects before it is used, and everything comes back by itself when Kafka does. */
export function createKafka(settings: KafkaSettings, dependencies: KafkaDependencies = {}): Kafka {
  const logger = dependencies.logger ?? SILENT_LOGGER;
  const host = dependencies.host ?? systemHost;
  const client = createClient(settings, logger, host);
  const admin = new AdminClient(client, host);
  const metadata = new MetadataCache(admin, host);
  const fetchClient = createFetchClient(client);
  const closing = new AbortController();
  const parts = {
    newSession: sessionFactory(client, host),
    admin,
    clientId: settings.clientId,
    logger,
    host,
  };
  /** Last made, first closed: a runner ends before the producer that it writes with. */
  const closers: (() => Promise<void>)[] = [];
  return {
    producer(options) {
      const producer = new BatchingProducer(
        { client: createProduceClient(client, host), metadata, logger, host },
        options,
      );
      closers.push(() => producer.close());
      return producer;
    },
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
      readRange({ client: fetchClient, logger, host, closing: closing.signal }, options),
    async close() {
      closing.abort();
      for (const close of closers.splice(0).reverse()) await close();
      await fetchClient.close();
      await admin.close();
    },
  };
}
