// A restore beside somebody who writes to the same topic, on real Kafka.
import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { connect, type KafkaAndSerde } from "#connection";
import {
  createKafka,
  type Kafka,
  type OutgoingRecord,
  type PartitionWriter,
  type Producer,
  type RawRecord,
} from "#kafka";
import { scratchFolder } from "#support/scratch-folder";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { type ConfigurationTopic, configurationTopics, type SourceConfig, topicMap } from "#topics";
import { backUp } from "./backup.ts";
import type { Entry } from "./file.ts";
import { restore } from "./restore.ts";
import { readTopic } from "./topic-state.ts";

const PARTITIONS = 2;

let connection: ReturnType<typeof connect>;
let brokers: readonly string[];
let topics: readonly ConfigurationTopic[];
let calls: string;
let sources: ConfigurationTopic["topic"];
let suppressions: ConfigurationTopic["topic"];

beforeAll(async () => {
  const { registryUrl, ...stack } = await useStack();
  brokers = stack.brokers;
  const map = topicMap({ prefix: `t${randomBytes(5).toString("hex")}-`, retryDelaysMs: [1_000] });
  calls = map.calls.name;
  sources = map.sourceConfig;
  suppressions = map.suppressions;
  topics = configurationTopics(map).filter(({ topic }) => [sources, suppressions].includes(topic));
  connection = connect({
    kafka: { brokers, clientId: "restore-test", tls: false },
    registryUrl,
    topics: [sources, suppressions],
  });
  await connection.serde.register();
}, 300_000);

const own = (): readonly string[] => [calls, sources.name, suppressions.name];

beforeEach(async () => {
  const admin = connection.kafka.admin();
  const there = async () => (await admin.topicNames()).filter((name) => own().includes(name));
  await admin.deleteTopics(await there());
  await until(async () => (await there()).length === 0, { timeoutMs: 30_000, what: "the topics gone" });
  const creation = { partitions: PARTITIONS, replicationFactor: 1, minInsyncReplicas: 1 };
  const specs = [sources, suppressions].map(({ name, cleanup }) => ({ name, cleanup }));
  const witness = { name: calls, cleanup: { policy: "delete", retentionMs: 3_600_000 } } as const;
  await admin.ensureTopics([...specs, witness], creation);
});

const started: Kafka[] = [];

afterEach(async () => {
  for (const kafka of started.splice(0)) await kafka.close();
});

afterAll(async () => {
  await connection?.kafka.admin().deleteTopics(own());
  await connection?.close();
});

const source = (id: string, version: number, name = id): SourceConfig => {
  const times = { createdAtMs: 1, updatedAtMs: version };
  return { id, name, enabled: true, labels: {}, writeKeys: [`key-${id}`], version, ...times };
};

const entryOf = (value: SourceConfig): Entry => ({ record: "source-config", key: value.id, value });

const record = (value: SourceConfig): OutgoingRecord => ({
  topic: sources.name,
  key: value.id,
  value: connection.serde.encode(sources, value),
});

async function write(...records: OutgoingRecord[]): Promise<void> {
  const producer = connection.kafka.producer();
  await producer.send(records);
  await producer.close();
}

function restored(entries: readonly Entry[], more: { connection?: KafkaAndSerde; isDryRun?: boolean } = {}) {
  const options = { connection, isDryRun: false, ...more, topics, entries };
  return restore({ ...options, mark: randomBytes(8).toString("hex"), onProgress: () => undefined });
}

/** The current names by key, null after its end; without marks. */
async function names(): Promise<Record<string, string | null>> {
  const { records } = await readTopic(connection.kafka, sources.name);
  const told = [...records].filter(([key]) => !key.startsWith("~"));
  const all = told.map(async ([key, { value }]) => {
    const decoded = value === null ? null : ((await connection.serde.decode(sources, value)) as SourceConfig);
    return [key, decoded?.name ?? null] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** A Kafka in which somebody else does `other` just before the first write of a restore. */
function besides(other: () => Promise<void>): KafkaAndSerde {
  let once: Promise<void> | undefined;
  const before = <W extends Pick<Producer, "send"> | PartitionWriter>(writer: W): W =>
    new Proxy(writer, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          if (name === "send") {
            once ??= other();
            await once;
          }
          return await value.apply(target, args);
        };
      },
    });
  const kafka: Kafka = {
    ...connection.kafka,
    producer: () => before(connection.kafka.producer()),
    tableWriter(options) {
      const writer = connection.kafka.tableWriter(options);
      return { take: async (key) => before(await writer.take(key)) };
    },
  };
  return { ...connection, kafka };
}

