import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { refusedCalls, START_MS } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { RefusedCalls } from "#topics";
import { placeOf } from "../../records/places/places.ts";
import { readInto, sweep } from "./fixtures/reading.ts";
import { IndexPart } from "./index-part.ts";
import type { RefusedFilter } from "./refused-calls-table.ts";

const DAY_MS = 86_400_000;
let folder: string;
let index: IndexPart;

beforeEach(() => {
  folder = scratchFolder();
  index = new IndexPart({ folder, nowMs: () => START_MS + 2 * DAY_MS, onDiscarded: () => undefined });
});
afterEach(() => {
  index.close();
});

const read = (records: readonly RefusedCalls[]) => readInto(index, "refusedCalls", records, 1);

const messages = (filter: Partial<RefusedFilter> = {}): string[] =>
  index.listRefused({ sourceId: "s1", ...filter }, { limit: 10 }).map(({ message }) => message);

test("refused calls are listed of their source, newest first, of a range of time and of a place", () => {
  read([
    refusedCalls({ message: "a", atMs: START_MS, userIds: ["u1", "u0"] }),
    refusedCalls({ message: "b", atMs: START_MS + 2, userIds: null }),
    refusedCalls({ message: "c", atMs: START_MS + 1, code: "invalid_json", userIds: ["u0"] }),
    refusedCalls({ message: "other", sourceId: "s2" }),
  ]);
  expect(messages()).toEqual(["b", "c", "a"]);
  expect(messages({ fromMs: START_MS + 1, toMs: START_MS + 2 })).toEqual(["c"]);
  expect(messages({ place: placeOf({ partition: 1, offset: 0 }) })).toEqual(["a"]);
  expect(messages({ place: placeOf({ partition: 1, offset: 3 }) })).toEqual([]);
  const counted = { kind: "refusedCalls", filter: { sourceId: "s1" } } as const;
  expect([index.countUpTo(counted, 10), index.countUpTo(counted, 2)]).toEqual([3, 2]);
});

test("they have what was told, by versions before with the calls that had no record", () => {
  read([refusedCalls({ calls: 2, leftOut: 3, index: 4, userIds: ["u1"] })]);
  expect(index.listRefused({ sourceId: "s1" }, { limit: 10 })).toEqual([
    {
      ...{ place: placeOf({ partition: 1, offset: 0 }), atMs: START_MS, calls: 5, index: 4 },
      ...{ code: "event_not_defined", message: "no event", userIds: ["u1"] },
    },
  ]);
});

test("they leave with their topic's records; what was counted stays", () => {
  read([refusedCalls({ message: "old" }), refusedCalls({ message: "new", atMs: START_MS + DAY_MS + 1 })]);
  expect(index.spans().refusedCalls).toEqual({ oldestMs: START_MS, newestMs: START_MS + DAY_MS + 1 });
  sweep(index, 30 * DAY_MS, { refusedCalls: DAY_MS, maxRows: 10 });
  expect(messages()).toEqual(["new"]);
  const all = { stepMs: DAY_MS, fromMs: 0, toMs: START_MS + 9 * DAY_MS };
  expect(index.sumFlow(all).reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
});
