import { expect, test } from "@jest/globals";
import { audienceDefinition } from "../fixtures/definitions.ts";
import { limitHistory } from "./limit-history.ts";

const CREATED_AT_MS = Date.parse("2026-11-22T00:00:00Z");
const DAY_MS = 86_400_000;

const limited = (definition: unknown, backfill: { mode: string; days: number | null } | null) =>
  limitHistory(audienceDefinition(definition), {
    id: "a",
    generation: 1,
    backfill,
    createdAtMs: CREATED_AT_MS,
  });

const LONG = { event: "A", within: "365d" };
const SHORT = { event: "A", within: "30d" };

test("a condition that would look back further gets an after; a shorter window stays as it is, and shared", () => {
  const { definition, fromMs } = limited({ all: [LONG, { not: SHORT }] }, { mode: "auto", days: 90 });
  const afters = [...definition.leaves.values()].map((leaf) => leaf.kind === "event" && leaf.window.afterMs);
  expect(afters).toEqual([CREATED_AT_MS - 90 * DAY_MS, Number.NEGATIVE_INFINITY]);
  expect(fromMs).toBe(CREATED_AT_MS - 90 * DAY_MS);
  expect([...definition.leaves.keys()][1]).toBe([...audienceDefinition(SHORT).leaves.keys()][0]);
  const named = JSON.stringify(definition.expression);
  for (const key of definition.leaves.keys()) expect(named).toContain(key);
});

test("with mode none calls count from the creation on, if the definition does not say later", () => {
  expect(limited(SHORT, { mode: "none", days: null }).fromMs).toBe(CREATED_AT_MS);
  const later = { event: "A", after: "2027-01-01T00:00:00Z" };
  const [leaf] = limited(later, { mode: "none", days: null }).definition.leaves.values();
  expect(leaf).toMatchObject({ window: { afterMs: Date.parse("2027-01-01T00:00:00Z") } });
});

test.each([
  ["nothing is said", null],
  ["mode auto has no days", { mode: "auto", days: null }],
  ["no condition looks back further", { mode: "auto", days: 365 }],
])("it is the same when %s", (_when, backfill) => {
  const { definition, fromMs } = limited(LONG, backfill);
  expect([[...definition.leaves.keys()], fromMs]).toEqual([
    [...audienceDefinition(LONG).leaves.keys()],
    undefined,
  ]);
});
