// Tests the layers above a cluster on one in memory. conformance.test.ts uses a real one.
import { beforeEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import type { Cluster, PartitionOutcome, ProduceBatch } from "./cluster.ts";
import { KafkaError } from "./errors.ts";
import { recordingLogger } from "./fixtures/recording-logger.ts";
import { StubAdmin } from "./fixtures/stub-admin.ts";
import { StubFetchClient } from "./fixtures/stub-fetch-client.ts";
import { StubPollClient } from "./fixtures/stub-poll-client.ts";
import { record, type StubSession, stubSessions } from "./fixtures/stub-session.ts";
import type { Kafka } from "./interface.ts";
import { createKafkaOn } from "./kafka.ts";
import type { RunnerOptions } from "./runner-types.ts";
import type { Producer } from "./types.ts";

const away = new KafkaError("unavailable", "away", { canRetry: true });

let host: TestHost;
let admin: StubAdmin;
let sessions: StubSession[];
let fetchClient: StubFetchClient;
let produce: (batches: readonly ProduceBatch[]) => Promise<readonly PartitionOutcome[]>;
let ended: string[];
let kafka: Kafka;

beforeEach(async () => {
  host = new TestHost();
  admin = new StubAdmin();
  await admin.createTopics([{ name: "t", partitions: 1, replicationFactor: 1, settings: {} }]);
  fetchClient = new StubFetchClient();
  const stub = stubSessions();
  sessions = stub.sessions;
  ended = [];
  produce = async (batches) => batches.map((batch) => ({ ...batch, error: undefined }));
  const cluster: Cluster = {
    newSession: stub.newSession,
    newProduceClient: () => ({
      send: (batches) => produce(batches),
      reset: () => undefined,
      close: async () => void ended.push("producer"),
    }),
    admin,
    fetchClient,
    pollClient: new StubPollClient(),
    newProducerId: async () => "1",
    close: async () => void ended.push("cluster"),
  };
  const { logger } = recordingLogger();
  kafka = createKafkaOn(cluster, { logger, host });
});

/** Everything that it takes to close has time. */
async function closed(): Promise<void> {
  const closing = kafka.close();
  await host.advance(60_000);
  await closing;
}

const RECORD = { topic: "t", key: "k", value: Buffer.from("v") };

/** A runner that has joined its group, and makes nothing of its records unless told otherwise. */
async function runnerWith(
  producer: Producer,
  more: Partial<RunnerOptions<string>> = {},
): Promise<StubSession> {
  const runner = kafka.runner<string>({
    groupId: "g",
    topics: ["t"],
    producer,
    decode: ({ key }) => key ?? "",
    step: (_, settle) => settle({ produce: [] }),
    deadLetter: () => [],
    maxOutstandingRecords: 10,
    maxOutstandingBytes: 1_000,
    ...more,
  });
  const started = runner.start();
  await host.advance(0);
  const [session] = sessions;
  if (session === undefined) throw new Error("the runner has no session");
  session.join([0]);
  await started;
  session.stop = async () => void ended.push("runner");
  return session;
}

test("a durable producer never gives a record up, another one does after its time", async () => {
  produce = () => Promise.reject(away);
  const outcomes: string[] = [];
  const note = (name: string) => (error: { code?: string } | undefined) =>
    void outcomes.push(`${name} ${error?.code ?? "written"}`);
  void kafka.producer({ deliveryTimeoutMs: 1_000 }).send([RECORD]).then(undefined, note("short"));
  void kafka.producer().send([RECORD]).then(undefined, note("usual"));
  void kafka
    .durableProducer()
    .send([RECORD])
    .then(() => note("durable")(undefined), note("durable"));
  await host.advance(1_000);
  expect(outcomes).toEqual(["short delivery_timeout"]);
  await host.advance(120_000);
  expect(outcomes).toEqual(["short delivery_timeout", "usual delivery_timeout"]);
  produce = async (batches) => batches.map((batch) => ({ ...batch, error: undefined }));
  await host.advance(60_000);
  expect(outcomes.at(-1)).toBe("durable written");
});

test("a runner is closed before what it writes with, the cluster at the end, and a second time nothing is left to close", async () => {
  await runnerWith(kafka.producer());
  await closed();
  expect(ended).toEqual(["runner", "producer", "cluster"]);
  await closed();
  expect(ended).toEqual(["runner", "producer", "cluster", "cluster"]);
});

test("a runner's steps have five seconds to end before it leaves", async () => {
  const session = await runnerWith(kafka.producer(), { step: () => undefined });
  await session.arrive([record(0, 0)]);
  await host.advance(0);
  const closing = kafka.close();
  await host.advance(4_999);
  expect(ended).toEqual([]);
  await host.advance(1);
  expect(ended[0]).toBe("runner");
  await host.advance(60_000);
  await closing;
});

test("a runner writes what its records become, each when it is due, also what cannot be read", async () => {
  const writtenKeys: (string | null)[] = [];
  produce = async (batches) => {
    for (const { records } of batches) for (const one of records) writtenKeys.push(one.record.key);
    return batches.map((batch) => ({ ...batch, error: undefined }));
  };
  const dueAtMs = host.now() + 1_000;
  const session = await runnerWith(kafka.producer(), {
    decode({ key }) {
      if (key === "broken") throw Object.assign(new Error("unreadable"), { canRetry: false });
      return `of ${key}`;
    },
    step: ({ decoded }, settle) => settle({ produce: [{ ...RECORD, key: decoded }] }),
    deadLetter: ({ key }, { message }) => [{ ...RECORD, key: `${key}: ${message}` }],
    dueAtMs: ({ decoded }) => (decoded === "of late" ? dueAtMs : 0),
  });
  await session.arrive([record(0, 0, "early"), record(0, 1, "broken"), record(0, 2, "late")]);
  await host.advance(999);
  expect(writtenKeys).toEqual(["of early", "broken: unreadable"]);
  await host.advance(5);
  expect(writtenKeys.slice(2)).toEqual(["of late"]);
  await host.advance(1_000);
  expect(session.commits.at(-1)).toEqual([{ topic: "t", partition: 0, offset: 3, metadata: "done1:0:" }]);
});

test("what is read, and what is asked of the admin, ends with it", async () => {
  fetchClient.answers.push(...new Array<Error>(10).fill(away));
  const outcomes = [
    kafka.readRange({ topic: "t", partition: 0, fromOffset: 0, toOffset: 5, onRecord: () => undefined }),
    kafka.table({ topic: "t", decode: ({ key }) => key }).load(),
  ].map((one) => one.catch((error: unknown) => error));
  await closed();
  for (const outcome of outcomes) expect(await outcome).toMatchObject({ code: "closed" });
  await expect(kafka.admin().offsets("t")).rejects.toMatchObject({ code: "closed" });
  expect(ended).toEqual(["cluster"]);
});
