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

const LONG = "Straße Ä".repeat(40);

test.each([
  ["eq", "PRO", "pRo", true],
  ["eq", "pro", "prod", false],
  ["eq", "Ä", "ä", true],
  ["neq", "Pro", "PRO", false],
  ["neq", "pro", undefined, false],
  ["neq", "5", 5, true],
  ["in", ["A", "b"], "B", true],
  ["in", Array.from({ length: 20 }, (_, index) => `T${index}`), "t7", true],
  ["contains", "BC", "aBcd", true],
  ["contains", "STRASSE", LONG, false],
  ["contains", "STRAßE Ä", LONG, true],
  ["contains", "vip", ["VIP", 1], true],
  ["not_contains", "vip", ["VIPs"], true],
  ["not_contains", "VIP", "a vip", false],
  ["starts_with", "AB", "abc", true],
  ["ends_with", "bc", "ABC", true],
  ["eq", "ΟΔΟΣ", "οδος", true],
  ["in", ["ΟΔΟΣ"], "οδοσ", true],
  ["starts_with", "ΚΩΣ", "ΚΩΣΤΑΣ", true],
  ["contains", "ΔΟΣ", "ΔΟΣΗ ".repeat(40), true],
  ["contains", "ΔΟΣ", ["δος"], true],
])("ignoring case, %s %j of %j: %j", (op, value, given, expected) => {
  const read = readTest({ op, value, ignoreCase: true }, "definition", new Problems());
  if (read === undefined) throw new Error("refused");
  // Twice: what is long is remembered.
  for (let times = 0; times < 2; times += 1) {
    const { fromMs } = intervalOf({ path: ["v"], test: read }, given === undefined ? {} : { v: given });
    expect(fromMs <= NOW_MS).toBe(expected);
  }
});

test.each([
  [{ op: "gt", value: "a", ignoreCase: true }, "x.ignoreCase", "stands beside eq, neq, in"],
  [{ op: "eq", value: 5, ignoreCase: true }, "x.value", "texts alone"],
  [{ op: "in", value: ["a", 5], ignoreCase: true }, "x.value", "texts alone"],
  [{ op: "eq", value: "a", ignoreCase: "yes" }, "x.ignoreCase", "must be true or left out"],
])("%j is refused at %s", (object, path, message) => {
  const problems = new Problems();
  readTest(object, "x", problems);
  expect(problems.list).toEqual([{ path, message: expect.stringContaining(message) }]);
});
