import { createKafka, type Kafka } from "#kafka";
import type { ServiceContext, SettingsOf } from "#runtime";
import { createSerde, type Serde } from "#serde";
import { type TopicMap, topicMap } from "#topics";
import type { settings } from "./config.ts";

export type RouterContext = ServiceContext<SettingsOf<typeof settings>>;

/** The way to Kafka and to records. */
export interface Connection {
  readonly topics: TopicMap;
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly groupId: string;
}

/** Connects to nothing yet; closes last. */
export function connect({ settings: own, logger, lifecycle, host }: RouterContext): Connection {
  const topics = topicMap(own.topics);
  const kafka = createKafka(own.kafka, { logger: logger.child("kafka"), host });
  lifecycle.onStop("kafka", () => kafka.close());
  const serde = createSerde({
    registryUrl: own.registry.registryUrl,
    topics: [topics.calls, topics.destinationConfig, topics.deliveryJobs, topics.deadLetters],
    onUnavailable: ({ message }) =>
      logger.warn({ problem: message }, "the schema registry does not answer yet"),
    host,
  });
  lifecycle.onStop("serde", () => serde.close());
  return { topics, kafka, serde, groupId: `${own.topics.prefix}webhook-router` };
}
