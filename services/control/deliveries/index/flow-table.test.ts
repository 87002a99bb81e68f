// Counts of what became of calls, in a real index file.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import { deadLetter, refusedCalls, routedCall, START_MS } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import { readInto, sweep } from "./fixtures/reading.ts";
import type { FlowQuery } from "./flow-stages.ts";
import { IndexPart } from "./index-part.ts";
import type { Indexed, IndexedRecords } from "./indexed.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

let folder: string;
let index: IndexPart;
let nowMs: number;
beforeEach(() => {
  nowMs = START_MS;
  folder = scratchFolder();
  index = new IndexPart({ folder, nowMs: () => nowMs, onDiscarded: () => undefined });
});
afterEach(() => {
  index.close();
});

function read<K extends Indexed>(kind: K, records: readonly IndexedRecords[K][], partition = 0): void {
  readInto(index, kind, records, partition);
}

/** As "stage reason calls", of the first hour unless asked otherwise. */
function counted(query: Partial<FlowQuery> = {}): string[] {
  const sums = index.sumFlow({ fromMs: START_MS, toMs: START_MS + 60 * MINUTE_MS, stepMs: DAY_MS, ...query });
  return sums
    .map(({ stage, reason, calls }) => `${stage} ${reason} ${calls}`.replaceAll("  ", " "))
    .toSorted();
}

test("a call is counted once at its source and once at each destination", () => {
  read("routedCalls", [
    routedCall({ offset: 1, destinationIds: ["d1", "d2"] }),
    routedCall({ offset: 2, passedOver: [{ destinationId: "d2", reason: "filter_off" }] }),
    routedCall({ offset: 3, outcome: "duplicate", destinationIds: [] }),
  ]);
  expect(counted()).toEqual(["dropped duplicate 1", "passed_over filter_off 1", "routed 2", "sent 3"]);
  expect(counted({ sourceId: "s1" })).toEqual(counted());
  expect(counted({ sourceId: "s2" })).toEqual([]);
  expect(counted({ destinationId: "d2" })).toEqual(["passed_over filter_off 1", "sent 1"]);
});

test("of a call that was routed again after a crash what was said last counts", () => {
  read("routedCalls", [routedCall({ offset: 1 }), routedCall({ offset: 2 })]);
  read("routedCalls", [routedCall({ offset: 1 })]);
  expect(counted()).toEqual(["routed 2", "sent 2"]);
  // Its destination was switched off in between.
  read("routedCalls", [routedCall({ offset: 2, outcome: "no_destination", destinationIds: [] })]);
  expect(counted().filter((count) => !count.endsWith(" 0"))).toEqual([
    ...["dropped no_destination 1", "routed 1", "sent 1"],
  ]);
});

test("a call that is routed again is known after a restart, and so is one behind it that comes for the first time", () => {
  read("routedCalls", [routedCall({ offset: 1 }), routedCall({ offset: 9 })]);
  index.close();
  index = new IndexPart({ folder, nowMs: () => nowMs, onDiscarded: () => undefined });
  read("routedCalls", [routedCall({ offset: 9 }), routedCall({ offset: 5 }), routedCall({ offset: 1 })]);
  expect(counted()).toEqual(["routed 3", "sent 3"]);
});

test.each([true, false])(
  "a call counts once when two partitions have its record, one without its key, in either order: that first %s",
  (isFirst) => {
    for (const isKeyless of [isFirst, !isFirst]) {
      const partition = isKeyless ? 1 : 0;
      const entries = [{ partition, offset: 0, record: routedCall({ offset: 1 }), isKeyless }];
      index.apply({ kind: "routedCalls", partition, entries, nextOffset: 1, epoch: index.epoch });
      index.close();
      index = new IndexPart({ folder, nowMs: () => nowMs, onDiscarded: () => undefined });
    }
    read("routedCalls", [routedCall({ offset: 2 })]);
    expect(counted()).toEqual(["routed 2", "sent 2"]);
  },
);

test("calls that went many ways are counted each, in whatever order they come", () => {
  const ways = Array.from({ length: 20 }, (_, way) => [`d${way}`]);
  read(
    "routedCalls",
    Array.from({ length: 60 }, (_, offset) =>
      routedCall({ offset, destinationIds: ways[(offset * 7) % 20] ?? [] }),
    ),
  );
  expect(counted()).toEqual(["routed 60", "sent 60"]);
  expect(ways.map(([destinationId]) => counted({ destinationId })[0])).toEqual(ways.map(() => "sent 3"));
});

