import type { Finding } from "../laws/story.ts";
import { drawPlan } from "../plan/draw.ts";
import { leaveOut, partsOf } from "../plan/leave-out.ts";
import { run } from "./run.ts";
import { shrink } from "./shrink.ts";

/** A seed whose world has broken a law. */
export interface FailedSeed {
  readonly seed: number;
  readonly without: readonly string[];
  readonly findings: readonly Finding[];
  /** The end of what happened, a line each. */
  readonly trace: readonly string[];
}

export interface SeedOptions {
  readonly without: readonly string[];
  readonly isShrinking: boolean;
  readonly lines: number;
}

/** Runs one seed; undefined when no law was broken. */
export async function runSeed(seed: number, options: SeedOptions): Promise<FailedSeed | undefined> {
  const plan = drawPlan(seed);
  const failed = await runWithout(seed, options.without, options.lines);
  if (failed === undefined || !options.isShrinking) return failed;
  const laws = new Set(failed.findings.map(({ law }) => law));
  const left = leaveOut(plan, new Set(options.without));
  const more = await shrink(left, async (smaller) =>
    (await run(smaller)).findings.some(({ law }) => laws.has(law)),
  );
  return runWithout(seed, [...options.without, ...more], options.lines);
}

async function runWithout(
  seed: number,
  without: readonly string[],
  lines: number,
): Promise<FailedSeed | undefined> {
  const plan = leaveOut(drawPlan(seed), new Set(without));
  const { findings, trace } = await run(plan);
  if (findings.length === 0) return undefined;
  const said = trace
    .slice(trace.length - lines)
    .map(({ atMs, what, who }) => `${String(atMs).padStart(7)} ${who} ${what}`);
  return { seed, without, findings, trace: said };
}

/** For people: what was broken, how to see it again, and how it came to it. */
export function describe({ findings, seed, trace, without }: FailedSeed): string[] {
  const command = [
    `npm run simulate -- --seed ${seed} --seeds 1`,
    ...(without.length === 0 ? [] : [`--without ${without.join(",")}`]),
  ];
  const left = partsOf(leaveOut(drawPlan(seed), new Set(without)));
  return [
    `seed ${seed}`,
    ...findings.map(({ law, what }) => `  ${law}: ${what}`),
    `  parts: ${left.join(", ")}`,
    `  again: ${command.join(" ")}`,
    ...trace.map((line) => `    ${line}`),
  ];
}
