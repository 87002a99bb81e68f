import { expect, test } from "@jest/globals";
import type { AudienceSize } from "#topics";
import { sizeSteps } from "./sizes.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Hours = readonly (readonly [hour: number, entered: number, left: number])[];

const row = (partition: number, day: number, members: number, hours: Hours = []): AudienceSize => ({
  ...{ id: "a", partition, day, members, batch: 1, countedTo: 0, isBeginning: false },
  hours: hours.map(([hour, entered, left]) => ({ hour, entered, left })),
});

const days = (from: number, to: number) => ({ fromMs: from * DAY_MS, toMs: to * DAY_MS, stepMs: DAY_MS });
const shown = (rows: readonly AudienceSize[], range: Parameters<typeof sizeSteps>[1]) =>
  sizeSteps(rows, range).map(({ entered, left, size }) => [size, entered, left]);

const ROWS = [
  row(0, 3, 5, [[0, 5, 0]]),
  row(0, 5, 7, [
    [1, 4, 1],
    [23, 0, 1],
  ]),
  row(1, 5, 2, [[2, 2, 0]]),
];

test("sizes of all partitions together, also of days without a row", () => {
  expect(shown(ROWS, days(2, 7))).toEqual([
    [0, 0, 0],
    [5, 5, 0],
    [5, 0, 0],
    [9, 6, 2],
    [9, 0, 0],
  ]);
  expect(shown([], days(2, 4))).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

test("a range may begin and end anywhere, by the hour too", () => {
  expect(shown(ROWS, days(4, 5))).toEqual([[5, 0, 0]]);
  const hours = { fromMs: 5 * DAY_MS, toMs: 5 * DAY_MS + 3 * HOUR_MS, stepMs: HOUR_MS };
  expect(shown(ROWS, hours)).toEqual([
    [5, 0, 0],
    [8, 4, 1],
    [10, 2, 0],
  ]);
});

test("before members were counted the size is not known", () => {
  const begun = { ...row(0, 5, 8, [[1, 1, 0]]), isBeginning: true };
  expect(shown([begun, row(1, 6, 1, [[0, 1, 0]])], days(4, 7))).toEqual([
    [null, null, null],
    [8, 1, 0],
    [9, 1, 0],
  ]);
});
