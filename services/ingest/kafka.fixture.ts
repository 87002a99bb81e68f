// Ingest inside this process on a real Kafka, with topics of its own. For tests.
import { randomBytes } from "node:crypto";
import { createKafka, type Kafka } from "#kafka";
import { type RunningService, startService } from "#runtime";
import { createSerde, type Serde } from "#serde";
import { type Call, type SourceConfig, type TopicMap, topicMap } from "#topics";
import { ingest } from "./service.ts";

export interface KafkaAddresses {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
}

export interface Cluster {
  readonly topics: TopicMap;
  readonly prefix: string;
  putSource(source: Pick<SourceConfig, "id" | "writeKeys"> & { enabled?: boolean }): Promise<void>;
  deleteSource(id: string): Promise<void>;
  /** Everything in the calls topic, with its key, in no particular order. */
  calls(): Promise<{ readonly key: string | null; readonly call: Call }[]>;
  /** Deletes the topics. */
  close(): Promise<void>;
}

/** Topics and schemas as provisioning makes them, apart from everybody else's by their prefix. */
export async function openCluster({ brokers, registryUrl }: KafkaAddresses): Promise<Cluster> {
  const prefix = `t${randomBytes(6).toString("hex")}-`;
  const topics = topicMap({ prefix, retryDelaysMs: [1_000] });
  const kafka = createKafka({ brokers, clientId: "ingest-test", tls: false });
  const serde = createSerde({ registryUrl, topics: [topics.calls, topics.sourceConfig] });
  await kafka.admin().ensureTopics([topics.calls, topics.sourceConfig], {
    partitions: 3,
    replicationFactor: 1,
    minInsyncReplicas: 1,
  });
  await serde.register();
  const producer = kafka.producer();
  const put = (key: string, value: Buffer | null) =>
    producer.send([{ topic: topics.sourceConfig.name, key, value }]);
  return {
    topics,
    prefix,
    async putSource({ id, writeKeys, enabled = true }) {
      const config = { id, writeKeys, enabled, name: id, version: 1, createdAtMs: 0, updatedAtMs: 0 };
      await put(id, serde.encode(topics.sourceConfig, config));
    },
    deleteSource: (id) => put(id, null),
    calls: () => readCalls(kafka, serde, topics),
    async close() {
      await kafka.admin().deleteTopics([topics.calls.name, topics.sourceConfig.name]);
      serde.close();
      await kafka.close();
    },
  };
}

async function readCalls(kafka: Kafka, serde: Serde, { calls: topic }: TopicMap) {
  const found: { key: string | null; call: Call }[] = [];
  for (const { partition, low, high } of await kafka.admin().offsets(topic.name)) {
    await kafka.readRange({
      topic: topic.name,
      partition,
      fromOffset: low,
      toOffset: high,
      async onRecord({ key, value }) {
        found.push({ key, call: await serde.decode(topic, value ?? Buffer.alloc(0)) });
      },
    });
  }
  return found;
}

export interface RunningIngest {
  readonly service: RunningService;
  /** Log lines, parsed. */
  readonly logs: Record<string, unknown>[];
}

/** Starts the whole service on free ports. */
export function startIngest(
  { brokers, registryUrl }: KafkaAddresses,
  prefix: string,
  more: Record<string, string> = {},
): RunningIngest {
  const logs: Record<string, unknown>[] = [];
  const service = startService(ingest, {
    environment: {
      HOOKLINE_KAFKA_BROKERS: brokers.join(","),
      HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
      HOOKLINE_TOPIC_PREFIX: prefix,
      HOOKLINE_INGEST_HOST: "127.0.0.1",
      HOOKLINE_INGEST_PORT: "0",
      HOOKLINE_METRICS_PORT: "0",
      ...more,
    },
    logTo: { write: (line) => logs.push(JSON.parse(line)) },
  });
  return { service, logs };
}
