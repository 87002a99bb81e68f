import { describe, expect, test } from "@jest/globals";
import { drawPlan } from "./plan/draw.ts";
import { leaveOut, partsOf } from "./plan/leave-out.ts";
import { planOf } from "./plan/worlds.ts";
import { REGRESSIONS } from "./regressions/seeds.ts";
import type { Report } from "./run/progress.ts";
import { run } from "./run/run.ts";
import { describe as describeFailed, runSeed } from "./run/seed.ts";
import { shrink } from "./run/shrink.ts";
import { runInWorkers } from "./run/workers.ts";

/** About a minute of one core's CPU time, in a process of its own: within jest they took several times as long. */
const SEEDS = { worlds: "deliveries", firstSeed: 1_157, seeds: 200 };
/** Some five seconds. */
const AUDIENCE_SEEDS = { worlds: "audiences", firstSeed: 1, seeds: 60 };
/** Some ten. */
const MEMBER_SEEDS = { worlds: "members", firstSeed: 1, seeds: 60 };
const TIMEOUT_MS = 1_500_000;
const OPTIONS = { without: [], isShrinking: false, lines: 40 } as const;

describe("simulated worlds", () => {
  test(
    "two runs of one seed are the same, line by line",
    async () => {
      const deliveries = [2, 6, 65, 93].map((seed) => drawPlan(seed));
      const audiences = [23, 27].map((seed) => planOf({ seed, worlds: "audiences" }));
      const members = [4, 7].map((seed) => planOf({ seed, worlds: "members" }));
      for (const plan of [...deliveries, ...audiences, ...members]) {
        const [one, other] = [await run(plan), await run(plan)];
        expect(other.traceHash).toBe(one.traceHash);
      }
      expect(new Error("after a run").stack).toContain("simulation.test.ts");
    },
    TIMEOUT_MS,
  );

  test.each([SEEDS, AUDIENCE_SEEDS, MEMBER_SEEDS])(
    "$seeds seeds of $worlds from $firstSeed on break no law",
    async ({ worlds, ...range }) => {
      const said: string[] = [];
      let done = 0;
      const onReport = (report: Report): void => {
        if (report.kind === "failed") said.push(...describeFailed(report.failed));
        else done += report.seeds;
      };
      const given = ["--worlds", worlds, "--lines", String(OPTIONS.lines)];
      await runInWorkers({ ...range, workers: 1, arguments: given, onReport });
      expect(said.join("\n")).toBe("");
      expect(done).toBe(range.seeds);
    },
    TIMEOUT_MS,
  );

  test(
    "seeds that have found something once break no law any more",
    async () => {
      const said: string[] = [];
      for (const { found, ...world } of REGRESSIONS)
        for (const seed of Object.keys(found)) {
          const failed = await runSeed(Number(seed), { ...OPTIONS, ...world });
          if (failed !== undefined) said.push(...describeFailed(failed));
        }
      expect(said.join("\n")).toBe("");
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