/** A process of control: reads the topic and takes partitions of it to write. */
async function controlBeside() {
  const { kafka } = connection;
  const topic = sources.name;
  const table = kafka.table({ topic, decode: ({ value }) => value });
  await table.load();
  const writer = kafka.tableWriter({ topic, table, timeoutMs: 10_000 });
  const put = async (key: string, value: SourceConfig | null) => {
    const only = await writer.take(key);
    await only.send({ key, value: value && connection.serde.encode(sources, value) });
    return only;
  };
  return { put, close: () => table.close() };
}

/** A process that starts: its table of sources, and what it says of a topic that it does not believe. */
function starter() {
  const said: string[] = [];
  const say = (fields: object) => said.push(String(Object(fields)["error"]));
  const logger = { debug: () => undefined, info: () => undefined, warn: say, error: say };
  const kafka = createKafka({ brokers, clientId: `restore-${randomUUID()}`, tls: false }, { logger });
  started.push(kafka);
  const decode = ({ value }: RawRecord) => connection.serde.decode(sources, value) as Promise<SourceConfig>;
  const table = kafka.table<SourceConfig>({ topic: sources.name, witnesses: [calls], decode });
  const loading = table.load();
  loading.catch(() => undefined);
  const waits = async (why: string) => {
    const isSaid = () => said.some((line) => line.includes(why));
    await until(isSaid, { timeoutMs: 30_000, what: () => `${why}; it said ${said}` });
    expect(table.loaded).toBe(false);
  };
  return { kafka, table, loading, waits };
}

/** A Kafka that is gone after this many writes of sources. */
function goneAfter(writes: number): KafkaAndSerde {
  let left = writes;
  const tableWriter: Kafka["tableWriter"] = (options) => {
    const writer = connection.kafka.tableWriter(options);
    return {
      async take(key) {
        const only = await writer.take(key);
        return {
          async send(record) {
            left -= 1;
            if (left < 0) throw new Error("cut off");
            await only.send(record);
          },
        };
      },
    };
  };
  return { ...connection, kafka: { ...connection.kafka, tableWriter } };
}

test("a restore that was cut off is believed by nobody who starts, and in no backup, until it is run again", async () => {
  await write({ topic: calls, key: null, value: Buffer.from("a call") });
  const waiting = starter();
  await waiting.waits("they are lost");
  const entries = ["a", "b", "c", "d"].map((id) => entryOf(source(id, 1)));
  await expect(restored(entries, { connection: goneAfter(1) })).rejects.toThrow("cut off");
  await waiting.waits("half restored");
  const late = starter();
  await late.waits("half restored");
  const lost = { code: "records_lost", message: expect.stringContaining("half restored") };
  await expect(late.table.look()).rejects.toMatchObject(lost);
  const admin = late.kafka.admin();
  await expect(admin.holdsRecords({ topic: sources.name, witnesses: [calls] })).rejects.toMatchObject(lost);
  const folder = scratchFolder();
  const path = join(folder, "backup.ndjson");
  const quiet = { write: async () => undefined, onProgress: () => undefined };
  const backup = { path, version: "1.2.3", nowMs: 0, ...quiet };
  await expect(backUp({ connection, topics, ...backup })).rejects.toMatchObject(lost);

  const done = await restored(entries);
  expect(done.map(({ verdict }) => verdict)).toEqual(["same", "created", "created", "created"]);
  await Promise.all([waiting.loading, late.loading]);
  for (const { table } of [waiting, late])
    expect([...table.entries()].map(([key]) => key).toSorted()).toEqual(["a", "b", "c", "d"]);
  await late.table.look();
  await backUp({ connection, topics, ...backup });
  expect((await readFile(path, "utf8")).split("\n")).toHaveLength(7);
}, 180_000);

