import { expect, test } from "@jest/globals";
import { parseAudience } from "../definition/parse-audience.ts";
import type { ComputationInput } from "./computation.ts";
import { compileSet } from "./computation-set.ts";

function audience(id: string, definition: unknown, names: readonly string[] = []): ComputationInput {
  const audiences = new Map(names.map((name) => [name, { references: [] }]));
  const reading = parseAudience(definition, { audiences });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const base = { generation: 1, state: "live", includeAnonymous: false } as const;
  return { ...base, id, key: id, definition: reading.definition };
}

test("what a leaf, a trait and a list concern is named once, however often a definition asks for it", () => {
  const twice = { all: [{ event: "Read" }, { trait: "plan", op: "exists" }, { audience: "list" }] };
  const definition = { any: [twice, { not: twice }] };
  const list: ComputationInput = { ...audience("list", { event: "X" }), definition: { kind: "list" } };
  const set = compileSet([list, audience("a", definition, ["list"]), audience("b", definition, ["list"])]);
  const ids = (computations: readonly { readonly id: string }[] | undefined) =>
    computations?.map(({ id }) => id);
  expect([...set.leaves.values()].map(({ computations }) => ids(computations))).toEqual([["a", "b"]]);
  expect(set.events.track.get("Read")).toHaveLength(1);
  expect(ids(set.traits.get("plan"))).toEqual(["a", "b"]);
  expect(ids(set.lists.get("list"))).toEqual(["a", "b"]);
});
