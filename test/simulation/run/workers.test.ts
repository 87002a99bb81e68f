import { expect, test } from "@jest/globals";
import { stretchesOf } from "./workers.ts";

test.each([
  { firstSeed: 1, seeds: 1_000, workers: 4 },
  { firstSeed: 7, seeds: 100_000, workers: 2 },
  { firstSeed: 1, seeds: 11, workers: 3 },
  { firstSeed: 5, seeds: 2, workers: 8 },
])(
  "$seeds seeds go to $workers workers, each seed once, and no worker is idle while there are seeds",
  (run) => {
    const stretches = stretchesOf(run);
    const seeds = stretches.flatMap((each) =>
      Array.from({ length: each.seeds }, (_, index) => each.firstSeed + index),
    );
    expect(seeds).toEqual(Array.from({ length: run.seeds }, (_, index) => run.firstSeed + index));
    expect(stretches.length).toBeGreaterThanOrEqual(Math.min(run.workers, run.seeds));
  },
);
