// Recorded calls in threads, on real Kafka: what routers write is written by the test.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";
import { provision } from "#support/provision";
import { routedCall } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { openWire } from "#support/wire";
import { openTopics, type TopicClient } from "../fixtures/deliveries.ts";

const CALLS = 40;
const MINUTE_MS = 60_000;
const FROM_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;

let control: ControlService;
let topics: TopicClient;
let sourceId: string;
const folder = scratchFolder();

/** Starts the next process on the same topics and folder. */
async function restart(threads: number): Promise<void> {
  const { keys, prefix } = control;
  await control.stop();
  control = await start(threads, { keys, prefix });
}

function start(threads: number, more: object = {}): Promise<ControlService> {
  const settings = { HOOKLINE_DATA_DIR: folder, HOOKLINE_INDEX_THREADS: `${threads}` };
  return startControl({ ...more, settings });
}

const files = (): string[] =>
  readdirSync(join(folder, "control", control.topics.deadLetters.name)).filter((name) =>
    name.endsWith(".sqlite"),
  );

async function untilIndexed(): Promise<void> {
  const sinceMs = Date.now();
  const path = `/v1/sources/${sourceId}/calls`;
  await until(
    async () => Date.parse((await control.ask(path)).body.indexedUntil ?? "1970-01-01") >= sinceMs,
    {
      timeoutMs: 30_000,
      what: "recorded calls to be indexed",
    },
  );
}

/** Each source is the key of a partition. */
async function write(sources: readonly string[], from: number, count: number): Promise<void> {
  const calls = sources.flatMap((source, of) =>
    Array.from({ length: count }, (_, at) =>
      routedCall({
        ...{
          sourceId: source,
          messageId: `m${from + at}`,
          offset: 1_000 * of + from + at,
          destinationIds: ["dst_gone"],
        },
        ...{ partition: 0, receivedAtMs: FROM_MS + (from + at) * 1_000 },
      }),
    ),
  );
  await topics.write(control.topics.routedCalls, calls);
}

async function listed(): Promise<string[]> {
  const ids: string[] = [];
  for (let after = ""; ; ) {
    const { body } = await control.ask(`/v1/sources/${sourceId}/calls?limit=15${after}`);
    ids.push(...body.data.map(({ messageId }: { messageId: string }) => messageId));
    if (body.next === null) return ids;
    after = `&after=${body.next}`;
  }
}

const newestFirst = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `m${count - 1 - at}`);

async function accepted(): Promise<unknown> {
  const range = `from=${new Date(FROM_MS).toISOString()}&step=minute`;
  const { body } = await control.ask(`/v1/stats?${range}`);
  return body.total.accepted;
}

beforeAll(async () => {
  control = await start(2);
  topics = await openTopics(control);
  sourceId = (await control.ask("/v1/sources", { body: { name: "Web" } })).body.id;
  // Of other partitions, and so of the other thread too.
  await write([sourceId, "s1", "s2", "s3", "s4", "s5"], 0, CALLS);
  await untilIndexed();
}, 180_000);

afterAll(async () => {
  await topics?.close();
  await control?.stop();
});

test("a thread that cannot go on ends the process", async () => {
  const { keys, prefix, topics: own } = control;
  const other = scratchFolder();
  // A folder where its file is to be.
  mkdirSync(join(other, "control", own.deadLetters.name, "index.calls-1-of-2.sqlite"), { recursive: true });
  const settings = { HOOKLINE_DATA_DIR: other, HOOKLINE_INDEX_THREADS: "2" };
  const run = async (): Promise<void> => {
    const { logs, stop } = await startControl({ keys, prefix, settings });
    const hasFailed = () => logs.some((line) => line.includes("service cannot go on"));
    await until(hasFailed, { timeoutMs: 30_000, what: "the end of the process" });
    await stop();
  };
  await expect(run()).rejects.toThrow(/ended with 1|unable to open database file/);
});

describe("with two threads", () => {
  test("calls are listed, counted and followed, each thread having its partitions", async () => {
    expect(files().toSorted()).toEqual([
      "index.calls-0-of-2.sqlite",
      "index.calls-1-of-2.sqlite",
      "index.sqlite",
    ]);
    expect(await listed()).toEqual(newestFirst(CALLS));
    expect((await control.ask(`/v1/sources/${sourceId}/calls`)).body.total).toBe(CALLS);
    expect(await accepted()).toBe(6 * CALLS);
    const { body, status } = await control.ask(`/v1/calls/m7?sourceId=${sourceId}`);
    expect([status, body.messageId]).toEqual([200, "m7"]);
    // Known from its calls alone.
    expect((await control.ask("/v1/destinations/dst_gone/attempts")).status).toBe(200);
    expect((await control.ask("/v1/destinations/dst_none/attempts")).status).toBe(404);
    expect((await control.ask("/v1/info")).body.recorded.calls.newest).toBe(
      new Date(FROM_MS + (CALLS - 1) * 1_000).toISOString(),
    );
    const metrics = await control.metrics();
    const untilS = /control_indexed_until_timestamp_seconds\{topic="routedCalls"\} (\S+)/.exec(metrics)?.[1];
    expect(Number(untilS)).toBeGreaterThan(Date.now() / 1_000 - 60);
  });

  test("the next process goes on where the threads were; another number builds all again, and nothing counts twice", async () => {
    let calls = CALLS;
    for (const threads of [2, 0, 2, 3]) {
      await restart(threads);
      await write([sourceId], calls, 5);
      calls += 5;
      await untilIndexed();
      expect(await listed()).toEqual(newestFirst(calls));
      expect(await accepted()).toBe(5 * CALLS + calls);
      expect(files()).toHaveLength(threads + 1);
      const isBuiltAgain = control.logs.some((line) => line.includes("built again"));
      expect(isBuiltAgain).toBe(calls > CALLS + 5);
    }
  }, 180_000);

  test("an index of which one thread finds its topic created again is built again whole", async () => {
    const { keys, prefix, stack, topics: own } = control;
    await control.stop();
    const wire = openWire(stack, []);
    const { name } = own.routedCalls;
    const admin = wire.kafka.admin();
    await admin.deleteTopics([name]);
    // Brokers hear of it a moment later: until then it would be taken for one that is there.
    const isGone = () =>
      admin.partitionCount(name).then(
        () => false,
        () => true,
      );
    await until(isGone, { timeoutMs: 30_000, what: "the end of the topic" });
    await wire.close();
    await provision(stack, { prefix, retryDelaysMs: [1_000] });
    control = await start(3, { keys, prefix });
    await write([sourceId, "s1", "s2"], 0, 2);
    await until(async () => JSON.stringify(await accepted()) === "6", {
      timeoutMs: 60_000,
      what: "the index to have what the topic has",
    });
    expect(await listed()).toEqual(newestFirst(2));
    expect(control.logs.some((line) => line.includes("was created again"))).toBe(true);
  }, 180_000);
});
