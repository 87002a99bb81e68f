import type { createKafka, Kafka } from "#kafka";
import { type ServiceContext, type SettingsOf, watchTable } from "#runtime";
import { createSecretBox } from "#secrets";
import type { createSerde, Serde } from "#serde";
import { leftoverRetryTopics, type RetryTopic, type TopicMap, topicMap } from "#topics";
import type { settings } from "./config.ts";
import { createDestinations, type Destinations } from "./destinations.ts";

export type DelivererContext = ServiceContext<SettingsOf<typeof settings>>;

/** How the process reaches what is not its own: the real ways, or those into a simulated world. */
export interface Ways {
  readonly createKafka: typeof createKafka;
  readonly createSerde: typeof createSerde;
}

export interface Connection {
  readonly topics: TopicMap;
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly groupId: string;
}

/** The topics in which jobs wait that this process reads: those of the configured delays, and leftovers of others. */
export interface Reading extends Connection {
  /** Shortest delay first. */
  readonly retryTopics: readonly RetryTopic[];
}

const LOOK_AGAIN_MS = 1_000;

/** Waits for Kafka. Jobs that wait in a topic whose delay was taken out of the configuration would never come out of it otherwise. */
export async function findRetryTopics(
  { host, lifecycle, logger, settings: own }: DelivererContext,
  connection: Connection,
): Promise<Reading> {
  const admin = connection.kafka.admin();
  for (;;) {
    try {
      const leftovers = leftoverRetryTopics(own.topics, await admin.topicNames());
      for (const { name } of leftovers)
        logger.warn(
          { topic: name },
          "a retry topic is left of a delay that is configured no more; it is read",
        );
      const all = [...connection.topics.deliveryRetries, ...leftovers];
      return { ...connection, retryTopics: all.toSorted((a, b) => a.delayMs - b.delayMs) };
    } catch (error) {
      logger.debug({ err: error }, "the topics cannot be listed yet");
    }
    await host.delay(LOOK_AGAIN_MS, lifecycle.stopping);
  }
}

/** The way to Kafka and to records; closed last. */
export function connect(
  { settings: own, logger, lifecycle, host }: DelivererContext,
  ways: Ways,
): Connection {
  const topics = topicMap(own.topics);
  const kafka = ways.createKafka(own.kafka, { logger: logger.child("kafka"), host });
  lifecycle.onStop("kafka", () => kafka.close());
  const serde = ways.createSerde({
    registryUrl: own.registry.registryUrl,
    topics: [
      topics.destinationConfig,
      topics.deliveryJobs,
      ...topics.deliveryRetries,
      topics.deadLetters,
      topics.deliveryAttempts,
      topics.deliveryTotals,
      topics.deliveryWakes,
    ],
    onUnavailable: ({ message }) => logger.warn({ problem: message }, "waiting for the schema registry"),
    host,
  });
  lifecycle.onStop("serde", () => serde.close());
  return { topics, kafka, serde, groupId: `${own.topics.prefix}deliverer` };
}

/** The live configuration of destinations (contract 3.6). */
export function followDestinations(
  { lifecycle, logger, metrics, nowMs, settings: own }: DelivererContext,
  { kafka, serde, topics }: Connection,
): Destinations {
  const readable = serde.decodeFields(topics.destinationConfig, []);
  const table = kafka.table({
    topic: topics.destinationConfig.name,
    decode: ({ value }) => serde.decode(topics.destinationConfig, value ?? Buffer.alloc(0)),
    // Only whether it can be read: a destination is looked at when a call for it comes.
    glance: ({ value }) => readable(value ?? Buffer.alloc(0)),
    onPoison: ({ key }, error) =>
      logger.error({ destinationId: key, err: error }, "destination cannot be read"),
  });
  watchTable(metrics, "destination-config", table);
  table.failed.catch((error: unknown) => lifecycle.fail(error));
  return createDestinations(table, createSecretBox(own.encryption), nowMs);
}
