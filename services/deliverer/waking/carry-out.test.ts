// Retry requests from the topic to the calls that they mean, with everything in memory and a clock of the test's.
import { describe, expect, test } from "@jest/globals";
import type { OutgoingRecord } from "#kafka";
import { recordedLog } from "#support/recorded-log";
import { EVERY_CALL, type RetryRequest, topicMap } from "#topics";
import type { DestinationState } from "../destinations.ts";
import { logOf, NOW_MS, partsOf } from "../fixtures/pass.ts";
import { carryOut } from "./carry-out.ts";
import { JobsInHand } from "./jobs-in-hand.ts";
import { RetryRequests } from "./retry-requests.ts";
import { createWaker } from "./waker.ts";

const TOPIC = "retry";
const REQUEST: RetryRequest = {
  id: "r1",
  destinationId: "a",
  askedAtMs: NOW_MS,
  kind: "retry",
  ...EVERY_CALL,
  found: null,
  done: null,
};
const { logger } = recordedLog();

interface Outside {
  /** The offset of the topic's reader; undefined until it has read something. */
  position: number | undefined;
  isAssigned: boolean;
  state: DestinationState | undefined;
  failing: Error | undefined;
  room: number | undefined;
  /** The endpoint has asked for a pause. */
  isPaused?: boolean;
  committed: number | undefined;
  /** Why what is done cannot be written. */
  refusing: Error | undefined;
  /** The time between the look at the partition's end and the reading of it. */
  readMs: number;
}

/** Two jobs of `a` wait, and one of `b`. What is taken is delivered at once. */
function world(
  outside: Partial<Outside> = {},
  options: { readonly requests?: RetryRequests; readonly failedAtMs?: number } = {},
) {
  const now: Outside = {
    position: 0,
    isAssigned: true,
    state: undefined,
    failing: undefined,
    room: 1,
    committed: undefined,
    refusing: undefined,
    readMs: 0,
    ...outside,
  };
  let elapsedMs = 0;
  const waits: { readonly atMs: number; readonly resolve: () => void }[] = [];
  const after = (ms: number, work: () => void) => {
    const wait = { atMs: elapsedMs + ms, resolve: work };
    waits.push(wait);
    return { clear: () => void waits.splice(waits.indexOf(wait), 1) };
  };
  const host = {
    elapsed: () => elapsedMs,
    delay: (ms: number) => new Promise<void>((resolve) => void after(ms, resolve)),
    setTimeout: (work: () => void, ms: number) => after(ms, work),
  };
  const topics = topicMap({ prefix: "", retryDelaysMs: [1] });
  const written: RetryRequest[] = [];
  const acknowledged: RetryRequest[] = [];
  const probes: string[] = [];
  const taken: string[] = [];
  const log = logOf(["a", "b", "a"]);
  const { failedAtMs } = options;
  if (failedAtMs !== undefined)
    for (const [offset, job] of log.jobs) log.jobs.set(offset, { ...job, failedAtMs });
  const jobsInHand = new JobsInHand();
  const requests =
    options.requests ?? new RetryRequests({ topics: [TOPIC], nowMs: () => NOW_MS + elapsedMs });
  const parts = partsOf({
    log,
    host,
    requests,
    jobsInHand,
    position: () => now.position,
    isOurs: () => now.isAssigned,
    room: () => now.room,
    step({ decoded }, settle) {
      const isCopy = taken.includes(decoded.jobId);
      taken.push(decoded.jobId);
      // A copy ends without an outcome of its own (job-in-progress.ts).
      settle(isCopy ? { produce: [] } : { produce: [], onDurable: () => undefined });
    },
  });
  const destination = (id: string) => now.state ?? parts.destination(id);
  const waker = createWaker({
    ...parts,
    destination,
    committed: async () => new Map(now.committed === undefined ? [] : [[0, now.committed]]),
    async offsets(topic) {
      if (now.failing !== undefined) throw now.failing;
      const offsets = await parts.offsets(topic);
      if (now.readMs > 0) await host.delay(now.readMs);
      return offsets;
    },
    logger,
    woken: () => undefined,
  });
  const stopping = new AbortController();
  void carryOut(
    {
      requests,
      host,
      logger,
      destinations: { state: destination },
      queues: {
        askForProbe: (endpoint) => now.isPaused !== true && probes.push(endpoint) > 0,
        room: () => now.room,
      },
      waker,
      runner: {
        get assigned() {
          return now.isAssigned ? [{ topic: TOPIC, partition: 0 }] : [];
        },
      },
      topics: new Set([TOPIC]),
      retryRequests: topics.retryRequests,
      serde: {
        encode(_, value) {
          written.push(value as RetryRequest);
          return Buffer.alloc(0);
        },
      },
      async write(_: readonly OutgoingRecord[]) {
        if (now.refusing === undefined) acknowledged.push(...written.splice(0));
        written.length = 0;
        if (now.refusing !== undefined) throw now.refusing;
      },
    },
    stopping.signal,
  );
  const turns = async () => {
    for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
  };
  const passSeconds = async (seconds: number) => {
    const untilMs = elapsedMs + seconds * 1_000;
    for (;;) {
      await turns();
      const next = waits.toSorted((one, other) => one.atMs - other.atMs)[0];
      if (next === undefined || next.atMs > untilMs) break;
      waits.splice(waits.indexOf(next), 1);
      elapsedMs = next.atMs;
      next.resolve();
    }
    elapsedMs = untilMs;
    await turns();
  };
  return {
    now,
    probes,
    jobsInHand,
    requests,
    taken,
    passSeconds,
    /** The request is observed, and so many seconds pass. */
    async observed(isLive: boolean, seconds: number) {
      requests.observe(REQUEST, isLive);
      await passSeconds(seconds);
    },
    log,
    /** The progress that was written, all together. */
    done: () => ({
      places: acknowledged.flatMap(({ done }) => done?.places ?? []),
      woken: acknowledged.reduce((sum, { done }) => sum + (done?.woken ?? 0), 0),
    }),
  };
}