test("the same record twice within one stretch counts once", () => {
  read("routedCalls", [routedCall({ offset: 1 }), routedCall({ offset: 1 })]);
  expect(counted()).toEqual(["routed 1", "sent 1"]);
});

test("a dead letter counts when its call was accepted, once, and not that of a replay, or of a sync", () => {
  const died = { receivedAtMs: START_MS + 5, deadAtMs: START_MS + 2 * DAY_MS };
  read("deadLetters", [
    deadLetter({ ...died, id: "j1", reason: "window_over" }),
    deadLetter({ ...died, id: "j1", reason: "window_over" }),
    deadLetter({ ...died, id: "j2", replayId: "rpl_1" }),
    deadLetter({ ...died, id: "j3", destinationId: null, reason: "handler_failed" }),
    deadLetter({ ...died, id: "j4", sourceId: null, reason: "undecodable" }),
    deadLetter({ ...died, id: "given", sourceId: SPACE_SOURCE }),
    deadLetter({ ...died, id: "calls-0-1", sourceId: SPACE_SOURCE, reason: "handler_failed" }),
  ]);
  expect(counted()).toEqual(["dead handler_failed 1", "dead window_over 1", "failed handler_failed 1"]);
});

test("of one minute it says what came from which source, and went to which destination", () => {
  const at = (minute: number) => ({ receivedAtMs: START_MS + minute * MINUTE_MS });
  read("routedCalls", [
    routedCall({ offset: 1, ...at(0) }),
    routedCall({ offset: 2, ...at(0), type: "page", destinationIds: ["d1", "d2"] }),
    routedCall({ offset: 3, ...at(1) }),
  ]);
  const found = index.sumBetween(START_MS);
  expect(found.map(({ calls, destinationId, stage }) => `${stage} ${destinationId} ${calls}`).sort()).toEqual(
    ["routed  2", "sent d1 2", "sent d2 1"],
  );
  expect(new Set(found.map(({ sourceId }) => sourceId))).toEqual(new Set(["s1"]));
});

test("steps count what their minutes count", () => {
  const minutes = [0, 1, 59, 60, 61, 1_440];
  read(
    "routedCalls",
    minutes.map((minute, offset) => routedCall({ offset, receivedAtMs: START_MS + minute * MINUTE_MS + 7 })),
  );
  const countsOf = (stepMs: number): number[] =>
    index
      .sumFlow({ fromMs: START_MS, toMs: START_MS + 2 * DAY_MS, stepMs })
      .filter(({ stage }) => stage === "routed")
      .map(({ calls }) => calls);
  expect(countsOf(MINUTE_MS)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(countsOf(60 * MINUTE_MS)).toEqual([3, 2, 1]);
  expect(countsOf(DAY_MS)).toEqual([5, 1]);
});

test("counts outlive rows that are too many", () => {
  read(
    "routedCalls",
    Array.from({ length: 20 }, (_, offset) => routedCall({ offset })),
  );
  sweep(index, DAY_MS, { maxRows: 10 });
  expect(index.routedCallRows({ messageId: "m1" }, 100)).toHaveLength(10);
  expect(counted()).toEqual(["routed 20", "sent 20"]);
});

test("refused calls are counted by their codes, those that were only counted too", () => {
  const code = "invalid_type";
  read("refusedCalls", [
    refusedCalls({ code, calls: 3 }),
    refusedCalls({ code, leftOut: 2 }),
    refusedCalls({ code: "rate_limited" }),
  ]);
  expect(counted({ sourceId: "s1" })).toEqual(["refused invalid_type 6", "refused rate_limited 1"]);
  expect(counted({ sourceId: "s2" })).toEqual([]);
});

test("what came to nothing is not counted", () => {
  const broken = { partition: 0, offset: 1, record: routedCall({ offset: 2, type: undefined as never }) };
  const entries = [{ partition: 0, offset: 0, record: routedCall({ offset: 1 }) }, broken];
  expect(() =>
    index.apply({ kind: "routedCalls", partition: 0, entries, nextOffset: 2, epoch: index.epoch }),
  ).toThrow();
  read("routedCalls", [routedCall({ offset: 1 })]);
  expect(counted()).toEqual(["routed 1", "sent 1"]);
});
