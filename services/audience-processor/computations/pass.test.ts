import { expect, test } from "@jest/globals";
import { audienceOf } from "../fixtures/calls.ts";
import { choose } from "./pass.ts";

const audience = (id: string, updatedAtMs: number) => audienceOf(id, { event: "A" }, { updatedAtMs });
const idsOf = (configs: readonly { id: string }[]) => configs.map(({ id }) => id);
const nowhere = () => null;

test("a pass is for the one that has waited longest, and for all that are as far", () => {
  const waiting = [audience("c", 3), audience("a", 1), audience("b", 2), audience("d", 4)];
  const cursorOf = ({ id }: { id: string }) => (id === "a" || id === "d" ? "u5" : null);
  expect(idsOf(choose(waiting, cursorOf))).toEqual(["a", "d"]);
  expect(idsOf(choose(waiting, nowhere))).toEqual(["a", "b", "c", "d"]);
  expect(choose([], nowhere)).toEqual([]);
});

test("of many it takes two hundred, those that have waited longest", () => {
  const waiting = Array.from({ length: 300 }, (_, place) => audience(`a${place}`, 300 - place));
  const chosen = idsOf(choose(waiting, nowhere));
  expect([chosen.length, chosen[0], chosen.at(-1)]).toEqual([200, "a299", "a100"]);
});
