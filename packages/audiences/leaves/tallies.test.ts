import { expect, test } from "@jest/globals";
import { NOW_MS, traitDefinition } from "../fixtures/definitions.ts";
import { emptyState, evaluateLeaf, foldIntoLeaf } from "./leaf.ts";
import { planLeaf } from "./plan.ts";
import { joinBuckets } from "./shrink.ts";

test.each([
  ["first", "t50"],
  ["last", "t72"],
])("the %s of buckets that were joined stays so when a call between them comes late", (fn, value) => {
  const reduce = { fn, path: "v" };
  const plan = planLeaf(traitDefinition({ event: "A", within: "500s", reduce }).leaf);
  const state = emptyState(plan);
  const fold = (seconds: number) => {
    const call = { userId: null, receivedAtMs: NOW_MS, body: { v: `t${seconds}` } };
    foldIntoLeaf(plan, state, { atMs: NOW_MS + seconds * 1_000, nowMs: NOW_MS + 100_000, call });
  };
  for (const seconds of [50, 72]) fold(seconds);
  expect(joinBuckets(state, plan, 8)).toBe(true);
  for (const seconds of [61, 53]) fold(seconds);
  expect(evaluateLeaf(plan, state, NOW_MS + 100_000).value).toBe(value);
});