test("what is missing or older is written; what is newer, was deleted or differs is left, and said", async () => {
  await write(
    ...[
      source("same", 2),
      source("old", 1, "before"),
      source("new", 3, "edited"),
      source("other", 2, "!"),
    ].map(record),
    { topic: sources.name, key: "gone", value: null },
  );
  const entries = ["missing", "same", "old", "new", "other", "gone"].map((id) => entryOf(source(id, 2)));
  const verdicts = [
    ["missing", "created"],
    ["same", "same"],
    ["old", "replaced"],
    ["new", "newer"],
    ["other", "differing"],
    ["gone", "deleted"],
  ];
  const before = await names();
  const tried = await restored(entries, { isDryRun: true });
  expect(tried.map(({ key, verdict }) => [key, verdict])).toEqual(verdicts);
  expect(await names()).toEqual(before);
  const done = await restored(entries);
  expect(done.map(({ key, verdict }) => [key, verdict])).toEqual(verdicts);
  expect(await names()).toEqual({
    missing: "missing",
    same: "same",
    old: "old",
    new: "edited",
    other: "!",
    gone: null,
  });
}, 180_000);

test("what control edits meanwhile is judged again: what is newer stays, what has ended, too", async () => {
  await write(record(source("old", 1, "before")));
  const control = await controlBeside();
  const edit = async () => {
    await control.put("old", source("old", 3, "edited"));
    await control.put("a", null);
    await control.put("b", source("b", 1, "own"));
  };
  const entries = [source("old", 2), source("a", 2), source("b", 2), source("c", 2)].map(entryOf);
  const done = await restored(entries, { connection: besides(edit) });
  expect(done.map(({ key, verdict }) => [key, verdict])).toEqual([
    ["old", "newer"],
    ["a", "deleted"],
    ["b", "replaced"],
    ["c", "created"],
  ]);
  expect(await names()).toEqual({ old: "edited", a: null, b: "b", c: "c" });
  await control.close();
}, 180_000);

test("what control decided before a restore came is refused by the broker, and decided again", async () => {
  const control = await controlBeside();
  const held = await control.put("a", source("a", 1, "first"));
  await restored([entryOf(source("a", 2, "restored"))]);
  const late = connection.serde.encode(sources, source("a", 2, "late"));
  await expect(held.send({ key: "a", value: late })).rejects.toMatchObject({ code: "fenced" });
  expect(await names()).toEqual({ a: "restored" });
  await control.put("a", source("a", 3, "edited"));
  expect(await names()).toEqual({ a: "edited" });
  await control.close();
}, 180_000);

test("what a regulation writes meanwhile wins: a suppression, an end of one", async () => {
  const suppression = (atMs: number) => ({ regulationId: `r${atMs}`, atMs });
  const encoded = (atMs: number) => connection.serde.encode(suppressions, suppression(atMs));
  const topic = suppressions.name;
  const other = () => write({ topic, key: "newer", value: encoded(3) }, { topic, key: "ended", value: null });
  const entries = ["newer", "ended", "missing"].map((key): Entry => {
    return { record: "suppression", key, value: suppression(2) };
  });
  await restored(entries, { connection: besides(other) });
  const { records } = await readTopic(connection.kafka, topic);
  const wanted = { newer: encoded(3), ended: null, missing: encoded(2) };
  for (const [key, value] of Object.entries(wanted))
    expect([key, records.get(key)?.value]).toEqual([key, value]);
}, 180_000);

test("every partition holds something afterwards, so that it is believed, also without anything in the backup", async () => {
  await restored([]);
  const admin = connection.kafka.admin();
  for (const topic of [sources.name, suppressions.name]) {
    const bounds = await admin.offsets(topic);
    expect(bounds.map(({ low, high }) => high - low >= 1)).toEqual(new Array(PARTITIONS).fill(true));
  }
  expect(await names()).toEqual({});
}, 180_000);
