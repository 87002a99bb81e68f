// The router on real Kafka, in this process or in one of its own; the test stands in for ingest, control and deliverer.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKafka, type Kafka, type Producer, type Received } from "#kafka";
import { type RunningService, startService } from "#runtime";
import { createSerde, type Serde } from "#serde";
import {
  allTopics,
  type Call,
  callKey,
  type DeadLetter,
  type DeliveryJob,
  type DestinationConfig,
  type RecordName,
  type RecordTypes,
  type Topic,
  type TopicMap,
  topicMap,
} from "#topics";
import { webhookRouter } from "./service.ts";

interface StackAddresses {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
}

/** A router running in this process. */
export interface RouterInProcess {
  readonly service: RunningService;
  readonly lines: readonly Record<string, unknown>[];
  /** The value of one series of /metrics. */
  metric(series: string): Promise<number>;
}

export interface RouterStage {
  /** HOOKLINE_ variables for a router on this stage. */
  readonly environment: Record<string, string>;
  /** A new folder for a router's state. */
  newDataDir(): string;
  configure(id: string, config: DestinationConfig | undefined): Promise<void>;
  /** Writes calls as ingest does, in order, with one request. */
  send(...calls: readonly Call[]): Promise<void>;
  sendRaw(key: string, value: Buffer): Promise<void>;
  /** Every job written so far, oldest first. */
  readonly jobs: readonly Received<DeliveryJob>[];
  readonly deadLetters: readonly Received<DeadLetter>[];
  /** Starts a router in this process; it is not awaited until it is ready. */
  start(options?: {
    readonly dataDir?: string;
    readonly settings?: Record<string, string>;
    /** The router itself unless given. */
    readonly definition?: typeof webhookRouter;
  }): RouterInProcess;
  /** How many calls the router's group has committed, over all partitions. */
  committed(): Promise<number>;
  close(): Promise<void>;
}

interface Wire {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly producer: Producer;
  readonly topics: TopicMap;
}

/** Creates the topics of a deployment of its own. */
async function connect(stack: StackAddresses, prefix: string, partitions: number): Promise<Wire> {
  const topics = topicMap({ prefix, retryDelaysMs: [1000] });
  const kafka = createKafka({ brokers: stack.brokers, tls: false, clientId: "router-test" });
  const serde = createSerde({ registryUrl: stack.registryUrl, topics: allTopics(topics) });
  await kafka
    .admin()
    .ensureTopics(allTopics(topics), { partitions, replicationFactor: 1, minInsyncReplicas: 1 });
  await serde.register();
  return { kafka, serde, producer: kafka.producer(), topics };
}

/** Collects what is written to a topic, in the order of its partitions. */
async function follow<R extends RecordName>({ kafka, serde, producer }: Wire, topic: Topic<R>) {
  const seen: Received<RecordTypes[R]>[] = [];
  const runner = kafka.runner({
    groupId: `${topic.name}-test`,
    topics: [topic.name],
    decode: ({ value }) => serde.decode(topic, value ?? Buffer.alloc(0)),
    step(record: Received<RecordTypes[R]>, settle) {
      seen.push(record);
      settle({ produce: [] });
    },
    deadLetter: () => [],
    producer,
    maxOutstandingRecords: 1000,
    maxOutstandingBytes: 1_000_000,
  });
  await runner.start();
  return { seen, runner };
}

export async function createStage(stack: StackAddresses, partitions = 3): Promise<RouterStage> {
  const prefix = `t${randomBytes(5).toString("hex")}-`;
  const wire = await connect(stack, prefix, partitions);
  const { kafka, serde, producer, topics } = wire;
  const [jobs, deadLetters] = [
    await follow(wire, topics.deliveryJobs),
    await follow(wire, topics.deadLetters),
  ];
  const folders: string[] = [];
  const routers: RouterInProcess[] = [];
  const environment = environmentOf(stack, prefix);
  const newDataDir = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "hookline-router-"));
    folders.push(folder);
    return folder;
  };
  return {
    environment,
    newDataDir,
    jobs: jobs.seen,
    deadLetters: deadLetters.seen,
    configure: (id, config) =>
      producer.send([
        {
          topic: topics.destinationConfig.name,
          key: id,
          value: config === undefined ? null : serde.encode(topics.destinationConfig, config),
        },
      ]),
    send: (...calls) =>
      producer.send(
        calls.map((call) => ({
          topic: topics.calls.name,
          key: callKey(call.sourceId, call),
          value: serde.encode(topics.calls, call),
        })),
      ),
    sendRaw: (key, value) => producer.send([{ topic: topics.calls.name, key, value }]),
    async committed() {
      const offsets = await kafka.admin().committedOffsets(`${prefix}webhook-router`, topics.calls.name);
      return [...offsets.values()].reduce((sum, offset) => sum + offset, 0);
    },
    start({ dataDir = newDataDir(), settings = {}, definition = webhookRouter } = {}) {
      const own = { ...environment, HOOKLINE_DATA_DIR: dataDir, ...settings };
      const router = startInProcess(own, definition);
      routers.push(router);
      return router;
    },
    async close() {
      await Promise.all(routers.map(({ service }) => service.stop()));
      await Promise.all([jobs.runner.stop(1000), deadLetters.runner.stop(1000)]);
      await kafka.admin().deleteTopics(allTopics(topics).map(({ name }) => name));
      serde.close();
      await kafka.close();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function environmentOf({ brokers, registryUrl }: StackAddresses, prefix: string): Record<string, string> {
  return {
    HOOKLINE_KAFKA_BROKERS: brokers.join(","),
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
    HOOKLINE_TOPIC_PREFIX: prefix,
    HOOKLINE_RETRY_DELAYS: "1s",
    HOOKLINE_METRICS_PORT: "0",
    HOOKLINE_METRICS_HOST: "127.0.0.1",
  };
}

function startInProcess(
  environment: Record<string, string>,
  definition: typeof webhookRouter,
): RouterInProcess {
  const lines: Record<string, unknown>[] = [];
  const service = startService(definition, {
    environment,
    logTo: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  return {
    service,
    lines,
    async metric(series) {
      const { metricsPort } = await service.ready;
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    },
  };
}
