import { expect, test } from "@jest/globals";
import { audience, callOf } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import type { Computation, ComputationInput } from "./computation.ts";
import { compileSet, withNaming } from "./computation-set.ts";
import type { ProfileEvent } from "./event.ts";
import { leafKeysOf } from "./leaf-keys.ts";
import { createProfile } from "./profile.ts";

test("what a leaf, a trait and a list concern is named once, however often a definition asks for it", () => {
  const twice = { all: [{ event: "Read" }, { trait: "plan", op: "exists" }, { audience: "list" }] };
  const definition = { any: [twice, { not: twice }] };
  const list: ComputationInput = { ...audience("list", { event: "X" }), definition: { kind: "list" } };
  const set = compileSet([list, audience("a", definition), audience("b", definition)]);
  const ids = (computations: readonly { readonly id: string }[] | undefined) =>
    computations?.map(({ id }) => id);
  expect([...set.leaves.values()].map(({ computations }) => ids(computations))).toEqual([["a", "b"]]);
  expect(set.events.track.get("Read")).toHaveLength(1);
  expect(ids(set.traits.get("plan"))).toEqual(["a", "b"]);
  expect([...set.naming].map(([{ id }, naming]) => [id, ids(naming)])).toEqual([["list", ["a", "b"]]]);
});

const named = (of: readonly string[]) => ({ any: of.map((audience) => ({ audience })) });
const found = (set: Iterable<Computation>) => Array.from(set, ({ id }) => id);

test("what names an audience is found through others too, each once", () => {
  const set = compileSet([
    audience("a", { event: "Read" }),
    audience("b", named(["a"])),
    audience("c", named(["a", "b"])),
    audience("d", { trait: "x", op: "exists" }),
  ]);
  const leaf = [...set.leaves.values()][0];
  expect(found(withNaming(new Set(leaf?.computations), set.naming))).toEqual(["a", "b", "c"]);
  const c = set.computations.get("c");
  expect([...leafKeysOf(c === undefined ? [] : [c])]).toEqual([leaf?.plan.leaf.key]);
});

test("an audience waits for the leaves of those that it names, through others too", () => {
  const isReady = ({ leaf }: { readonly leaf: { readonly name: string } }) => leaf.name !== "Late";
  const set = compileSet(
    [
      audience("a", { event: "Late" }),
      audience("b", named(["a"])),
      audience("c", named(["b"])),
      audience("d", { event: "Read" }),
    ],
    (plan) => ({ fromOffset: 0, isReady: isReady(plan) }),
  );
  const states = Array.from(set.computations.values(), ({ id, state }) => [id, state]);
  expect(Object.fromEntries(states)).toEqual({ a: "preparing", b: "preparing", c: "preparing", d: "live" });
});

test("fifty audiences in each of four levels that name all below them are compiled in some milliseconds", () => {
  const many = Array.from({ length: 50 }, (_, index) => index);
  const names = (level: number) => many.map((index) => `l${level}_${index}`);
  const inputs = [
    ...names(4).map((id) => audience(id, { everyone: true, trait: id, op: "not_exists" })),
    ...[3, 2, 1].flatMap((level) => names(level).map((id) => audience(id, named(names(level + 1))))),
  ];
  // The least of three: a collection or a neighbour on the core makes one of them dearer, not all.
  const spentMs = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    const set = compileSet(inputs);
    expect(set.whenEmpty).toHaveLength(200);
    const top = set.computations.get("l1_0");
    for (let round = 0; round < 200; round += 1)
      expect(leafKeysOf(top === undefined ? [] : [top]).size).toBe(0);
    return process.threadCpuUsage(before).user / 1_000;
  });
  expect(Math.min(...spentMs)).toBeLessThan(150);
});

test("what has changed in an audience or on a list changes those that name it, through others too", () => {
  const list: ComputationInput = { ...audience("list", { event: "X" }), definition: { kind: "list" } };
  const set = compileSet([
    list,
    audience("a", { event: "Read" }),
    audience("b", named(["a", "list"])),
    audience("c", named(["b"])),
  ]);
  const membersAfter = (event: ProfileEvent): string[] => {
    const profile = createProfile("u", 0);
    applyEvent(profile, event, set, { offset: 1, nowMs: 1_000 });
    return Array.from(profile.results, ([id, { text }]) => `${id} ${text}`).toSorted();
  };
  const call = callOf({ name: "Read", atMs: 1_000 });
  expect(membersAfter({ kind: "call", call })).toEqual(["a true", "b true", "c true"]);
  expect(membersAfter({ kind: "list", listId: "list", isMember: true })).toEqual([
    "b true",
    "c true",
    "list true",
  ]);
});
