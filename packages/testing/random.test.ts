import { expect, test } from "@jest/globals";
import { Random } from "./random.ts";

test("chance is spread evenly and stays within its bounds, also that of one purpose after the other", () => {
  const random = new Random(42);
  const counts = [0, 0, 0, 0];
  for (let draw = 0; draw < 4_000; draw += 1) {
    const value = random.between(0, 3);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  expect(counts).toHaveLength(4);
  expect(Math.min(...counts)).toBeGreaterThan(800);
  const chances = Array.from({ length: 4_000 }, (_, index) => random.split(String(index)).next());
  const mean = chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
  expect(Math.min(...chances)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...chances)).toBeLessThan(1);
  expect(random.shuffled([1, 2, 3]).sort()).toEqual([1, 2, 3]);
});