const PLACE = { topic: TOPIC, partition: 0, partitions: 1 };
const DONE = { places: [PLACE], woken: 2 };

describe("a retry request", () => {
  test("has the calls of its destination taken, and is done when a later look finds no more", async () => {
    const { done, observed, passSeconds, requests, taken } = world();
    await observed(true, 2);
    expect(taken).toEqual(["j0", "j2"]);
    expect(done().places).toEqual([]);
    await passSeconds(6);
    expect(done()).toEqual(DONE);
    expect(requests.isEmpty).toBe(true);
  });

  test("waits for the reader to know where it is", async () => {
    const { done, now, observed, passSeconds, taken } = world({ position: undefined });
    await observed(false, 30);
    expect([taken, done().places]).toEqual([[], []]);
    now.position = 0;
    await passSeconds(8);
    expect(taken).toEqual(["j0", "j2"]);
    expect(done()).toEqual(DONE);
  });

  test("is done in a partition of which nothing is left to fetch", async () => {
    const { done, observed } = world({ position: undefined, committed: 3 });
    await observed(false, 8);
    expect(done()).toEqual({ places: [PLACE], woken: 0 });
  });

  test("waits while Kafka refuses reads", async () => {
    const { done, now, observed, passSeconds, taken } = world({ failing: new Error("away") });
    await observed(true, 60);
    expect(taken).toEqual([]);
    now.failing = undefined;
    await passSeconds(10);
    expect(taken).toEqual(["j0", "j2"]);
    expect(done()).toEqual(DONE);
  });

  test("is said to be done once Kafka takes that, too", async () => {
    const { done, now, observed, passSeconds, requests } = world({ refusing: new Error("away") });
    await observed(true, 30);
    expect([done().places, requests.isEmpty]).toEqual([[], false]);
    now.refusing = undefined;
    await passSeconds(3);
    expect(done()).toEqual(DONE);
    expect(requests.isEmpty).toBe(true);
  });

  test("has a call taken that others put off before they heard of it, however long a pass takes to come to it", async () => {
    const { log, now, observed, passSeconds, taken } = world();
    await observed(true, 1.2);
    now.readMs = 1_800;
    await passSeconds(0.4);
    const late = logOf(["b", "b", "b", "a"]);
    const job = late.jobs.get(3);
    if (job !== undefined) log.jobs.set(3, job);
    log.records.push(...late.records.slice(3));
    await passSeconds(12);
    expect(taken).toEqual(["j0", "j2", "j3"]);
  });

  test("has a call taken that had failed before, however long this process takes to put it off", async () => {
    const { done, jobsInHand, log, observed, passSeconds, taken } = world();
    const late = logOf(["b", "b", "b", "a"]);
    const [failed, record] = [late.jobs.get(3), late.records[3]];
    if (failed === undefined || record === undefined) throw new Error("no fourth job");
    const ends: (() => void)[] = [];
    const step = jobsInHand.following((_, settle) => settle({ produce: [], onDurable: () => undefined }));
    const claim = { isOurs: true, giveBack: () => undefined };
    step({ ...record, decoded: failed }, ({ onDurable }) => ends.push(() => onDurable?.()), claim);
    await observed(true, 30);
    expect([taken, done().places]).toEqual([["j0", "j2"], []]);
    log.jobs.set(3, failed);
    log.records.push(record);
    for (const end of ends) end();
    await passSeconds(8);
    expect(taken).toEqual(["j0", "j2", "j3"]);
    expect(done()).toEqual({ ...DONE, woken: 3 });
  });

  test("waits for a partition", async () => {
    const { now, observed, passSeconds, taken } = world({ isAssigned: false, position: undefined });
    await observed(true, 60);
    Object.assign(now, { isAssigned: true, position: 0 });
    await passSeconds(3);
    expect(taken).toEqual(["j0", "j2"]);
  });

  test("waits for the end of a pause", async () => {
    const { now, observed, passSeconds, taken } = world({
      state: { kind: "paused", sinceMs: 0, limitMs: undefined },
    });
    await observed(true, 60);
    expect(taken).toEqual([]);
    now.state = undefined;
    await passSeconds(3);
    expect(taken).toEqual(["j0", "j2"]);
  });

  test("goes on in a process that has no room for longer than a pass lasts", async () => {
    const { now, observed, passSeconds, taken } = world({ room: 0 });
    await observed(true, 25);
    expect(taken).toEqual([]);
    now.room = 1;
    await passSeconds(3);
    expect(taken).toEqual(["j0", "j2"]);
  });

  test("asks an endpoint that is taken for down once, and waits until it takes calls", async () => {
    const { now, observed, passSeconds, probes, taken } = world({ room: undefined });
    await observed(true, 60);
    expect([probes.length, taken]).toEqual([1, []]);
    now.room = 1;
    await passSeconds(3);
    expect(taken).toEqual(["j0", "j2"]);
  });

  test("asks an endpoint that has asked for a pause when that is over", async () => {
    const { now, observed, passSeconds, probes } = world({ room: undefined, isPaused: true });
    await observed(true, 60);
    expect(probes.length).toBe(0);
    now.isPaused = false;
    await passSeconds(60);
    expect(probes.length).toBe(1);
  });

  test("means only the calls that it names", async () => {
    const { done, log, passSeconds, requests, taken } = world();
    const last = log.jobs.get(2);
    if (last !== undefined) log.jobs.set(2, { ...last, messageId: "m2" });
    requests.observe({ ...REQUEST, messageIds: ["m2"] }, true);
    await passSeconds(8);
    expect(taken).toEqual(["j2"]);
    expect(done()).toEqual({ ...DONE, woken: 1 });
  });

  test("counts a call once that two records bring, as after a kill between a write and its commit", async () => {
    const { done, log, observed } = world();
    const first = log.jobs.get(0);
    if (first !== undefined) log.jobs.set(2, first);
    await observed(true, 8);
    expect(done()).toEqual({ ...DONE, woken: 1 });
  });

  test("is not carried out where it was, by whomever", async () => {
    const { passSeconds, requests, taken } = world();
    requests.observe(REQUEST, false);
    requests.observe({ ...REQUEST, done: { places: [PLACE], woken: 2 } }, false);
    await passSeconds(8);
    expect(taken).toEqual([]);
    expect(requests.isEmpty).toBe(true);
  });

  test("is forgotten when no call can be there any more that waited then", async () => {
    const { passSeconds, requests, taken } = world();
    requests.observe({ ...REQUEST, askedAtMs: NOW_MS - 73 * 3_600_000 }, false);
    await passSeconds(8);
    expect([taken, requests.isEmpty]).toEqual([[], true]);
  });
});

