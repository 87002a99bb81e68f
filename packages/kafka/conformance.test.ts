import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe } from "@jest/globals";
import { systemHost } from "#host";
import { removeRecordsBefore, withBareAdmin } from "#support/kafka-access";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { type ConformanceBench, describeConformance, joinOnce } from "../testing/kafka-conformance/index.ts";
import { AdminClient } from "./admin/admin-client.ts";
import type { Cluster } from "./cluster.ts";
import { SILENT_LOGGER } from "./log.ts";
import { clientCluster } from "./protocol/client-cluster.ts";

const STACK_STARTS_WITHIN_MS = 300_000;
const WITHIN_MS = 40_000;

/** Kafka itself; what was made is deleted at the end. */
class RealKafka implements ConformanceBench {
  readonly #brokers: readonly string[];
  readonly #prefix = `c${randomBytes(6).toString("hex")}-`;
  readonly #clusters = new Map<string, Cluster>();
  readonly #topics: string[] = [];
  #named = 0;

  constructor(brokers: readonly string[]) {
    this.#brokers = brokers;
  }

  cluster(process: string): Cluster {
    const settings = { brokers: this.#brokers, clientId: `${this.#prefix}${process}`, tls: false };
    const cluster = this.#clusters.get(process) ?? clientCluster(settings, SILENT_LOGGER, systemHost);
    this.#clusters.set(process, cluster);
    return cluster;
  }

  async topic(partitions: number, settings: Record<string, string> = {}): Promise<string> {
    const topic = { name: this.groupId(), partitions, replicationFactor: 1, settings };
    const admin = new AdminClient(this.cluster("admin").admin, systemHost);
    await admin.run((tried) => tried.createTopics([topic]), 15);
    this.#topics.push(topic.name);
    await this.until(() => this.#isReady(topic.name, partitions), `the topic ${topic.name}`);
    return topic.name;
  }

  /** Each broker learns of a new topic by itself, and a leader takes it over a little later; what comes before is refused. */
  async #isReady(topic: string, partitions: number): Promise<boolean> {
    const knownBy = (broker: string): Promise<boolean> =>
      // A client of its own: one that was asked for a topic asks for it with everything else, also when it is gone.
      withBareAdmin([broker], async (bare) => (await bare.fetchTopicOffsets(topic)).length === partitions);
    try {
      const known = await Promise.all(this.#brokers.map(knownBy));
      return known.every((isKnown) => isKnown);
    } catch {
      return false;
    }
  }

  groupId(): string {
    this.#named += 1;
    return `${this.#prefix}${this.#named}`;
  }

  nowMs = (): number => systemHost.elapsed();

  pass(ms: number): Promise<void> {
    return systemHost.delay(ms);
  }

  async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    await until(holds, { timeoutMs: WITHIN_MS, what });
  }

  settled<R>(promise: Promise<R>): Promise<R> {
    return promise;
  }

  removeBefore(at: { topic: string; partition: number }, offset: number): Promise<void> {
    return removeRecordsBefore(this.#brokers, at, offset);
  }

  /** The broker's cleaner looks every 15 s. */
  async compact(topic: string): Promise<void> {
    const isCompacted = async (): Promise<boolean> => {
      const fetched = await this.cluster("cleaner").fetchClient.fetch({ topic, partition: 0 }, 0);
      return fetched.kind === "records" && (fetched.records[0]?.offset ?? 0) > 0;
    };
    await until(isCompacted, { timeoutMs: 100_000, what: "the compaction", pollMs: 500 });
  }

  forget(groupId: string): Promise<void> {
    return withBareAdmin(this.#brokers, async (bare) => void (await bare.deleteGroups([groupId])));
  }

  async close(): Promise<void> {
    const { admin } = this.cluster("admin");
    const left = new Set(await admin.listTopics());
    await admin.deleteTopics(this.#topics.filter((topic) => left.has(topic)));
    for (const cluster of this.#clusters.values()) await cluster.close();
  }
}

let kafka: RealKafka | undefined;

beforeAll(async () => {
  kafka = new RealKafka((await useStack()).brokers);
  await joinOnce(kafka);
}, STACK_STARTS_WITHIN_MS);

afterAll(() => kafka?.close());

describe("Kafka", () => {
  describeConformance(() => {
    if (kafka === undefined) throw new Error("the stack is not there");
    return kafka;
  });
});
