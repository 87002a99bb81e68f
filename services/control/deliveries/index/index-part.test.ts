import { closeSync, cpSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "@jest/globals";
import { attempt, auditEntry, DETAILS, deadLetter, routedCall, START_MS, total } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import { INDEX_FILES } from "./database.ts";
import { DeliveryIndex } from "./delivery-index.ts";
import { readInto, sweep } from "./fixtures/reading.ts";
import { rowCounts } from "./fixtures/row-counts.ts";
import { IndexPart } from "./index-part.ts";
import type { Indexed, IndexedRecords } from "./indexed.ts";
import { SCHEMA_VERSION } from "./schema.ts";

const DAY_MS = 86_400_000;
const opened = new Map<IndexPart, string>();

afterEach(() => {
  for (const index of opened.keys()) index.close();
  const folders = new Set(opened.values());
  opened.clear();
  for (const folder of folders) {
    const { said, there } = rowCounts(folder);
    expect(said).toEqual(there);
  }
});

function open(folder: string = scratchFolder(), nowMs: number = START_MS) {
  const discarded: string[] = [];
  const index = new IndexPart({
    folder,
    nowMs: () => nowMs,
    onDiscarded: (why) => void discarded.push(why),
  });
  opened.set(index, folder);
  function read<K extends Indexed>(kind: K, records: readonly IndexedRecords[K][], partition = 0): void {
    readInto(index, kind, records, partition);
  }
  return { asked: new DeliveryIndex(index), discarded, folder, index, read };
}

const ALL = { limit: 100 };

test("it says from when to when it has rows, of all partitions", () => {
  const { index, read } = open();
  expect(index.spans()).toEqual({});
  const at = (second: number) => START_MS + second * 1_000;
  read("attempts", [attempt({ startedAtMs: at(2) }), attempt({ sequence: 2, startedAtMs: at(3) })]);
  read("attempts", [attempt({ startedAtMs: at(1) })], 1);
  read("totals", [total({ minuteMs: at(60) }), total({ sequence: 2, minuteMs: at(0) })]);
  expect(index.spans()).toEqual({
    attempts: { oldestMs: at(1), newestMs: at(3) },
    totals: { oldestMs: at(0), newestMs: at(60) },
  });
});

describe("a list", () => {
  test("is newest first, also where records came late or from other partitions", () => {
    const { index, read } = open();
    const at = (second: number) =>
      attempt({ sequence: second + 1, messageId: `m${second}`, startedAtMs: START_MS + second });
    read("attempts", [at(1), at(3), at(4)]);
    read("attempts", [at(0), at(2)], 1);
    const listed = index.listAttempts({ destinationId: "d1" }, ALL);
    expect(listed.map(({ messageId }) => messageId)).toEqual(["m4", "m3", "m2", "m1", "m0"]);
  });

  test("goes on behind an entry although newer ones have come", () => {
    const { index, read } = open();
    const at = (sequence: number) => attempt({ sequence, messageId: `m${sequence}` });
    // All at the same time: their places decide.
    read("attempts", [at(1), at(2), at(3), at(4)]);
    const first = index.listAttempts({ destinationId: "d1" }, { limit: 2 });
    read("attempts", [at(5)]);
    const last = first.at(-1);
    const behind = { atMs: last?.startedAtMs ?? 0, place: last?.place ?? 0 };
    const second = index.listAttempts({ destinationId: "d1" }, { limit: 2, behind });
    expect([...first, ...second].map(({ messageId }) => messageId)).toEqual(["m4", "m3", "m2", "m1"]);
  });

  test("of attempts gives what was recorded, by destination, outcome, message and time", () => {
    const { index, read } = open();
    const records = [
      attempt({ sequence: 1, replayId: "rpl_1", suppressed: 3, ...DETAILS }),
      attempt({ sequence: 2, outcome: "success", status: 204, retryable: false, messageId: "m2" }),
      attempt({ sequence: 3, outcome: "timeout", status: null, startedAtMs: START_MS + 10 }),
      attempt({ sequence: 4, destinationId: "d2" }),
    ];
    read("attempts", records);
    const numbers = (filter: object) =>
      index.listAttempts({ destinationId: "d1", ...filter }, ALL).map(({ place }) => place + 1);
    expect(numbers({})).toEqual([3, 2, 1]);
    expect(numbers({ hasFailed: true })).toEqual([3, 1]);
    expect(numbers({ messageId: "m2" })).toEqual([2]);
    expect(numbers({ fromMs: START_MS + 1 })).toEqual([3]);
    expect(numbers({ toMs: START_MS + 10 })).toEqual([2, 1]);
    expect(numbers({ destinationId: "d3" })).toEqual([]);
    const [listed] = index.listAttempts({ destinationId: "d1" }, ALL).slice(-1);
    const { writer: _writer, sequence: _sequence, ...recorded } = records[0] ?? attempt();
    expect(listed).toEqual({ place: 0, ...recorded });
  });

  test("of dead letters is filtered by what is known of them", () => {
    const { index, read } = open();
    read("deadLetters", [
      deadLetter({ id: "a" }),
      deadLetter({ id: "b", destinationId: "d2", deadAtMs: START_MS + 1 }),
      deadLetter({ id: "c", reason: "window_over", replayId: "rpl_1", deadAtMs: START_MS + 2 }),
      deadLetter({
        id: "calls-0-7",
        reason: "undecodable",
        destinationId: null,
        messageId: null,
        deadAtMs: START_MS + 3,
      }),
    ]);
    const ids = (filter: object) => index.listDeadLetters(filter, ALL).map(({ id }) => id);
    expect(ids({})).toEqual(["calls-0-7", "c", "b", "a"]);
    expect(ids({ destinationId: "d1" })).toEqual(["c", "a"]);
    expect(ids({ reason: "permanent" })).toEqual(["b", "a"]);
    expect(ids({ replayId: "rpl_1" })).toEqual(["c"]);
    expect(ids({ fromMs: START_MS + 1, toMs: START_MS + 3 })).toEqual(["c", "b"]);
    expect(index.findDeadLetter("calls-0-7")).toMatchObject({ replayable: false, messageId: null, place: 3 });
    expect(index.findDeadLetter("none")).toBeUndefined();
  });
});

describe("what the router said of a call", () => {
  test("is found by messageId and source, copies too, oldest first", async () => {
    const { asked, read } = open();
    const passedOver = [{ destinationId: "d2", reason: "filter_off" }];
    const copy = { outcome: "duplicate", destinationIds: [], receivedAtMs: START_MS + 1 };
    read("routedCalls", [
      routedCall({ ...copy, offset: 8 }),
      routedCall({ passedOver }),
      routedCall({ messageId: "m2", offset: 9 }),
      routedCall({ sourceId: "s2", offset: 10 }),
    ]);
    const { partition: _partition, offset: _offset, ...call } = routedCall({ passedOver });
    const ofSource = await asked.listRoutedCalls({ messageId: "m1", sourceId: "s1" }, 10);
    expect(ofSource).toMatchObject([call, copy]);
    const ofAll = await asked.listRoutedCalls({ messageId: "m1" }, 10);
    expect(ofAll.map(({ sourceId }) => sourceId)).toEqual(["s1", "s2", "s1"]);
    expect(await asked.listRoutedCalls({ messageId: "m1" }, 1)).toMatchObject([copy]);
  });

  test("is what was said last of one that was routed again after a crash", async () => {
    const { asked, read } = open();
    read("routedCalls", [routedCall(), routedCall({ destinationIds: ["d2"] })]);
    const found = await asked.listRoutedCalls({ messageId: "m1" }, 10);
    expect(found).toMatchObject([{ destinationIds: ["d2"] }]);
  });
});

describe("dead letters to be replayed", () => {
  test("are calls, in their order, above one place and below the ends", () => {
    const { index, read } = open();
    const letters = (name: string) => [
      deadLetter({ id: `${name}0` }),
      deadLetter({ id: `${name}1`, messageId: null }),
      deadLetter({ id: `${name}2` }),
      deadLetter({ id: `${name}3` }),
    ];
    read("deadLetters", letters("a"), 0);
    read("deadLetters", letters("b"), 1);
    const filter = { destinationId: "d1", ends: [4, 3] };
    const [a0, a2, a3, b0, b2] = index.replayablePlaces(filter, { above: -1, limit: 10 });
    expect(index.replayablePlaces(filter, { above: a2 ?? 0, limit: 2 })).toEqual([a3, b0]);
    expect(
      [a0, b2].map((place) => index.listDeadLetters({}, ALL).find((one) => one.place === place)?.id),
    ).toEqual(["a0", "b2"]);
    expect(index.replayablePlaces(filter, { above: b2 ?? 0, limit: 10 })).toEqual([]);
    expect(index.countDeadLetters(filter)).toBe(7);
  });

  test("that were written twice under one id are there once, where they were first", () => {
    const { index, read } = open();
    read("deadLetters", [deadLetter(), deadLetter({ deadAtMs: START_MS + 5 })]);
    expect(index.listDeadLetters({}, ALL)).toHaveLength(1);
    expect(index.findDeadLetter("j1")).toMatchObject({ place: 0, deadAtMs: START_MS });
  });

  test("of several users under one id, as versions before wrote them, are there each", () => {
    const { index, read } = open();
    const nobody = { userId: null, anonymousId: null };
    const of = (user: object) => deadLetter({ ...nobody, body: Buffer.from(JSON.stringify(user)) });
    const [one, other] = [{ userId: "u1" }, { anonymousId: "u1" }];
    read("deadLetters", [of(one), of(other), of(one), deadLetter({ ...nobody, id: "raw" })]);
    read("deadLetters", [deadLetter({ ...nobody, id: "raw" })], 1);
    expect(index.listDeadLetters({}, ALL).map(({ id }) => id)).toEqual(["raw", "j1", "j1"]);
    expect(index.findDeadLetter("j1", { ...nobody, ...other })).toMatchObject({ place: 1 });
    expect(index.findDeadLetter("j1", { ...nobody, userId: "u2" })).toBeUndefined();
  });
});

/** Requests to d1 by minute. */
const minutesOf = (index: IndexPart, toMs = START_MS + DAY_MS) =>
  index
    .sumRequests({ destinationId: "d1", fromMs: 0, toMs, stepMs: 60_000 })
    .map(({ atMs, counts }) => ({ minuteMs: atMs, ...counts }));

describe("totals", () => {
  test("of a minute add up over records and writers", () => {
    const { index, read } = open();
    read("totals", [
      total({ outcomes: { success: 2 }, durationCounts: [2] }),
      total({ sequence: 2, outcomes: { success: 1, timeout: 1 }, durationCounts: [0, 0, 2] }),
      total({ writer: "other", outcomes: { diverted: 4 }, durationCounts: [] }),
      total({ sequence: 3, minuteMs: START_MS + 60_000 }),
      total({ sequence: 4, destinationId: "d2" }),
    ]);
    expect(minutesOf(index)).toEqual([
      {
        ...{ minuteMs: START_MS, outcomes: { success: 3, timeout: 1, diverted: 4 }, statuses: { 200: 3 } },
        ...{ durationCounts: [2, 0, 2], latencyCounts: [0, 3] },
      },
      {
        ...{ minuteMs: START_MS + 60_000, outcomes: { success: 1 }, statuses: { 200: 1 } },
        ...{ durationCounts: [1], latencyCounts: [0, 1] },
      },
    ]);
  });

  test("that a producer wrote twice count once, also after a restart", () => {
    const folder = scratchFolder();
    const first = open(folder);
    first.read("totals", [
      total({ sequence: 1 }),
      total({ sequence: 2 }),
      total({ sequence: 1 }),
      total({ sequence: 2 }),
    ]);
    first.index.close();
    const second = open(folder);
    second.read("totals", [total({ sequence: 2 }), total({ sequence: 3 })]);
    expect(minutesOf(second.index)).toMatchObject([{ outcomes: { success: 3 } }]);
  });
});

describe("the file", () => {
  test("keeps rows and positions over a restart", () => {
    const { folder, index, read } = open();
    read("attempts", [attempt()], 3);
    index.close();
    const again = open(folder);
    expect(again.index.position("attempts", 3)).toBe(1);
    expect(again.index.position("attempts", 0)).toBeUndefined();
    expect(again.index.listAttempts({ destinationId: "d1" }, ALL)).toHaveLength(1);
    expect(again.discarded).toEqual([]);
  });

  test("a stretch that fails leaves neither rows nor a position", () => {
    const { index, read } = open();
    const bad = total({ sequence: 2, destinationId: undefined as unknown as string });
    expect(() => read("totals", [total(), bad])).toThrow();
    expect(index.position("totals", 0)).toBeUndefined();
    read("totals", [total()]);
    expect(minutesOf(index)).toMatchObject([{ outcomes: { success: 1 } }]);
  });

  test("that is no database, or one of another version, is built again", () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "index.sqlite"), "no database".repeat(1_000));
    const first = open(folder);
    expect(first.discarded).toHaveLength(1);
    first.read("attempts", [attempt()]);
    first.index.close();
    const database = new DatabaseSync(join(folder, "index.sqlite"));
    database.exec("PRAGMA user_version = 999");
    database.close();
    const second = open(folder);
    expect(second.discarded).toEqual([expect.stringContaining("999")]);
    expect(second.index.position("attempts", 0)).toBeUndefined();
  });

  test("that turns out to be damaged is built again when it is used; what was being read does not go on in the new one", () => {
    const { folder, index, read } = open();
    for (let stretch = 0; stretch < 20; stretch += 1)
      read(
        "attempts",
        Array.from({ length: 100 }, (_, at) => attempt({ sequence: stretch * 100 + at + 1 })),
      );
    index.close();
    damage(join(folder, "index.sqlite"));
    const again = open(folder);
    const { epoch } = again.index;
    const listed = again.index.listAttempts({ destinationId: "d1", messageId: "m1" }, { limit: 2_000 });
    expect(listed).toEqual([]);
    expect(again.discarded).toHaveLength(1);
    again.index.apply({ kind: "attempts", partition: 0, entries: [], nextOffset: 2_001, epoch });
    expect(again.index.position("attempts", 0)).toBeUndefined();
  });

  test("that a killed process left is used; of a machine that stopped meanwhile it is built again", () => {
    const { folder, index, read } = open();
    read("attempts", [attempt()]);
    const [killed, stopped] = [scratchFolder(), scratchFolder()];
    for (const copy of [killed, stopped]) cpSync(folder, copy, { recursive: true });
    expect(open(killed).index.position("attempts", 0)).toBe(1);
    const database = new DatabaseSync(join(stopped, "index.sqlite"));
    database.exec("UPDATE open_in SET boot = 'an earlier one'");
    database.close();
    const again = open(stopped);
    expect(again.discarded).toEqual([expect.stringContaining("machine stopped")]);
    expect(again.index.position("attempts", 0)).toBeUndefined();
    index.close();
    const closed = new DatabaseSync(join(folder, "index.sqlite"), { readOnly: true });
    expect(closed.prepare("SELECT boot FROM open_in").all()).toEqual([]);
    closed.close();
  });

  test("is one process's own: another one takes another file", () => {
    const { folder, read } = open();
    read("attempts", [attempt()]);
    const other = open(folder);
    expect(other.index.position("attempts", 0)).toBeUndefined();
    other.read("attempts", [attempt()]);
    expect(other.index.listAttempts({ destinationId: "d1" }, ALL)).toHaveLength(1);
  });
});