describe("the deletion of a destination", () => {
  const DELETED = { ...REQUEST, kind: "deleted" };

  test("has its calls taken, whenever they failed and whatever they become", async () => {
    const failedAtMs = NOW_MS + 1_000;
    const { done, passSeconds, requests, taken } = world({ state: { kind: "gone" } }, { failedAtMs });
    requests.observe(DELETED, true);
    await passSeconds(8);
    expect(taken).toEqual(["j0", "j2"]);
    expect(done()).toEqual(DONE);
  });

  test("is done once the destination is gone, though what else was asked of it is carried out before", async () => {
    const { done, now, passSeconds, requests } = world({ state: undefined });
    requests.observe(REQUEST, true);
    requests.observe({ ...DELETED, id: "r2" }, true);
    await passSeconds(10);
    expect(done().places).toEqual([PLACE]);
    now.state = { kind: "gone" };
    await passSeconds(10);
    expect(done().places).toEqual([PLACE, PLACE]);
  });

  test("means nothing while the destination is there", async () => {
    const { passSeconds, requests, taken } = world();
    requests.observe(DELETED, true);
    await passSeconds(8);
    expect(taken).toEqual([]);
  });
});

test("a retry request of a destination that is gone means nothing", async () => {
  const { observed, taken } = world({ state: { kind: "gone" } });
  await observed(true, 8);
  expect(taken).toEqual([]);
});
