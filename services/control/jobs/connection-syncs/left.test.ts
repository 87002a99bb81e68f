import { expect, test } from "@jest/globals";
import { destination } from "#support/records";
import { LeftDestinations } from "./left.ts";

const at = (version: number, enabled: boolean) => ({
  key: "d",
  decoded: destination({
    ...{ id: "d", enabled, sourceIds: ["spa_default"], version, updatedAtMs: 1_000 - version },
  }),
});

test("the newest version by which a destination took nothing is known until it is deleted", () => {
  const left = new LeftDestinations();
  left.observe(at(1, true));
  expect(left.of("d")).toBeUndefined();
  for (const one of [at(2, false), at(3, false), at(4, true)]) left.observe(one);
  expect(left.of("d")).toEqual({ version: 3, atMs: 997 });
  left.observe({ key: "d", decoded: undefined });
  expect(left.of("d")).toBeUndefined();
});

test("what is read once more, or was restored at earlier versions, begins anew", () => {
  const left = new LeftDestinations();
  for (const one of [at(8, false), at(9, true), at(5, true)]) left.observe(one);
  expect(left.of("d")).toBeUndefined();
  left.observe(at(6, false));
  expect(left.of("d")?.version).toBe(6);
});
