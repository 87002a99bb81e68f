import { expect, test } from "@jest/globals";
import { audienceOf } from "../fixtures/calls.ts";
import { Computations } from "./computations.ts";

test("a change of one audience reads no other anew; one that names what is gone is left out", () => {
  const computations = new Computations();
  const named = audienceOf("named", { event: "A" });
  const other = audienceOf("other", { audience: "named" });
  for (const one of [named, other]) computations.apply(one.id, one);
  const definitionOf = (id: string) => computations.versions.find(([one]) => one.id === id)?.[0].definition;
  const before = definitionOf(other.id);
  expect(before).toBeDefined();
  computations.apply(named.id, { ...named, definition: JSON.stringify({ event: "B" }) });
  expect(definitionOf(other.id)).toBe(before);
  computations.apply(named.id, undefined);
  expect(definitionOf(other.id)).toBeUndefined();
  expect(computations.leftOut.map(({ config: { key }, problem }) => [key, problem])).toEqual([
    ["other", 'there is no audience with the key "named"'],
  ]);
});
