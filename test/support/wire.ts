// The topics of a deployment, as a test reads and writes them beside the services under test.
import { randomBytes } from "node:crypto";
import { connect, type KafkaAndSerde } from "#connection";
import type { Producer } from "#kafka";
import {
  allTopics,
  type RecordName,
  type RecordTypes,
  type Topic,
  type TopicMap,
  type TopicMapOptions,
  topicMap,
} from "#topics";
import type { TestStack } from "./stack.ts";

interface ReadRecord<V> {
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  /** Kafka's time of it. */
  readonly atMs: number;
  /** Undefined of a tombstone. */
  readonly value: V | undefined;
}

export interface Wire extends KafkaAndSerde {
  readonly producer: Producer;
  /** Writes with one request, in order; null is a tombstone. */
  write<R extends RecordName>(
    topic: Topic<R>,
    ...records: readonly (readonly [key: string | null, value: RecordTypes[R] | null])[]
  ): Promise<void>;
  /** Everything in a topic, older records of a key too. */
  read<R extends RecordName>(topic: Topic<R>): Promise<ReadRecord<RecordTypes[R]>[]>;
  close(): Promise<void>;
}

/** Records can be written once `serde.start()` has resolved. */
export function openWire({ brokers, registryUrl }: TestStack, topics: readonly Topic[]): Wire {
  const { close, kafka, serde } = connect({
    kafka: { brokers, clientId: "test", tls: false },
    registryUrl,
    topics,
  });
  const producer = kafka.producer();
  return {
    kafka,
    serde,
    producer,
    close,
    write: (topic, ...records) =>
      producer.send(
        records.map(([key, value]) => ({
          topic: topic.name,
          key,
          value: value === null ? null : serde.encode(topic, value),
        })),
      ),
    async read<R extends RecordName>(topic: Topic<R>) {
      const found: ReadRecord<RecordTypes[R]>[] = [];
      for (const { partition, low, high } of await kafka.admin().offsets(topic.name))
        await kafka.readRange({
          topic: topic.name,
          partition,
          fromOffset: low,
          toOffset: high,
          async onRecord({ key, offset, timestampMs, value }) {
            const decoded = value === null ? undefined : await serde.decode(topic, value);
            found.push({ partition, offset, key, atMs: timestampMs, value: decoded });
          },
        });
      return found;
    },
  };
}

/** Keeps a deployment apart from every other on the same Kafka. */
export const newPrefix = (): string => `t${randomBytes(5).toString("hex")}-`;

/** HOOKLINE_ variables that every process of a deployment has. */
export function settingsOn(
  { brokers, registryUrl }: TestStack,
  { prefix, retryDelaysMs }: TopicMapOptions,
): Record<string, string> {
  return {
    HOOKLINE_KAFKA_BROKERS: brokers.join(","),
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    HOOKLINE_TOPIC_PREFIX: prefix,
    HOOKLINE_RETRY_DELAYS: retryDelaysMs.map((delayMs) => `${delayMs}ms`).join(","),
  };
}

export interface ScratchWire extends Wire {
  readonly prefix: string;
  readonly topics: TopicMap;
  /** HOOKLINE_ variables of a service on these topics. */
  readonly settings: Record<string, string>;
}

export interface ScratchWireOptions {
  readonly partitions: number;
  /** One of a second unless given. */
  readonly retryDelaysMs?: readonly number[];
  /** All unless given. */
  readonly topicsOf?: (topics: TopicMap) => readonly Topic[];
}

/** Creates a deployment's topics and registers its schemas; `close` deletes the topics. */
export async function openScratchWire(
  stack: TestStack,
  { partitions, retryDelaysMs = [1_000], topicsOf = allTopics }: ScratchWireOptions,
): Promise<ScratchWire> {
  const prefix = newPrefix();
  const topics = topicMap({ prefix, retryDelaysMs });
  const used = topicsOf(topics);
  const wire = openWire(stack, used);
  const admin = wire.kafka.admin();
  await admin.ensureTopics(used, { partitions, replicationFactor: 1, minInsyncReplicas: 1 });
  await wire.serde.register();
  return {
    ...wire,
    prefix,
    topics,
    settings: settingsOn(stack, { prefix, retryDelaysMs }),
    async close() {
      await admin.deleteTopics(used.map(({ name }) => name));
      await wire.close();
    },
  };
}
