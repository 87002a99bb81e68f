import { afterEach, describe, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { KafkaError } from "../errors.ts";
import { fetch, settleAll, startReader, stopReaders } from "../fixtures/reader-bench.ts";
import { record } from "../fixtures/stub-session.ts";
import type { TopicPartition } from "../types.ts";
import { NO_ASSIGNMENT } from "./assigner-protocol.ts";

const passing = new KafkaError("unavailable", "broker away", { canRetry: true });
const final = new KafkaError("not_authorized", "who are you", { canRetry: false });

afterEach(stopReaders);

function soon<T>(condition: () => T, what: string): Promise<unknown> {
  return until(condition, { timeoutMs: 30_000, what, pollMs: 2 });
}

/** Lets the event loop turn until everything that is ready has run. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** A reader that has stepped the first record of its partition. */
async function working(options: Parameters<typeof startReader>[0] = {}) {
  const bench = startReader(options);
  bench.session().join([0]);
  await bench.started;
  fetch(bench, 0, 0, 1);
  await soon(() => bench.stepped.length === 1, "the step");
  const ownership = bench.reader.ownership({ topic: "t", partition: 0 });
  expect(ownership.isOurs).toBe(true);
  return { bench, ownership };
}

/** A reader whose session has these partitions. */
async function joined(...given: Parameters<ReturnType<ReturnType<typeof startReader>["session"]>["join"]>) {
  const bench = startReader();
  bench.session().join(...given);
  await bench.started;
  return bench;
}

/** A reader that has stepped the first records of its partition. */
async function stepping(records: number, memberId?: string) {
  const bench = await joined([0], memberId);
  fetch(bench, 0, 0, records);
  await soon(() => bench.stepped.length === records, "the steps");
  return bench;
}

describe("group reader", () => {
  test("starting resolves when the group has been joined", async () => {
    const bench = await joined([0, 1]);
    expect(bench.reader.assigned).toEqual([
      { topic: "t", partition: 0 },
      { topic: "t", partition: 1 },
    ]);
  });

  test("the group's leader is told at each join which partitions this member had last, and of which generation", () => {
    const bench = startReader();
    const { assigner } = bench.session().options;
    const told = (): unknown => JSON.parse(assigner.userData().toString());
    expect(told()).toEqual({ ...NO_ASSIGNMENT, busy: [] });
    const beforeMs = Date.now();
    bench.session().join([0, 2]);
    const last = told() as typeof NO_ASSIGNMENT;
    expect(last).toMatchObject({ partitions: [0, 2], generation: 1 });
    expect(last.assignedAtMs).toBeGreaterThanOrEqual(beforeMs);
  });

  test("nothing is stepped before the owner of new partitions is ready", async () => {
    const ready = Promise.withResolvers<void>();
    const bench = startReader({ onAssigned: () => ready.promise });
    bench.session().join([0]);
    fetch(bench, 0, 0, 2);
    expect(bench.stepped).toEqual([]);
    ready.resolve();
    await soon(() => bench.stepped.length === 2, "the steps");
  });

  test("a batch of which nothing is left steps nothing", async () => {
    const bench = startReader();
    bench.session().join([0]);
    await bench.session().arrive([]);
    fetch(bench, 0, 0, 1);
    await soon(() => bench.stepped.length === 1, "the step");
  });

  test("an owner that fails to get ready is asked again", async () => {
    let asked = 0;
    const onAssigned = async (): Promise<void> => {
      asked += 1;
      if (asked === 1) throw new Error("store locked");
    };
    const bench = startReader({ onAssigned });
    bench.session().join([0]);
    fetch(bench, 0, 0, 1);
    await soon(() => bench.stepped.length === 1, "the step");
    expect(asked).toBe(2);
  });

  test("a partition that went and came back is not opened by what made it ready before it went", async () => {
    const ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    const bench = startReader({
      onAssigned: async ({ length }) => (length === 0 ? undefined : await ready[asked++]?.promise),
    });
    bench.session().join([0]);
    bench.session().join([]);
    bench.session().join([0]);
    fetch(bench, 0, 0, 1);
    ready[0]?.resolve();
    await manyTurns();
    expect(bench.stepped).toEqual([]);
    ready[1]?.resolve();
    await soon(() => bench.stepped.length === 1, "the step");
  });

  test("that holds also for one of which something is outstanding over all of it", async () => {
    const ready = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let asked = 0;
    const bench = startReader({
      onAssigned: async ({ length }) => (length === 0 ? undefined : await ready[asked++]?.promise),
    });
    bench.session().join([0]);
    ready[0]?.resolve();
    fetch(bench, 0, 0, 1);
    await soon(() => bench.stepped.length === 1, "the step");
    bench.session().join([]);
    bench.session().join([0]);
    bench.session().join([]);
    bench.session().join([0]);
    fetch(bench, 0, 0, 2);
    ready[1]?.resolve();
    await manyTurns();
    expect(bench.stepped).toEqual(["0-0"]);
    ready[2]?.resolve();
    await soon(() => bench.stepped.length === 2, "the second step");
  });

  test("a partition that takes long to open holds no other back", async () => {
    const slow = Promise.withResolvers<void>();
    const opened: number[] = [];
    const openPartition = async ({ partition }: TopicPartition): Promise<void> => {
      opened.push(partition);
      if (partition === 0) await slow.promise;
    };
    const bench = startReader({ openPartition });
    bench.session().join([0, 1]);
    fetch(bench, 0, 0, 1);
    fetch(bench, 1, 0, 1);
    await soon(() => bench.stepped.length === 1, "the step of the other");
    expect(bench.stepped).toEqual(["1-0"]);
    slow.resolve();
    await soon(() => bench.stepped.length === 2, "the step of the slow one");
    expect(opened).toEqual([0, 1]);
  });

  test("a partition that cannot be opened is tried again by itself, until it is lost", async () => {
    const asked = [0, 0];
    const bench = startReader({
      async openPartition({ partition }) {
        asked[partition] = (asked[partition] ?? 0) + 1;
        if (partition === 0) throw new Error("disk away");
      },
    });
    bench.session().join([0, 1]);
    await soon(() => (asked[0] ?? 0) >= 2, "another try");
    expect(asked[1]).toBe(1);
    bench.session().join([1]);
    const tries = asked[0];
    await bench.reader.stop(0);
    expect(asked).toEqual([tries, 1]);
  });

  test("a reader that stops opens nothing any more", async () => {
    const ready = Promise.withResolvers<void>();
    const bench = startReader({ onAssigned: () => ready.promise });
    bench.session().join([0]);
    fetch(bench, 0, 0, 1);
    const stopped = bench.reader.stop(0);
    ready.resolve();
    await stopped;
    await manyTurns();
    expect(bench.stepped).toEqual([]);
  });

  test("only new partitions are announced, and only lost ones revoked", async () => {
    const assigned: TopicPartition[][] = [];
    const revoked: TopicPartition[][] = [];
    const bench = startReader({
      onAssigned: async (partitions) => void assigned.push([...partitions]),
      onRevoked: (partitions) => void revoked.push([...partitions]),
    });
    bench.session().join([0, 1]);
    bench.session().join([1, 2]);
    const numbers = (all: TopicPartition[][]): number[][] =>
      all.map((some) => some.map(({ partition }) => partition));
    expect(numbers(assigned)).toEqual([[0, 1], [2]]);
    expect(numbers(revoked)).toEqual([[0]]);
  });

  test("after a rebalance a kept partition goes on at its own place, not at the last commit (fact 7)", async () => {
    const bench = await joined([0]);
    fetch(bench, 0, 0, 5);
    bench.session().join([0]);
    expect(bench.session().seeks).toEqual([{ topic: "t", partition: 0, offset: 5 }]);
  });

  test("a new member identity goes on at the last commit, because others may have read meanwhile", async () => {
    const bench = await joined([0], "first");
    fetch(bench, 0, 0, 5);
    bench.session().join([0], "second");
    expect(bench.session().seeks).toEqual([]);
    fetch(bench, 0, 2, 6);
    await soon(() => bench.stepped.length === 6, "the new step");
    expect(bench.stepped).toEqual(["0-0", "0-1", "0-2", "0-3", "0-4", "0-5"]);
  });

  test("a new member identity has lost all that the old one had: it is opened again", async () => {
    const told: string[] = [];
    const bench = startReader({
      onAssigned: async (partitions) => void told.push(`got ${partitions.length}`),
      onRevoked: (partitions) => void told.push(`lost ${partitions.length}`),
    });
    bench.session().join([0, 1], "first");
    await bench.started;
    fetch(bench, 0, 0, 1);
    await soon(() => bench.stepped.length === 1, "the step");
    const ownership = bench.reader.ownership({ topic: "t", partition: 0 });
    expect(ownership.isOurs).toBe(true);
    bench.session().join([0], "second");
    expect(told).toEqual(["got 2", "lost 2", "got 1"]);
    expect(ownership.isOurs).toBe(false);
    expect(bench.reader.ownership({ topic: "t", partition: 0 }).isOurs).toBe(true);
    expect(bench.reader.ownership({ topic: "t", partition: 1 }).isOurs).toBe(false);
  });

  test("a member that is not answered for one and a half session timeouts works on nothing, until it is answered", async () => {
    const { bench, ownership } = await working({ sessionTimeoutMs: 200 });
    await soon(() => !ownership.isOurs, "the doubt");
    fetch(bench, 0, 1, 2);
    expect(bench.stepped).toEqual(["0-0"]);
    bench.session().handlers.onAnswered(Date.now());
    expect(ownership.isOurs).toBe(true);
    await soon(() => bench.stepped.length === 2, "the second step");
  });

  test("a consumer that begins again has left its group: a member that must be sure works on nothing until it is in again", async () => {
    const { bench, ownership } = await working({ unsureAfterSessions: 1 });
    bench.session().handlers.onCrash(passing);
    await soon(() => bench.session().isStopped || bench.sessions.length === 2, "the end of the session");
    expect(ownership.isOurs).toBe(false);
    await soon(() => bench.sessions.length === 2, "another session");
    bench.session().join([0]);
    expect(bench.reader.ownership({ topic: "t", partition: 0 }).isOurs).toBe(true);
  });

  test("a reader that stops begins nothing any more", async () => {
    const { bench, ownership } = await working();
    const stopped = bench.reader.stop(5_000);
    expect(ownership.isOurs).toBe(false);
    settleAll(bench);
    await stopped;
  });

  test("what is done is committed when the group rebalances, before anything moves", async () => {
    const bench = await stepping(5);
    settleAll(bench);
    void bench.session().handlers.onRebalancing();
    expect(bench.session().commits).toMatchObject([[{ topic: "t", partition: 0, offset: 5 }]]);
  });

  test("what is done is committed once a second, up to the oldest record that is not done", async () => {
    const bench = await stepping(5);
    for (const key of ["0-0", "0-1", "0-3"]) bench.open.get(key)?.({ produce: [] });
    await soon(() => bench.session().commits.length > 0, "a commit");
    expect(bench.session().commits).toMatchObject([[{ topic: "t", partition: 0, offset: 2 }]]);
  });

  test("a partition that is no longer owned is never committed (fact 7)", async () => {
    const bench = await joined([0, 1]);
    fetch(bench, 0, 0, 3);
    fetch(bench, 1, 0, 3);
    await soon(() => bench.stepped.length === 6, "the steps");
    bench.session().join([1]);
    settleAll(bench);
    await bench.reader.stop(1_000);
    const committed = bench.session().commits.flat();
    expect(new Set(committed.map(({ partition }) => partition))).toEqual(new Set([1]));
  });

  test("a record settled after its partition went and came back is not stepped twice", async () => {
    const bench = await stepping(2);
    bench.session().join([]);
    bench.session().join([0]);
    fetch(bench, 0, 0, 3);
    await soon(() => bench.stepped.length === 3, "the new step");
    expect(bench.stepped).toEqual(["0-0", "0-1", "0-2"]);
  });

  test("the position of an assigned partition is the record that waits, or the next to be fetched", async () => {
    const dueAtMs = ({ offset }: { offset: number }) => (offset < 2 ? 0 : Number.POSITIVE_INFINITY);
    const bench = startReader();
    const waiting = startReader({
      work: {
        decode: () => "",
        step: () => undefined,
        deadLetter: () => [],
        write: async () => undefined,
        dueAtMs,
      },
    });
    for (const { session } of [bench, waiting]) session().join([0]);
    expect(bench.reader.position({ topic: "t", partition: 0 })).toBeUndefined();
    for (const each of [bench, waiting]) {
      await each.started;
      fetch(each, 0, 0, 5);
    }
    await soon(() => bench.stepped.length === 5, "the steps");
    expect(bench.reader.position({ topic: "t", partition: 0 })).toBe(5);
    expect(waiting.reader.position({ topic: "t", partition: 0 })).toBe(2);
    expect(waiting.reader.position({ topic: "t", partition: 1 })).toBeUndefined();
  });

  test("the position is unknown while another's reading may have gone on, and once the partition is gone", async () => {
    const bench = await stepping(5, "first");
    const position = (): number | undefined => bench.reader.position({ topic: "t", partition: 0 });
    bench.session().join([0], "second");
    expect(position()).toBeUndefined();
    fetch(bench, 0, 8, 9);
    await soon(() => bench.stepped.length === 6, "the step behind what the other read");
    expect(position()).toBe(9);
    bench.session().join([]);
    expect(position()).toBeUndefined();
  });

  test("a crash that may pass leads to a new session, and pauses are applied again (fact 13)", async () => {
    const bench = startReader({ maxOutstandingRecords: 1 });
    bench.session().join([0], "first");
    await bench.started;
    const large = Array.from({ length: 100 }, (_, i) => ({ ...record(0, i), value: Buffer.alloc(10_000) }));
    void bench.session().arrive(large);
    expect([...bench.session().paused]).toEqual(["t/0"]);
    bench.session().handlers.onCrash(passing);
    await soon(() => bench.sessions.length === 2, "the second session");
    expect(bench.sessions[0]?.isStopped).toBe(true);
    bench.session().join([0], "first");
    expect([...bench.session().paused]).toEqual(["t/0"]);
  });

  test("any other crash is the end: the reader fails and is not started again (fact 13)", async () => {
    const bench = await joined([0]);
    bench.session().handlers.onCrash(final);
    await expect(bench.reader.failed).rejects.toMatchObject({ code: "consumer_dead", canRetry: false });
    expect(bench.sessions).toHaveLength(1);
  });

  test("a crash that the client calls final is tried again a few times, then it is the end (fact 13)", async () => {
    const bench = await joined([0]);
    const odd = new KafkaError("request_failed", "invariant violated", { canRetry: false });
    for (let crash = 1; crash <= 5; crash += 1) {
      await soon(() => bench.sessions.length === crash, `session ${crash}`);
      bench.session().handlers.onCrash(odd);
    }
    await expect(bench.reader.failed).rejects.toMatchObject({ code: "consumer_dead" });
    expect(bench.sessions).toHaveLength(5);
  });

  test("a reader that can never join fails at its start", async () => {
    const bench = startReader();
    bench.session().handlers.onCrash(final);
    await expect(bench.started).rejects.toMatchObject({ code: "consumer_dead" });
  });

  test("a loop that hangs is given up for a new session, and its late batches are ignored", async () => {
    const bench = await joined([0]);
    const [hanging] = bench.sessions;
    if (hanging !== undefined) hanging.lastActiveElapsedMs = Number.NEGATIVE_INFINITY;
    await soon(() => bench.sessions.length === 2, "the second session");
    void hanging?.arrive([record(0, 0)]);
    expect(bench.stepped).toEqual([]);
  });

  test("a member whose commits go on failing joins again; where that does not help a new session follows, as the same member", async () => {
    const bench = await stepping(1, "me");
    settleAll(bench);
    bench.session().failsToCommitWith = passing;
    await soon(() => bench.session().rejoins === 1, "the rejoin");
    expect(bench.sessions).toHaveLength(1);
    await soon(() => bench.sessions.length === 2, "the second session");
    expect(bench.session().options.rejoinAs).toBe("me");
    bench.session().join([0], "me");
    await soon(() => bench.session().commits.length === 1, "the commit");
    expect(bench.session().commits.flat()).toMatchObject([{ topic: "t", partition: 0, offset: 1 }]);
  });

  test("stopping waits for what is outstanding, commits it and leaves", async () => {
    const bench = await stepping(3);
    const session = bench.session();
    const stopped = bench.reader.stop(5_000);
    fetch(bench, 0, 3, 6);
    expect(session.isStopped).toBe(false);
    settleAll(bench);
    await stopped;
    expect(bench.stepped).toHaveLength(3);
    expect(session.commits.flat()).toMatchObject([{ topic: "t", partition: 0, offset: 3 }]);
    expect(session.isStopped).toBe(true);
  });

  test("a reader that has stopped has no partitions, and has told its owner so once", async () => {
    const revoked: TopicPartition[][] = [];
    const bench = startReader({ onRevoked: (partitions) => void revoked.push([...partitions]) });
    bench.session().join([0, 1]);
    await bench.started;
    const partition = { topic: "t", partition: 0 };
    await bench.reader.stop(0);
    expect([bench.reader.assigned, bench.reader.ownership(partition).isOurs]).toEqual([[], false]);
    await bench.reader.stop(0);
    expect(revoked).toEqual([[partition, { topic: "t", partition: 1 }]]);
  });

  test("stopping ends when its grace is over, with what is done committed", async () => {
    const bench = await stepping(3);
    bench.open.get("0-0")?.({ produce: [] });
    const session = bench.session();
    await bench.reader.stop(50);
    expect(session.commits.flat()).toMatchObject([{ topic: "t", partition: 0, offset: 1 }]);
  });

  test.each([
    [1, ["given up", "left"]],
    [0, ["left"]],
  ])("with %i records outstanding stopping ends by: %j", async (outstanding, expected) => {
    const told: string[] = [];
    const bench = startReader({ giveUp: () => void told.push("given up") });
    bench.session().join([0]);
    await bench.started;
    fetch(bench, 0, 0, outstanding);
    await soon(() => bench.stepped.length === outstanding, "the steps");
    const session = bench.session();
    const { stop } = session;
    session.stop = () => {
      told.push("left");
      return stop.call(session);
    };
    await bench.reader.stop(10);
    expect(told).toEqual(expected);
  });
});
