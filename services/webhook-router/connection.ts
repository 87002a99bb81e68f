import type { createKafka, Kafka } from "#kafka";
import type { ServiceContext, SettingsOf } from "#runtime";
import type { createSerde, Serde } from "#serde";
import { type TopicMap, topicMap } from "#topics";
import type { settings } from "./config.ts";

export type RouterContext = ServiceContext<SettingsOf<typeof settings>>;

/** How the process reaches what is not its own: the real ways, or those into a simulated world. */
export interface Ways {
  readonly createKafka: typeof createKafka;
  readonly createSerde: typeof createSerde;
}

/** The way to Kafka and to records. */
export interface Connection {
  readonly topics: TopicMap;
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly groupId: string;
}

/** Connects to nothing yet; closes last. */
export function connect({ settings: own, logger, lifecycle, host }: RouterContext, ways: Ways): Connection {
  const topics = topicMap(own.topics);
  const kafka = ways.createKafka(own.kafka, { logger: logger.child("kafka"), host });
  lifecycle.onStop("kafka", () => kafka.close());
  const serde = ways.createSerde({
    registryUrl: own.registry.registryUrl,
    topics: [topics.calls, topics.destinationConfig, topics.deliveryJobs, topics.deadLetters],
    onUnavailable: ({ message }) => logger.warn({ problem: message }, "waiting for the schema registry"),
    host,
  });
  lifecycle.onStop("serde", () => serde.close());
  return { topics, kafka, serde, groupId: `${own.topics.prefix}webhook-router` };
}
