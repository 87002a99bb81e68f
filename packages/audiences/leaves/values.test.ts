import { expect, test } from "@jest/globals";
import type { ReduceFn } from "../definition/definition.ts";
import { NOW_MS, traitDefinition } from "../fixtures/definitions.ts";
import { emptyState, evaluateLeaf, foldIntoLeaf } from "./leaf.ts";
import { planLeaf } from "./plan.ts";
import { MAX_FREQUENT_VALUES, MAX_UNIQUE_VALUES } from "./values.ts";

function folded(fn: ReduceFn, values: readonly unknown[]) {
  const plan = planLeaf(traitDefinition({ event: "A", within: "30d", reduce: { fn, path: "v" } }).leaf);
  const state = emptyState(plan);
  for (const v of values)
    foldIntoLeaf(plan, state, {
      atMs: NOW_MS,
      nowMs: NOW_MS,
      call: { userId: null, receivedAtMs: NOW_MS, body: { v } },
    });
  return evaluateLeaf(plan, state, NOW_MS);
}

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `v${index}`);

test.each([
  ["unique_count", MAX_UNIQUE_VALUES],
  ["most_frequent", MAX_FREQUENT_VALUES],
] as const)("%s keeps %d values, then says that it overflows; those that it keeps go on", (fn, cap) => {
  expect(folded(fn, many(cap)).isOverflowing).toBe(false);
  const beyond = folded(fn, [...many(cap + 1), "v0", "v0"]);
  expect(beyond).toMatchObject({ isOverflowing: true, value: fn === "unique_count" ? cap : "v0" });
});

test("unique is sorted by code units, whatever the types; what is no scalar is left out", () => {
  expect(folded("unique", ["b", "a", "B", 10, 9, true, "10", null, {}, [1]]).value).toEqual([
    "10",
    10,
    9,
    "B",
    "a",
    "b",
    true,
  ]);
});

test("of equally frequent values the first in alphabetical order; less than twice is not frequent", () => {
  expect(folded("most_frequent", ["b", "a", "b", "a", "c"]).value).toBe("a");
  expect(folded("most_frequent", ["b", "a"]).value).toBeNull();
});

test("a value longer than 512 characters is left out", () => {
  expect(folded("unique_count", ["x".repeat(511), "y"]).value).toBe(1);
  expect(folded("first", ["x".repeat(511), "y"]).value).toBe("y");
});

test("a value that nests too deep to be sent as a trait is left out", () => {
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  expect(folded("last", [nested(62), nested(63)]).value).toEqual(nested(62));
});
