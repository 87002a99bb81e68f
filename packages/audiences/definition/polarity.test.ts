// What holds of a reducer's value when nothing counts is what the operators say of that value.
import { expect, test } from "@jest/globals";
import { meetsOne } from "../leaves/condition.ts";
import { readTest } from "./conditions.ts";
import type { ReduceFn } from "./definition.ts";
import { isMetByNone } from "./polarity.ts";
import { Problems } from "./problems.ts";

const NOTHING: [ReduceFn, unknown][] = [
  ["count", 0],
  ["unique_count", 0],
  ["unique", []],
  ["sum", null],
  ["last", null],
];

const TESTS = [
  ...["eq", "neq", "lt", "lte", "gt", "gte"].flatMap((op) => [-1, 0, 1, "a"].map((value) => ({ op, value }))),
  ...["contains", "not_contains"].flatMap((op) => [0, "a"].map((value) => ({ op, value }))),
  ...["eq", "neq", "contains", "not_contains"].map((op) => ({ op, value: "a", ignoreCase: true })),
  { op: "in", value: [1, 0] },
  { op: "in", value: [1] },
  { op: "starts_with", value: "a" },
  { op: "exists" },
  { op: "not_exists" },
  { op: "before", value: "2026-01-31T00:00:00Z" },
  { op: "within_last", value: "1d" },
  { op: "eq", value: { trait: "a" } },
];

test.each(TESTS)("%j", (given) => {
  const read = readTest(given, "x", new Problems());
  if (read === undefined) throw new Error("refused");
  for (const [fn, value] of NOTHING)
    expect([fn, isMetByNone(read, fn)]).toEqual([fn, meetsOne({ path: [], test: read }, value)]);
});
