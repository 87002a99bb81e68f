import { expect, test } from "@jest/globals";
import { audienceDefinition, traitDefinition } from "../fixtures/definitions.ts";
import { planLeaf } from "./plan.ts";

const HOUR_MS = 3_600_000;

function planOf(fields: object) {
  const definition = { event: "A", ...fields };
  if ("reduce" in fields) return planLeaf(traitDefinition(definition).leaf);
  const [leaf] = audienceDefinition({ everyone: true, all: [definition] }).leaves.values();
  if (leaf?.kind !== "event") throw new Error("it is no leaf on events");
  return planLeaf(leaf);
}

const count = (op: string, value: number) => ({ within: "30d", count: { op, value } });
const passing = { where: [{ path: "a", op: "within_next", value: "1d" }] };

test.each([
  [count("gte", 50), { storage: "times", maxTimes: 50 }],
  [count("gt", 49), { storage: "times", maxTimes: 50 }],
  [count("lte", 50), { storage: "times", maxTimes: 51 }],
  [count("eq", 3), { storage: "times", maxTimes: 4 }],
  [count("lt", 0), { storage: "times", maxTimes: 0 }],
  [count("gte", 51), { storage: "counts", bucketMs: 12 * HOUR_MS }],
  [{ between: ["30d", "90d"] }, { storage: "counts", bucketMs: 24 * HOUR_MS }],
  [{ between: ["399d", "400d"] }, { storage: "counts", bucketMs: 20 * HOUR_MS }],
  [{ count: { op: "gte", value: 3 } }, { storage: "counts", bucketMs: Number.POSITIVE_INFINITY }],
  [
    { within: "60s", reduce: { fn: "sum", path: "a" } },
    { storage: "numbers", bucketMs: 1_000 },
  ],
  [{ reduce: { fn: "count" } }, { storage: "counts" }],
  [{ reduce: { fn: "last", path: "a" } }, { storage: "picks" }],
  [{ reduce: { fn: "unique", path: "a" } }, { storage: "values" }],
  [
    { ...passing, within: "1d" },
    { storage: "occurrences", fixed: [] },
  ],
])("%j is kept as %j", (fields, plan) => {
  expect(planOf(fields)).toMatchObject(plan);
});
