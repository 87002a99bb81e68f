import { expect, test } from "@jest/globals";
import { audience, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import type { CoverageOf } from "./computation-set.ts";
import { compileSet } from "./computation-set.ts";
import { advance, evaluate } from "./judging.ts";
import { createProfile } from "./profile.ts";
import { chooseVersions, type Versions } from "./versions.ts";

const version = (id: string, generation: number, definition: unknown) =>
  audience(id, definition, { generation });

/** Calls of these names are counted. */
const counted =
  (...names: string[]): CoverageOf =>
  ({ leaf }) => ({ fromOffset: 0, isReady: names.includes(leaf.name) });

const shown = (all: readonly Versions[], coverageOf: CoverageOf) =>
  chooseVersions(all, coverageOf).map(({ generation, id, state }) => `${id}${generation} ${state}`);

test("the newest version that has counted everything holds; the newest of all is prepared beside it", () => {
  const versions: Versions = [
    version("a", 3, { event: "C" }),
    version("a", 2, { event: "B" }),
    version("a", 1, { event: "A" }),
  ];
  expect(shown([versions], counted("A"))).toEqual(["a1 live", "a3 preparing"]);
  expect(shown([versions], counted("A", "B"))).toEqual(["a2 live", "a3 preparing"]);
  expect(shown([versions], counted("A", "B", "C"))).toEqual(["a3 live"]);
  expect(shown([versions], counted())).toEqual(["a3 live"]);
  expect(compileSet(chooseVersions([versions], counted()), counted()).computations.get("a")?.state).toBe(
    "preparing",
  );
});

test("an audience that names one of which no version holds does not hold itself", () => {
  const naming: Versions = [version("b", 1, { audience: "a" })];
  const named: Versions = [version("a", 1, { event: "A" })];
  const set = compileSet(chooseVersions([naming, named], counted()), counted());
  expect([...set.computations.values()].map(({ state }) => state)).toEqual(["preparing", "preparing"]);
});

test("versions of different times that name each other do not hold together", () => {
  const a: Versions = [version("a", 2, { event: "New" }), version("a", 1, { audience: "b" })];
  const b: Versions = [version("b", 2, { audience: "a" }), version("b", 1, { event: "Old" })];
  for (const all of [
    [a, b],
    [b, a],
  ]) {
    const chosen = shown(all, counted("Old"));
    expect(chosen.sort()).toEqual(["a1 live", "a2 preparing", "b1 live", "b2 preparing"]);
    expect(() => compileSet(chooseVersions(all, counted("Old")), counted("Old"))).not.toThrow();
  }
});

test("what a newer version has sent is not taken back by one of before, while the newer one is counted anew", () => {
  const versions: Versions = [
    version("a", 2, { event: "New", within: "2m" }),
    version("a", 1, { event: "Old", within: "60s" }),
  ];
  const setOf = (coverageOf: CoverageOf) => compileSet(chooseVersions([versions], coverageOf), coverageOf);
  const [whole, anew] = [setOf(counted("Old", "New")), setOf(counted("Old"))];
  const profile = createProfile("u", 0);
  const call = (name: string, offset: number, set: typeof whole) =>
    applyEvent(profile, { kind: "call", call: callOf({ name, messageId: name }) }, set, {
      offset,
      nowMs: NOW_MS,
    });
  const changes = () => profile.outbox.map(({ generation, text }) => `${generation} ${text}`);
  call("New", 1, whole);
  call("Old", 2, anew);
  advance(profile, anew, NOW_MS + 180_000);
  expect([changes(), profile.nextDeadlineMs]).toEqual([["2 true"], Infinity]);
  evaluate(profile, whole.computations.values(), NOW_MS + 180_000);
  expect(changes()).toEqual(["2 true", "2 false"]);
});
