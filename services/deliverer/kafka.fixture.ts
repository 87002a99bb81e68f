// The deliverer as a process on real Kafka; the test stands in for the router and the control service.
import { randomBytes } from "node:crypto";
import { createKafka } from "#kafka";
import { createSerde } from "#serde";
import { readDeadLetters } from "#support/dead-letters";
import { type ServiceProcess, startService } from "#support/service";
import { useStack } from "#support/stack";
import {
  allTopics,
  type DeadLetter,
  type DeliveryJob,
  type DestinationConfig,
  deliveryKey,
  topicMap,
} from "#topics";
import { runProvision } from "../../deploy/provision/index.ts";
import { job, TEST_KEY } from "./jobs.fixture.ts";

export interface DelivererUnderTest {
  readonly service: ServiceProcess;
  /** Writes a destination, or its deletion. */
  configure(id: string, config: DestinationConfig | undefined): Promise<void>;
  emit(...jobs: readonly DeliveryJob[]): Promise<void>;
  /** A record of bytes that are no job. */
  emitRaw(key: string, value: Buffer): Promise<void>;
  deadLetters(destinationId: string): Promise<DeadLetter[]>;
  /** The value of one series of /metrics. */
  metric(series: string): Promise<number>;
  /** Stops it and deletes its topics; gives its exit code. */
  stop(): Promise<number>;
}

let jobs = 0;

/** A new job of its own for a destination. */
export function newJob(destinationId: string, changes: Partial<DeliveryJob> = {}): DeliveryJob {
  jobs += 1;
  const messageId = `m${jobs}`;
  const body = Buffer.from(JSON.stringify({ type: "track", messageId }));
  return job({
    jobId: `${destinationId}-${jobs}`,
    destinationId,
    messageId,
    receivedAtMs: Date.now(),
    body,
    ...changes,
  });
}

export async function startDeliverer(options: {
  readonly retryDelaysMs: readonly number[];
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<DelivererUnderTest> {
  const { retryDelaysMs } = options;
  const stack = await useStack();
  const prefix = `t${randomBytes(5).toString("hex")}-`;
  const topics = topicMap({ prefix, retryDelaysMs });
  const kafkaSettings = { brokers: stack.brokers, tls: false, clientId: "deliverer-test" };
  await runProvision(
    {
      kafka: kafkaSettings,
      registry: { registryUrl: stack.registryUrl },
      topics: { prefix, retryDelaysMs },
      creation: { partitions: 2, replicationFactor: 1, minInsyncReplicas: 1 },
      provisioning: { deadlineMs: 30_000, raiseRetention: false },
    },
    () => undefined,
  );
  const kafka = createKafka(kafkaSettings);
  const serde = createSerde({ registryUrl: stack.registryUrl, topics: allTopics(topics) });
  await serde.start();
  const producer = kafka.producer();
  const service = await startService({
    name: "deliverer",
    settings: {
      HOOKLINE_KAFKA_BROKERS: stack.brokers.join(","),
      HOOKLINE_SCHEMA_REGISTRY_URL: stack.registryUrl,
      HOOKLINE_TOPIC_PREFIX: prefix,
      HOOKLINE_ENCRYPTION_KEYS: `test:${TEST_KEY.toString("base64")}`,
      HOOKLINE_EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
      HOOKLINE_RETRY_DELAYS: retryDelaysMs.map((delayMs) => `${delayMs}ms`).join(","),
      ...options.settings,
    },
  });
  const { deliveryJobs, destinationConfig } = topics;
  return {
    service,
    async configure(id, config) {
      const value = config === undefined ? null : serde.encode(destinationConfig, config);
      await producer.send([{ topic: destinationConfig.name, key: id, value }]);
    },
    emit: (...emitted) =>
      producer.send(
        emitted.map((one) => ({
          topic: deliveryJobs.name,
          key: deliveryKey(one),
          value: serde.encode(deliveryJobs, one),
        })),
      ),
    emitRaw: (key, value) => producer.send([{ topic: deliveryJobs.name, key, value }]),
    async deadLetters(destinationId) {
      const all = await readDeadLetters(stack, topics);
      return all.filter((letter) => letter.destinationId === destinationId);
    },
    async metric(series) {
      const text = await (await fetch(`${service.operationsUrl}/metrics`)).text();
      const line = text.split("\n").find((each) => each.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    },
    async stop() {
      const code = await service.stop();
      await kafka.admin().deleteTopics(allTopics(topics).map(({ name }) => name));
      serde.close();
      await kafka.close();
      return code;
    },
  };
}
