// Two processes of control that edit one thing, on a real Kafka: nothing is written over a version that its writer has not seen.
import { randomBytes } from "node:crypto";
import { afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { createKafka, type Kafka, KafkaError, type TableWriter } from "#kafka";
import type { Serde } from "#serde";
import { useStack } from "#support/stack";
import type { SourceConfig, Topic } from "#topics";
import type { AuditedChange } from "../http/audit/audit.ts";
import { checkIfMatch, entityTag } from "../http/entity-tag.ts";
import { ProblemError } from "../http/problem.ts";
import { createChangeQueue } from "./change-queue.ts";
import { type ConfigStore, createConfigStore } from "./config-store.ts";
import { createEditedStore, type EditedStore } from "./edited-store.ts";

const BY = { token: "ci", requestId: "r1" };
const FIRST = { id: "a", name: "first", version: 1 } as unknown as SourceConfig;
const STACK_STARTS_WITHIN_MS = 300_000;

let brokers: readonly string[];
let kafkas: Kafka[];
let topic: string;
let audited: AuditedChange[];
/** Of those, what the log says was refused then. */
let notMade: AuditedChange[];
/** Runs where an edit has been checked and is not written yet, once: the process stands still for as long. */
let beforeWrite: (() => Promise<void>) | undefined;

beforeAll(async () => {
  ({ brokers } = await useStack());
}, STACK_STARTS_WITHIN_MS);

beforeEach(async () => {
  [kafkas, audited, notMade, beforeWrite] = [[], [], [], undefined];
  topic = `edits-${randomBytes(6).toString("hex")}`;
  const kafka = newKafka();
  const options = { partitions: 1, replicationFactor: 1, minInsyncReplicas: 1 };
  await kafka.admin().ensureTopics([{ name: topic, cleanup: { policy: "compact" } }], options);
});

afterEach(async () => {
  const [first] = kafkas;
  await first?.admin().deleteTopics([topic]);
  for (const kafka of kafkas) await kafka.close();
});

function newKafka(): Kafka {
  const kafka = createKafka({ brokers, clientId: topic, tls: false });
  kafkas.push(kafka);
  return kafka;
}

const SERDE = { encode: (_: unknown, value: object) => Buffer.from(JSON.stringify(value)) } as Serde;

function editedStore(store: ConfigStore<SourceConfig>, writer: TableWriter): EditedStore<SourceConfig> {
  const audit = {
    async record(change: AuditedChange) {
      const wait = beforeWrite;
      beforeWrite = undefined;
      await wait?.();
      audited.push(change);
      return { notMade: async () => void notMade.push(change) };
    },
  };
  const show = (value: SourceConfig) => value;
  return createEditedStore({ store, audit, resourceOf: () => "source", show }, writer);
}

async function control(): Promise<EditedStore<SourceConfig>> {
  const kafka = newKafka();
  const table = kafka.table<SourceConfig>({ topic, decode: ({ value }) => JSON.parse(String(value)) });
  await table.load();
  const named = { name: topic } as Topic<"source-config">;
  const store = createConfigStore({ topic: named, table, producer: kafka.producer(), serde: SERDE });
  return editedStore(store, kafka.tableWriter({ topic, table, timeoutMs: 30_000 }));
}

async function twoControls() {
  const [p, q] = [await control(), await control()];
  await p.replace({ before: undefined, after: FIRST, by: BY });
  await q.refresh();
  audited.length = 0;
  return { p, q, newest: async () => (await control()).get("a")?.name };
}

const edit = (store: EditedStore<SourceConfig>, text: string, ifMatch?: string): Promise<void> =>
  createChangeQueue(systemHost).run(async () => {
    const before = store.get("a");
    checkIfMatch(ifMatch, before ?? {});
    if (before === undefined) throw new Error("it is not there");
    const after = { ...before, name: `${before.name}, ${text}`, version: before.version + 1 };
    await store.replace({ before, after, by: BY });
  });

test("an edit that stood still between its check and its write begins again from what another process wrote meanwhile", async () => {
  const { p, q, newest } = await twoControls();
  beforeWrite = () => edit(q, "by q");
  await edit(p, "by p");
  expect(await newest()).toBe("first, by q, by p");
  const shown = (changes: readonly AuditedChange[]) => changes.map(({ after }) => after);
  const after = ["first, by q", "first, by p", "first, by q, by p"].map((name) => ({ name }));
  expect(shown(audited)).toMatchObject(after);
  expect(shown(notMade)).toMatchObject([{ name: "first, by p" }]);
});

test("with If-Match it is refused then, and changes nothing", async () => {
  const { p, q, newest } = await twoControls();
  const seen = entityTag(p.get("a") ?? {});
  beforeWrite = () => edit(q, "by q", seen);
  await expect(edit(p, "by p", seen)).rejects.toMatchObject({ kind: "precondition_failed" });
  expect(await newest()).toBe("first, by q");
  expect([audited.length, notMade]).toMatchObject([2, [{ after: { name: "first, by p" } }]]);
});

test("processes that edit one thing at once, again and again, lose no edit", async () => {
  const { p, q, newest } = await twoControls();
  const queues = [p, q].map((store) => ({
    store,
    queue: createChangeQueue(systemHost, { turnWithinMs: 30_000 }),
  }));
  const edits = queues.flatMap(({ store, queue }) =>
    Array.from({ length: 10 }, () =>
      queue.run(async () => {
        const before = store.get("a") ?? FIRST;
        await store.replace({ before, after: { ...before, version: before.version + 1 }, by: BY });
      }),
    ),
  );
  await Promise.all(edits);
  expect(await newest()).toBe("first");
  await Promise.all([p.refresh(), q.refresh()]);
  expect([p.get("a")?.version, q.get("a")?.version]).toEqual([21, 21]);
}, 180_000);

test("the audit log has a change before it is written; without it nothing is written", async () => {
  const { p, q, newest } = await twoControls();
  await edit(q, "by q");
  expect(audited).toMatchObject([
    { action: "updated", resourceId: "a", before: { name: "first" }, after: { name: "first, by q" } },
  ]);
  await p.refresh();
  beforeWrite = () => Promise.reject(new Error("Kafka is away"));
  await expect(edit(p, "unseen")).rejects.toThrow("away");
  expect(await newest()).toBe("first, by q");
});

test("an edit that never gets its turn is refused after a while, with nothing written", async () => {
  const store = { get: () => undefined } as unknown as ConfigStore<SourceConfig>;
  const taken = new KafkaError("fenced", "another", { canRetry: false });
  const p = editedStore(store, { take: () => Promise.reject(taken) });
  const refused = createChangeQueue(systemHost, { turnWithinMs: 100 }).run(() =>
    p.replace({ before: undefined, after: FIRST, by: BY }),
  );
  await expect(refused).rejects.toMatchObject({ kind: "unavailable" });
  expect(audited).toEqual([]);
});

test("an edit for which Kafka does not answer before anything is written says that nothing was begun", async () => {
  const store = { get: () => undefined } as unknown as ConfigStore<SourceConfig>;
  const replace = async (error: KafkaError) =>
    await editedStore(store, { take: () => Promise.reject(error) }).replace({
      before: undefined,
      after: FIRST,
      by: BY,
    });
  const slow = new KafkaError("table_timeout", "the mark was not read", { canRetry: true });
  await expect(replace(slow)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("nothing was begun"),
  });
  const lost = new KafkaError("records_lost", "it was emptied", { canRetry: true });
  await expect(replace(lost)).rejects.toBe(lost);
  expect(audited).toEqual([]);
});

test("an entity tag does not depend on the order of fields, and does on everything else", () => {
  expect(entityTag({ a: 1, b: { c: 2, d: [3] } })).toBe(entityTag({ b: { d: [3], c: 2 }, a: 1 }));
  expect(entityTag({ a: [1, 2] })).not.toBe(entityTag({ a: [2, 1] }));
  expect(entityTag({ a: 1 })).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
});

test.each([
  ["none", undefined, true],
  ["any", "*", true],
  ["its own", '"own"', true],
  ["several, one its own", '"x", "own"', true],
  ["another", '"x"', false],
  ["its own, weak", 'W/"own"', false],
])("If-Match with %s", (_, given, passes) => {
  const thing = { id: "a" };
  const check = () => checkIfMatch(given?.replace('"own"', entityTag(thing)), thing);
  if (passes) expect(check).not.toThrow();
  else expect(check).toThrow(ProblemError);
});
