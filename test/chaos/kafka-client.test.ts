import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import {
  createKafka,
  type Kafka,
  type OutgoingRecord,
  type Producer,
  partitionOfKey,
  type Runner,
} from "#kafka";
import { type Stack, until } from "#stack";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";
import { newPrefix } from "#support/wire";

// Producer and runner while their brokers go and come back. They are never started again: they recover by themselves.

const PARTITIONS = 6;
const SEND_EVERY_MS = 20;

let stack: Stack;
const open: Kafka[] = [];

afterEach(async () => {
  for (const kafka of open.splice(0)) await kafka.close();
}, 180_000);

/** Before the tests: a turn that is waited for in one of them would be taken for its duration (test/jest/suites.ts). */
function withBrokers(brokers: 1 | 3): void {
  beforeAll(async () => {
    stack = await takeStack({ brokers });
  }, TURN_TIMEOUT_MS);
  afterAll(() => stack.stop());
}

function connect(brokers: readonly string[]): Kafka {
  const kafka = createKafka({ brokers, clientId: "chaos", tls: false });
  open.push(kafka);
  return kafka;
}

/** Records on their way through one step: in → out, counted at the end. */
interface Flow {
  /** Values whose `send` has been acknowledged. */
  readonly acknowledged: Set<string>;
  /** How often each value has come out. */
  readonly arrived: Map<string, number>;
  /** By partition of the first topic: how many have been acknowledged, and how many values have come out. */
  readonly perPartition: { readonly acknowledged: number[]; readonly arrived: number[] };
  /** When the last value came out. */
  lastArrivalMs: number;
  stopSending(): Promise<void>;
}

async function startFlow(kafka: Kafka, replicas: 1 | 3): Promise<Flow> {
  const cleanup = { policy: "delete", retentionMs: 3_600_000 } as const;
  const prefix = newPrefix();
  const [from, to] = [`${prefix}in`, `${prefix}out`];
  await kafka.admin().ensureTopics(
    [from, to].map((name) => ({ name, cleanup })),
    { partitions: PARTITIONS, replicationFactor: replicas, minInsyncReplicas: replicas === 3 ? 2 : 1 },
  );
  const producer = kafka.durableProducer();
  const flow = {
    acknowledged: new Set<string>(),
    arrived: new Map<string, number>(),
    perPartition: { acknowledged: new Array(PARTITIONS).fill(0), arrived: new Array(PARTITIONS).fill(0) },
    lastArrivalMs: 0,
  };
  await startRunner(kafka, producer, from, ({ key, value }) => [{ topic: to, key, value }]);
  await startRunner(kafka, producer, to, ({ value }) => {
    const text = String(value);
    if (!flow.arrived.has(text)) count(flow.perPartition.arrived, text);
    flow.arrived.set(text, (flow.arrived.get(text) ?? 0) + 1);
    flow.lastArrivalMs = performance.now();
    return [];
  });
  return Object.assign(flow, { stopSending: startSending({ producer, topic: from }, flow) });
}

async function startRunner(
  kafka: Kafka,
  producer: Producer,
  topic: string,
  step: (record: OutgoingRecord) => readonly OutgoingRecord[],
): Promise<Runner> {
  const runner = kafka.runner<null>({
    groupId: `group-${topic}`,
    topics: [topic],
    producer,
    decode: () => null,
    step: (record, settle) => settle({ produce: step(record) }),
    deadLetter: (_, error) => {
      throw error;
    },
    maxOutstandingRecords: 1_000,
    maxOutstandingBytes: 10_000_000,
  });
  await runner.start();
  return runner;
}

function keyOf(value: string): string {
  return `key-${Number(value) % 50}`;
}

function count(perPartition: number[], value: string): void {
  const partition = partitionOfKey(keyOf(value), PARTITIONS);
  perPartition[partition] = (perPartition[partition] ?? 0) + 1;
}

