// Conditions on calls that ask for more than how many there are: what is accepted, and what is refused.
import { describe, expect, test } from "@jest/globals";
import { audienceDefinition, problemsIn, traitDefinition } from "../fixtures/definitions.ts";
import { planLeaf } from "../leaves/plan.ts";
import { limitHistory } from "./limit-history.ts";
import { parseAudience } from "./parse-audience.ts";

const problemsOf = (definition: unknown) => problemsIn(parseAudience(definition, { audiences: new Map() }));

const partsOf = (definition: unknown) =>
  [...audienceDefinition(definition).leaves.values()].flatMap((leaf) =>
    leaf.kind === "composite" ? leaf.parts : [],
  );

const SPENT = { event: "A", within: "30d", reduce: { fn: "sum", path: "properties.total" } };
const MORE = { op: "gt", value: 100 };

describe("a value that calls come to", () => {
  test("shares its state with the computed trait, and with every other limit", () => {
    const { key } = traitDefinition(SPENT).leaf;
    const parts = partsOf({ any: [{ ...SPENT, ...MORE }, { not: { ...SPENT, op: "lte", value: 5 } }] });
    expect(parts.map((part) => part.key)).toEqual([key, key]);
    expect(parts.map((part) => planLeaf(part).storage)).toEqual(["numbers", "numbers"]);
  });

  const last = { event: "A", reduce: { fn: "last", path: "properties.x" } };
  test.each([
    [{ ...last, op: "starts_with", value: "a" }],
    [{ ...last, op: "within_last", value: "30d" }],
    [{ ...SPENT, op: "exists" }],
    [{ ...SPENT, op: "in", value: [1, 2] }],
    [{ page: "A", reduce: { fn: "unique_count", path: "properties.x" }, op: "gte", value: 3 }],
  ])("%j passes", (definition) => {
    expect(problemsOf(definition)).toEqual({});
  });

  const counted = { event: "A", reduce: { fn: "unique_count", path: "properties.x" } };
  test.each([
    [SPENT, "definition.op", "must be one of"],
    [{ ...SPENT, op: "gt" }, "definition.value", "must be a number"],
    [{ ...SPENT, op: "gt", value: "100" }, "definition.value", "must be a number"],
    [{ ...SPENT, op: "in", value: [1, "2"] }, "definition.value", "of in a list of numbers"],
    [{ ...SPENT, op: "contains", value: 1 }, "definition.op", "must be one of"],
    [{ ...SPENT, op: "eq", value: 5, ignoreCase: true }, "definition.value", "texts alone"],
    [{ ...SPENT, op: "eq", value: "a", ignoreCase: true }, "definition.ignoreCase", "must be left out"],
    [{ ...counted, op: "exists" }, "definition.op", "must be one of"],
    [{ ...SPENT, ...MORE, count: { op: "gte", value: 1 } }, "definition.count", "put both into an all"],
    [{ ...SPENT, ...MORE, reduce: { fn: "sum" } }, "definition.reduce.path", "must be a path"],
    [{ ...SPENT, ...MORE, reduce: { fn: "unique", path: "a" } }, "definition.reduce.fn", "use unique_count"],
    [{ event: "A", op: "gt", value: 1 }, "definition.op", "is not known here"],
    [{ ...counted, op: "lt", value: 3 }, "definition", "only excludes"],
    [{ ...SPENT, op: "not_exists" }, "definition", "only excludes"],
  ])("%j is refused at %s", (definition, path, message) => {
    expect(problemsOf(definition)[path]).toContain(message);
  });
});

test("an audience that looks back less far limits the parts", () => {
  const limited = limitHistory(audienceDefinition({ ...SPENT, ...MORE }), {
    id: "a",
    generation: 1,
    createdAtMs: 5_000,
    backfill: { mode: "none", days: null },
  });
  const [leaf] = limited.definition.leaves.values();
  expect(leaf).toMatchObject({ kind: "composite", parts: [{ window: { afterMs: 5_000 } }] });
  expect(limited.fromMs).toBe(5_000);
  expect(limited.definition.expression).toMatchObject({ leafKey: leaf?.key });
});
