import { expect, test } from "@jest/globals";
import { backoffMs, isWorthLogging } from "./backoff.ts";

const RANGE = { first: 100, max: 1_000 };

function delays(random: number, range = RANGE, failures = [0, 1, 2, 3, 4, 5, 100]): number[] {
  return failures.map((count) => backoffMs(count, range, { random: () => random }));
}

test("a delay doubles with each failure, from the first to the longest", () => {
  expect(delays(0.5)).toEqual([100, 100, 200, 400, 800, 1_000, 1_000]);
});

test("a delay is up to a tenth shorter or longer, by chance", () => {
  expect(delays(0)).toEqual([90, 90, 180, 360, 720, 900, 900]);
  expect(delays(1)).toEqual([110, 110, 220, 440, 880, 1_100, 1_100]);
});

test("after thirty doublings a delay stays, so that no number overflows", () => {
  const unbounded = { first: 1, max: Number.POSITIVE_INFINITY };
  expect(delays(0.5, unbounded, [30, 31, 2_000])).toEqual([2 ** 29, 2 ** 30, 2 ** 30]);
});

test("of failures in a row the first, second, fourth, eighth and so on are worth a line", () => {
  const failures = Array.from({ length: 70 }, (_, index) => index + 1);
  expect(failures.filter(isWorthLogging)).toEqual([1, 2, 4, 8, 16, 32, 64]);
});