/** Sends a few records all the time, whether the last ones are acknowledged or not; returns the way to stop. */
function startSending(
  { producer, topic }: { producer: Producer; topic: string },
  { acknowledged, perPartition }: Omit<Flow, "stopSending">,
): () => Promise<void> {
  const sends: Promise<void>[] = [];
  let sent = 0;
  const timer = setInterval(() => {
    const values = Array.from({ length: 5 }, () => String(sent++));
    const records = values.map((value) => ({
      topic,
      key: keyOf(value),
      value: Buffer.from(value),
    }));
    sends.push(
      producer.send(records).then(() => {
        for (const value of values) {
          acknowledged.add(value);
          count(perPartition.acknowledged, value);
        }
      }),
    );
  }, SEND_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(sends);
  };
}

async function grows(set: { readonly size: number }, by: number, what: string): Promise<void> {
  const target = set.size + by;
  await until(() => set.size >= target, { timeoutMs: 60_000, what });
}

/** Every partition goes on: one whose leader is not found would hide behind the others. */
async function growEverywhere(perPartition: readonly number[], by: number, what: string): Promise<void> {
  const targets = perPartition.map((sofar) => sofar + by);
  const behind = (): number[] =>
    targets.flatMap((target, partition) => ((perPartition[partition] ?? 0) < target ? partition : []));
  await until(() => behind().length === 0, {
    timeoutMs: 60_000,
    what: () => `${what}, in the partitions ${behind().join(", ")}`,
  });
}

async function everythingArrives({ acknowledged, arrived }: Flow): Promise<void> {
  const missing = (): string[] => [...acknowledged].filter((value) => !arrived.has(value));
  await until(() => missing().length === 0, {
    timeoutMs: 60_000,
    what: () => `${missing().length} of ${acknowledged.size} acknowledged records`,
  });
}

/** Records that came out more than once. */
function repeated({ arrived }: Flow): number {
  return [...arrived.values()].filter((times) => times > 1).length;
}

function pause(timeMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timeMs));
}

// First, after the conservation test: both have three brokers, everybody else has one.
describe("leaders move between three brokers under load", () => {
  withBrokers(3);

  test(
    "each broker in turn is stopped, one is killed: the flow goes on and nothing acknowledged is lost (fact 1)",
    async () => {
      const { brokers, broker } = stack;
      const flow = await startFlow(connect(brokers), 3);
      await grows(flow.arrived, 200, "a flow before the first outage");
      for (const [index, how] of (["stop", "stop", "kill"] as const).entries()) {
        await broker(index)[how]();
        await growEverywhere(flow.perPartition.acknowledged, 30, `acknowledgements without broker ${index}`);
        await growEverywhere(flow.perPartition.arrived, 30, `a flow without broker ${index}`);
        await broker(index).start();
        await growEverywhere(flow.perPartition.arrived, 30, `a flow with broker ${index} back`);
      }
      await flow.stopSending();
      await everythingArrives(flow);
      expect(repeated(flow)).toBeLessThan(flow.acknowledged.size / 2);
    },
    TURN_TIMEOUT_MS,
  );
});

describe("the only broker goes away under load", () => {
  withBrokers(1);

  test.each(["stopped", "killed"] as const)(
    "%s for 10 s and started again: everything flows again by itself and nothing acknowledged is lost",
    async (how) => {
      const { brokers, broker } = stack;
      const flow = await startFlow(connect(brokers), 1);
      await grows(flow.arrived, 200, "a flow before the outage");
      await (how === "stopped" ? broker(0).stop() : broker(0).kill());
      await pause(10_000);
      const acknowledgedBefore = flow.acknowledged.size;
      await broker(0).start();
      await until(() => flow.acknowledged.size > acknowledgedBefore, {
        timeoutMs: 30_000,
        what: "acknowledgements",
      });
      await grows(flow.arrived, 200, "a flow after the outage");
      await flow.stopSending();
      await everythingArrives(flow);
    },
    TURN_TIMEOUT_MS,
  );
});
