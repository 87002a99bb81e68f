import { expect, test } from "@jest/globals";
import { countError, estimateOf } from "./count-error.ts";

test("a count of all profiles has no error", () => {
  expect(countError({ total: 500, judged: 500, members: 20, isSpread: true })).toBe(0);
  // Some were deleted since they were counted.
  expect(countError({ total: 500, judged: 510, members: 20, isSpread: true })).toBe(0);
  expect(countError({ total: 0, judged: 0, members: 0, isSpread: true })).toBe(0);
});

test("a sample that is not spread is off by no more than those that were not judged", () => {
  // 250 estimated: 25 at least, 925 at most.
  expect(countError({ total: 1_000, judged: 100, members: 25, isSpread: false })).toBe(675);
  expect(countError({ total: 1_000, judged: 0, members: 0, isSpread: false })).toBe(1_000);
});

test("no member among many is no certainty that there is none", () => {
  const error = countError({ total: 1_000_000, judged: 20_000, members: 0, isSpread: true });
  expect(error).toBeGreaterThan(150);
  expect(error).toBeLessThan(250);
});

test.each([0.001, 0.02, 0.5, 0.97])(
  "of 400 samples at a share of %d some 95 %% lie within their error",
  (share) => {
    const total = 40_000;
    const members = Math.round(total * share);
    const random = generator(7);
    let within = 0;
    for (let round = 0; round < 400; round += 1) {
      const found = drawn({ total, members, judged: 2_000 }, random);
      const sampled = { total, judged: 2_000, members: found, isSpread: true };
      if (Math.abs(estimateOf(sampled) - members) <= countError(sampled)) within += 1;
    }
    expect(within / 400).toBeGreaterThan(0.92);
    expect(within / 400).toBeLessThanOrEqual(1);
  },
);

/** Members among `judged` profiles, drawn without putting back. */
function drawn(
  { judged, members, total }: { readonly judged: number; readonly members: number; readonly total: number },
  random: () => number,
): number {
  let found = 0;
  for (let index = 0; index < judged; index += 1)
    if (random() < (members - found) / (total - index)) found += 1;
  return found;
}

/** Park and Miller's. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
