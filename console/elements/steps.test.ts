import { expect, test } from "@jest/globals";
import { linesOf, queryOf, spanOf, sumOf } from "./steps.ts";

test("a step without an entry counts nothing, and every line has every step", () => {
  const entries = [
    ["2026-01-01T00:00:00.000Z", { a: 2, b: 1 }],
    ["2026-01-01T02:00:00.000Z", { a: 3, b: 0 }],
  ] as const;
  const range = {
    from: "2026-01-01T00:00:00.000Z",
    to: "2026-01-01T04:00:00.000Z",
    stepMs: 3_600_000,
    entries,
  };
  const drawn = linesOf(range, [
    { label: "a", tone: "good", count: ({ a }) => a },
    { label: "b", tone: "bad", count: ({ b }) => b },
  ]);
  const first = Date.UTC(2026, 0, 1) / 1_000;
  expect(drawn.starts).toEqual([first, first + 3_600, first + 7_200, first + 10_800]);
  expect(drawn.lines).toEqual([
    { label: "a", tone: "good", counts: [2, 0, 3, 0] },
    { label: "b", tone: "bad", counts: [1, 0, 0, 0] },
  ]);
});

test("a span begins at a whole step, and another name is the last hour", () => {
  const nowMs = Date.UTC(2026, 0, 10, 12, 34, 56);
  expect(queryOf(spanOf("week"), nowMs)).toEqual({ from: "2026-01-03T12:00:00.000Z", step: "hour" });
  expect(queryOf(spanOf("century"), nowMs)).toEqual({ from: "2026-01-10T11:34:00.000Z", step: "minute" });
  expect(spanOf(undefined)).toMatchObject({ name: "hour", step: "minute" });
  expect(queryOf(spanOf("day", "minute"), nowMs)).toEqual({
    from: "2026-01-09T12:34:00.000Z",
    step: "minute",
  });
  expect(spanOf("year", "minute")).toMatchObject({ name: "year", step: "day" });
});

test("counts by reason add up", () => expect(sumOf({ duplicate: 2, filter_off: 3 })).toBe(5));