test("an index that could not be made again, as there was no room, is made when there is", () => {
  let isFull = false;
  const folder = scratchFolder();
  const index = new IndexPart({
    ...{ folder, nowMs: () => START_MS, onDiscarded: () => undefined },
    disk: {
      ...INDEX_FILES,
      open(options) {
        if (isFull) throw new Error("the disk is full");
        return INDEX_FILES.open(options);
      },
    },
  });
  opened.set(index, folder);
  isFull = true;
  expect(() => index.discard("it is damaged")).toThrow("the disk is full");
  expect(() => index.position("attempts", 0)).toThrow("the disk is full");
  isFull = false;
  expect(index.position("attempts", 0)).toBeUndefined();
  index.close();
  expect(() => index.position("attempts", 0)).toThrow();
});

test("a file that cannot be used, for what is no damage, is not taken for another process's", () => {
  const folder = scratchFolder();
  const database = new DatabaseSync(join(folder, "index.sqlite"));
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  database.close();
  for (const _ of ["once", "again"]) expect(() => open(folder)).toThrow("no such table");
});

test("a change that was made is found behind any number that were not", () => {
  const { index, read } = open();
  const entries = Array.from({ length: 300 }, (_, at) =>
    auditEntry({ id: `log_${at}`, requestId: "r1", atMs: START_MS + at, isMade: at === 0 }),
  );
  read("auditLog", entries);
  const made = index.listAuditEntries({ requestId: "r1", isMade: true }, ALL);
  expect(made.map(({ id }) => id)).toEqual(["log_0"]);
  expect(index.listAuditEntries({ requestId: "r1" }, ALL)).toHaveLength(100);
});

