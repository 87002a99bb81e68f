import { expect, test } from "@jest/globals";
import { readTest } from "../definition/conditions.ts";
import { Problems } from "../definition/problems.ts";
import { intervalOf } from "./condition.ts";

const NOW_MS = Date.parse("2026-01-31T00:00:00Z");

function holdsAt(op: string, limit: unknown, value: unknown, nowMs = NOW_MS): boolean {
  const test = readTest({ op, value: limit }, "definition", new Problems());
  if (test === undefined) throw new Error("refused");
  const { fromMs, untilMs } = intervalOf({ path: ["v"], test }, value === undefined ? {} : { v: value });
  return fromMs <= nowMs && nowMs < untilMs;
}

test.each([
  ["eq", 5, 5, true],
  ["eq", 5, "5", false],
  ["eq", "", "", true],
  ["neq", 5, "5", true],
  ["neq", 5, 5, false],
  ["neq", 5, undefined, false],
  ["neq", 5, null, false],
  ["gte", 150, 150, true],
  ["gte", 150, "150", false],
  ["gt", 150, 150, false],
  ["lt", "b", "a", true],
  ["lt", "b", "B", true],
  ["lte", "b", 1, false],
  ["in", ["a", 1], 1, true],
  ["in", ["a", 1], "1", false],
  ["contains", "bc", "abcd", true],
  ["contains", "a", ["a", "b"], true],
  ["contains", "a", "A", false],
  ["not_contains", "a", "bcd", true],
  ["not_contains", "a", 5, true],
  ["not_contains", "a", undefined, false],
  ["starts_with", "ab", "abc", true],
  ["ends_with", "bc", "abc", true],
  ["ends_with", "5", 5, false],
  ["exists", undefined, false, true],
  ["exists", undefined, null, false],
  ["not_exists", undefined, undefined, true],
  ["not_exists", undefined, 0, false],
  ["before", "2026-01-31T00:00:00Z", "2026-01-30T23:59:59Z", true],
  ["before", "2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z", false],
  ["after", "2026-01-31T00:00:00Z", "2026-01-31T01:00:00+01:00", true],
  ["after", "2026-01-31T00:00:00Z", "2026-02-01", false],
  ["within_last", "1d", "2026-01-30T00:00:01Z", true],
  ["within_last", "1d", "2026-01-30T00:00:00Z", false],
  ["within_last", "1d", "2026-01-31T00:00:00Z", true],
  ["within_last", "1d", "2026-01-31T00:00:01Z", false],
  ["within_next", "1d", "2026-01-31T00:00:01Z", true],
  ["within_next", "1d", "2026-02-01T00:00:00Z", true],
  ["within_next", "1d", "2026-02-01T00:00:01Z", false],
  ["within_next", "1d", "2026-01-31T00:00:00Z", false],
])("%s %j of %j: %j", (op, limit, value, expected) => {
  expect(holdsAt(op, limit, value)).toBe(expected);
});
