import { describe, expect, test } from "@jest/globals";
import { drawPlan } from "./plan/draw.ts";
import { leaveOut, partsOf } from "./plan/leave-out.ts";
import { REGRESSIONS } from "./regressions/seeds.ts";
import { run } from "./run/run.ts";
import { describe as describeFailed, runSeed } from "./run/seed.ts";
import { shrink } from "./run/shrink.ts";

/** About half a minute of one core, in stretches so that a failure tells where. */
const STRETCHES = Array.from({ length: 10 }, (_, index) => ({ first: 1 + index * 10, seeds: 10 }));
const TIMEOUT_MS = 300_000;
const OPTIONS = { without: [], isShrinking: false, lines: 40 };

async function failures(seeds: readonly number[]): Promise<string> {
  const said: string[] = [];
  for (const seed of seeds) {
    const failed = await runSeed(seed, OPTIONS);
    if (failed !== undefined) said.push(...describeFailed(failed));
  }
  return said.join("\n");
}

describe("simulated worlds", () => {
  test(
    "two runs of one seed are the same, line by line",
    async () => {
      for (const seed of [2, 6, 93]) {
        const [one, other] = [await run(drawPlan(seed)), await run(drawPlan(seed))];
        expect(other.traceHash).toBe(one.traceHash);
      }
    },
    TIMEOUT_MS,
  );

  test.each(STRETCHES)(
    "$seeds seeds from $first on break no law",
    async ({ first, seeds }) => {
      expect(await failures(Array.from({ length: seeds }, (_, index) => first + index))).toBe("");
    },
    TIMEOUT_MS,
  );

  test(
    "seeds that have found something once break no law any more",
    async () => {
      expect(await failures(REGRESSIONS.map(({ seed }) => seed))).toBe("");
    },
    TIMEOUT_MS,
  );
});

describe("shrinking", () => {
  test("leaves out everything that a failure does not need, and nothing else", async () => {
    const plan = drawPlan(6);
    const [needed, alsoNeeded] = [partsOf(plan)[1], partsOf(plan).at(-1)];
    const fails = async (tried: typeof plan) =>
      [needed, alsoNeeded].every((id) => id !== undefined && partsOf(tried).includes(id));
    const without = await shrink(plan, fails);
    expect(partsOf(leaveOut(plan, new Set(without)))).toEqual([needed, alsoNeeded]);
  });
});
