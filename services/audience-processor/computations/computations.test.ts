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
    ["other", 'no audience with the key "named" can be read'],
  ]);
});

test("what names one that cannot be read, through others too, is left out: that is not empty", () => {
  const computations = new Computations();
  const definitions = {
    top: { all: [{ event: "A" }, { not: { audience: "middle" } }] },
    middle: { all: [{ event: "A" }, { not: { audience: "newer" } }] },
    newer: { event: "A", ofNewerVersion: true },
    alone: { event: "A" },
  };
  for (const [id, definition] of Object.entries(definitions))
    computations.apply(id, audienceOf(id, definition));
  expect(computations.versions.map(([{ id }]) => id)).toEqual(["alone"]);
  expect(computations.leftOut.map(({ config: { id } }) => id)).toEqual(["top", "middle", "newer"]);
});

test("calls count for accounts on when what was made of accounts is forgotten, also after a restart", () => {
  const of = { of: "accounts", everyone: true };
  const forgotten = (definition: unknown) =>
    audienceOf("a", definition, { kind: "list", deletedAtMs: 5, isForgotten: true });
  const known = (...configs: readonly ReturnType<typeof audienceOf>[]) => {
    const computations = new Computations();
    for (const config of configs) computations.apply("a", config);
    return [computations.hasAccounts, [...computations.configs].length];
  };
  expect(known(audienceOf("a", of, { deletedAtMs: 5 }), forgotten(of))).toEqual([true, 0]);
  expect(known(forgotten(of))).toEqual([true, 0]);
  expect(known(forgotten(null))).toEqual([false, 0]);
});