test("of requests with one id each has its own changes, and those that the version before wrote", () => {
  const { index, read } = open();
  const claims = ["c1", "c2", "", null];
  read(
    "auditLog",
    claims.map((claim, at) => auditEntry({ id: `log_${at}`, requestId: "r1", claim })),
  );
  const found = index.listAuditEntries({ requestId: "r1", claim: "c1" }, ALL);
  expect(found.map(({ id }) => id)).toEqual(["log_3", "log_0"]);
});

/** Overwrites everything behind the first pages, which opening does not look at. */
function damage(file: string): void {
  const descriptor = openSync(file, "r+");
  const noise = Buffer.alloc(4_096, 0xa5);
  for (let page = 60; page < 200; page += 1) writeSync(descriptor, noise, 0, noise.length, page * 4_096);
  ftruncateSync(descriptor, 200 * 4_096);
  closeSync(descriptor);
}

describe("what is old", () => {
  const RULES = { deadLetters: 14 * DAY_MS, auditLog: 90 * DAY_MS, dailyStats: 400 * DAY_MS };

  test("leaves when its topic no longer keeps it", () => {
    const nowMs = START_MS + 10 * DAY_MS;
    const { index, read } = open(scratchFolder(), nowMs);
    const ages = [13, 8, 6, 1];
    read(
      "attempts",
      ages.map((days, at) => attempt({ sequence: at + 1, startedAtMs: nowMs - days * DAY_MS })),
    );
    read(
      "totals",
      ages.map((days, at) => total({ sequence: at + 1, minuteMs: nowMs - days * DAY_MS })),
    );
    read(
      "deadLetters",
      [20, 15, ...ages].map((days) => deadLetter({ id: `${days}`, deadAtMs: nowMs - days * DAY_MS })),
      5,
    );
    read(
      "routedCalls",
      ages.map((days, offset) => routedCall({ offset, receivedAtMs: nowMs - days * DAY_MS })),
    );
    read(
      "auditLog",
      [95, 89].map((days) => auditEntry({ id: `log_${days}`, atMs: nowMs - days * DAY_MS })),
    );
    sweep(index, 7 * DAY_MS, RULES);
    expect(index.listAuditEntries({}, ALL).map(({ id }) => id)).toEqual(["log_89"]);
    expect(index.routedCallRows({ messageId: "m1" }, 10)).toHaveLength(2);
    expect(index.listAttempts({ destinationId: "d1" }, ALL)).toHaveLength(2);
    expect(minutesOf(index, nowMs)).toHaveLength(2);
    expect(index.listDeadLetters({}, ALL).map(({ id }) => id)).toEqual(["1", "6", "8", "13"]);
  });

  test("is read again when it left by a clock that was ahead", () => {
    const clock = { nowMs: START_MS };
    const discarded: string[] = [];
    const folder = scratchFolder();
    const again = () => {
      const onDiscarded = (why: string): void => void discarded.push(why);
      const index = new IndexPart({ folder, nowMs: () => clock.nowMs, onDiscarded });
      opened.set(index, folder);
      return index;
    };
    const index = again();
    readInto(index, "attempts", [attempt()]);
    clock.nowMs += 30 * DAY_MS;
    sweep(index, 7 * DAY_MS, RULES);
    clock.nowMs -= 30 * DAY_MS - 60_000;
    sweep(index, 7 * DAY_MS, RULES);
    expect([index.position("attempts", 0), discarded.length]).toEqual([undefined, 1]);
    clock.nowMs += 30 * DAY_MS;
    index.discard("it is damaged");
    index.close();
    clock.nowMs -= 30 * DAY_MS;
    const next = again();
    sweep(next, 7 * DAY_MS, RULES);
    const ahead = "it was used when the clock was ahead";
    expect([next.createdMs, discarded]).toEqual([clock.nowMs, [ahead, "it is damaged", ahead]]);
  });

  test("leaves first when there are too many rows, some hundred at a time", () => {
    const { index, read } = open();
    const many = (partition: number) =>
      Array.from({ length: 1_000 }, (_, at) =>
        attempt({ sequence: at + 1, startedAtMs: START_MS + at, messageId: `${partition}` }),
      );
    read("attempts", many(0), 0);
    read(
      "attempts",
      many(1).map((one) => ({ ...one, startedAtMs: one.startedAtMs + 5_000 })),
      1,
    );
    read(
      "totals",
      Array.from({ length: 700 }, (_, at) => total({ sequence: at + 1, minuteMs: START_MS + at * 60_000 })),
    );
    expect(sweep(index, 7 * DAY_MS, { ...RULES, maxRows: 600 })).toBeGreaterThan(2);
    const left = index.listAttempts({ destinationId: "d1" }, { limit: 5_000 });
    expect(left).toHaveLength(600);
    expect(new Set(left.map(({ messageId }) => messageId))).toEqual(new Set(["1"]));
    const minutes = minutesOf(index);
    expect([minutes.length, minutes[0]?.minuteMs]).toEqual([600, START_MS + 100 * 60_000]);
  });
});
