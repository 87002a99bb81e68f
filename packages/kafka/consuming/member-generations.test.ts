import { expect, test } from "@jest/globals";
import { Generations } from "./member-generations.ts";

function join(memberId: string, generation: number, ...partitions: number[]) {
  const assigned = partitions.flatMap((partition) => [
    { topic: "a", partition },
    { topic: "b", partition },
  ]);
  return { memberId, generation, assigned, userData: Buffer.alloc(0) };
}

test.each([
  ["the first one", undefined, ["m", 7], false],
  ["the next one", ["m", 7], ["m", 8], true],
  ["the same one again", ["m", 7], ["m", 7], true],
  ["one after a generation without it", ["m", 7], ["m", 9], false],
  ["one before", ["m", 7], ["m", 6], false],
  ["another member's", ["m", 7], ["n", 8], false],
] as const)("%s", (_, before, [memberId, generation], follows) => {
  const generations = new Generations();
  if (before !== undefined) generations.begin(join(before[0], before[1]), 1);
  expect(generations.begin(join(memberId, generation), 2)).toBe(follows);
  expect(generations.current).toBe(generation);
});

test("the last assignment names each number of a partition once", () => {
  const generations = new Generations();
  expect(generations.assignment).toEqual({ partitions: [], generation: 0, assignedAtMs: 0 });
  generations.begin(join("m", 3, 4, 0), 1_000);
  expect(generations.assignment).toEqual({ partitions: [4, 0], generation: 3, assignedAtMs: 1_000 });
});
