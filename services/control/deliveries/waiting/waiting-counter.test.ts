import { afterEach, expect, test } from "@jest/globals";
import { deliveryJobId, SPACE_SOURCE } from "#contract";
import { systemHost } from "#host";
import type { CommittedPlace, RawRecord } from "#kafka";
import { recordedLog } from "#support/recorded-log";
import { type DeliveryJob, topicMap, untriedJob } from "#topics";
import { WaitingCounter } from "./waiting-counter.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });
const [JOBS, RETRIES] = [topics.deliveryJobs.name, topics.deliveryRetries[0]?.name ?? ""];
const MINUTE_MS = 60_000;

let ending: AbortController | undefined;
afterEach(() => ending?.abort());

function job(messageId: string, more: Partial<DeliveryJob> = {}): DeliveryJob {
  const call = { sourceId: "s1", messageId, userId: "u1", anonymousId: null };
  const destinationId = more.destinationId ?? "d1";
  const jobId = deliveryJobId({ ...call, ...more }, destinationId);
  const of = { shard: 0, type: "track" as const, receivedAtMs: 0, replayId: null, body: Buffer.of() };
  return { ...untriedJob({ jobId, destinationId, ...call, ...of }), ...more };
}

/** Topics of one partition each, as a deliverer leaves them. */
function kafka({ maxRecords }: { maxRecords?: number } = {}) {
  const logs = new Map<string, (DeliveryJob | "no job")[]>([JOBS, RETRIES].map((name) => [name, []]));
  const committed = new Map<string, CommittedPlace>();
  const reads: [topic: string, from: number, to: number][] = [];
  const begun = Promise.withResolvers<void>();
  let held = Promise.resolve();
  ending = new AbortController();
  const counter = new WaitingCounter({
    kafka: {
      async readRange({ fromOffset, onRecord, partition, toOffset, topic }) {
        begun.resolve();
        await held;
        reads.push([topic, fromOffset, toOffset]);
        for (let offset = fromOffset; offset < toOffset; offset += 1) {
          const value = Buffer.from(`${topic} ${offset}`);
          await onRecord({ topic, partition, offset, key: "", value, timestampMs: 0 } as RawRecord);
        }
      },
    },
    admin: {
      offsets: async (topic) => [{ partition: 0, low: 0, high: logs.get(topic)?.length ?? 0 }],
      committedPlaces: async (_group, topic) => {
        const place = committed.get(topic);
        return new Map(place === undefined ? [] : [[0, place]]);
      },
      partitionCount: async () => 1,
    },
    serde: {
      decode: () => undefined as never,
      decodeFields: () => (bytes: Buffer | null) => {
        const [topic = "", offset] = String(bytes).split(" ");
        const found = logs.get(topic)?.[Number(offset)];
        if (found === undefined || found === "no job")
          throw Object.assign(new Error("poison"), { canRetry: false });
        return found as never;
      },
    },
    topics,
    groupId: "deliverer",
    deadLetterEnds: async () => [3],
    host: systemHost,
    logger: recordedLog().logger,
    signal: ending.signal,
    ...(maxRecords !== undefined && { maxRecords }),
  });
  return {
    counter,
    reads,
    write: (topic: string, ...jobs: (DeliveryJob | "no job")[]) => void logs.get(topic)?.push(...jobs),
    commit: (topic: string, offset: number, done: readonly number[] = []) =>
      void committed.set(topic, { offset, isDone: (record) => done.includes(record.offset) }),
    /** Keeps reading until it may go on. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return { begun: begun.promise, goOn: resolve };
    },
    lose: (topic: string) => void logs.set(topic, []),
  };
}

const group = (calls: number, more: object = {}) => ({
  ...{ sourceId: "s1", destinationId: "d1", type: "track", minuteMs: 0, calls },
  ...more,
});

test("calls wait from when they are sent until a deliverer has committed their end, by minute, type, source and destination", async () => {
  const { commit, counter, write } = kafka();
  write(
    JOBS,
    job("m1"),
    job("m2"),
    job("m3", { receivedAtMs: 2 * MINUTE_MS + 1 }),
    job("m4", { type: "page" }),
  );
  write(JOBS, job("m5", { destinationId: "d2" }), job("m6"), "no job");
  expect(await counter.count()).toEqual({
    counts: [
      group(3),
      group(1, { minuteMs: 2 * MINUTE_MS }),
      group(1, { type: "page" }),
      group(1, { destinationId: "d2" }),
    ],
    deadLetterEnds: [3],
  });
  commit(JOBS, 1, [4]);
  expect((await counter.count())?.counts).toEqual([
    group(2),
    group(1, { minuteMs: 2 * MINUTE_MS }),
    group(1, { type: "page" }),
  ]);
  commit(JOBS, 7);
  expect((await counter.count())?.counts).toEqual([]);
});

test("calls whose commits are lost wait again", async () => {
  const { commit, counter, reads, write } = kafka();
  write(JOBS, job("m1"), job("m2"), job("m3"), job("m4"));
  commit(JOBS, 3);
  expect((await counter.count())?.counts).toEqual([group(1)]);
  commit(JOBS, 1);
  expect((await counter.count())?.counts).toEqual([group(3)]);
  write(JOBS, job("m5"));
  commit(JOBS, 2);
  expect((await counter.count())?.counts).toEqual([group(3)]);
  expect(reads).toEqual([
    [JOBS, 3, 4],
    [JOBS, 1, 4],
    [JOBS, 4, 5],
  ]);
});

test("a call that stands in two topics, or twice in one after a crash, waits once", async () => {
  const { commit, counter, write } = kafka();
  write(JOBS, job("m1"), job("m2"));
  write(RETRIES, job("m1", { attempts: 1 }), job("m1", { attempts: 1 }));
  expect((await counter.count())?.counts).toEqual([group(2)]);
  commit(JOBS, 2);
  expect((await counter.count())?.counts).toEqual([group(1)]);
});

test("a call that a webhook has taken does not wait, though another webhook is still to be asked; nor do replays and what a connection gives", async () => {
  const { counter, write } = kafka();
  const given = { sourceId: SPACE_SOURCE, jobId: "given" };
  write(
    JOBS,
    job("m1"),
    job("m2", { replayId: "r1" }),
    job("m3", given),
    job("m4", { sourceId: SPACE_SOURCE }),
  );
  write(RETRIES, job("m1", { unaskedUrls: ["https://b"] }));
  expect((await counter.count())?.counts).toEqual([group(1, { sourceId: SPACE_SOURCE })]);
});

test("each record is read once, and a log that was cut again", async () => {
  const { commit, counter, lose, reads, write } = kafka();
  write(RETRIES, ...Array.from({ length: 3_000 }, (_, at) => job(`m${at}`)));
  expect((await counter.count())?.counts).toEqual([group(3_000)]);
  commit(RETRIES, 2_500);
  write(RETRIES, job("last"));
  expect((await counter.count())?.counts).toEqual([group(501)]);
  expect((await counter.count())?.counts).toEqual([group(501)]);
  expect(reads).toEqual([
    [RETRIES, 0, 3_000],
    [RETRIES, 3_000, 3_001],
  ]);
  lose(RETRIES);
  commit(RETRIES, 0);
  write(RETRIES, job("new"));
  expect((await counter.count())?.counts).toEqual([group(1)]);
});

test("where too much waits nothing is known", async () => {
  const { counter, reads, write } = kafka({ maxRecords: 10 });
  write(JOBS, ...Array.from({ length: 10 }, (_, at) => job(`m${at}`)));
  expect((await counter.count())?.counts).toEqual([group(10)]);
  write(RETRIES, job("m11"));
  expect(await counter.count()).toBeUndefined();
  const before = reads.length;
  expect(await counter.count()).toBeUndefined();
  expect(reads).toHaveLength(before);
});

test("who asks while others are answered gets what waits after the question", async () => {
  const { counter, hold, write } = kafka();
  write(JOBS, job("m1"));
  const reading = hold();
  const first = counter.count();
  await reading.begun;
  write(JOBS, job("m2"));
  const later = [counter.count(), counter.count()];
  reading.goOn();
  expect(await first).toMatchObject({ counts: [{ calls: 1 }] });
  for (const each of later) expect(await each).toMatchObject({ counts: [{ calls: 2 }] });
});
