import type { Finding } from "../laws/story.ts";
import { drawPlan } from "../plan/draw.ts";
import { leaveOut, partsOf } from "../plan/leave-out.ts";
import type { Plan } from "../plan/plan.ts";
import type { SizeName } from "../plan/size.ts";
import { run } from "./run.ts";
import { shrink } from "./shrink.ts";

/** A seed whose world has broken a law. */
export interface FailedSeed {
  readonly seed: number;
  /** undefined: as the seed decides. */
  readonly size: SizeName | undefined;
  readonly without: readonly string[];
  readonly findings: readonly Finding[];
  /** The end of what happened, a line each. */
  readonly trace: readonly string[];
}

export interface SeedOptions {
  readonly size?: SizeName | undefined;
  readonly without: readonly string[];
  readonly isShrinking: boolean;
  readonly lines: number;
}

/** Runs one seed; undefined when no law was broken. */
export async function runSeed(seed: number, options: SeedOptions): Promise<FailedSeed | undefined> {
  const plan = drawPlan(seed, options.size);
  const failed = await runPlan(plan, options);
  if (failed === undefined || !options.isShrinking) return failed;
  const laws = new Set(failed.findings.map(({ law }) => law));
  const left = leaveOut(plan, new Set(options.without));
  const more = await shrink(left, async (smaller) =>
    (await run(smaller)).findings.some(({ law }) => laws.has(law)),
  );
  return runPlan(plan, { ...options, without: [...options.without, ...more] });
}

async function runPlan(plan: Plan, { lines, size, without }: SeedOptions): Promise<FailedSeed | undefined> {
  const { findings, trace } = await run(leaveOut(plan, new Set(without)));
  if (findings.length === 0) return undefined;
  const said = trace
    .slice(trace.length - lines)
    .map(({ atMs, what, who }) => `${String(atMs).padStart(7)} ${who} ${what}`);
  return { seed: plan.seed, size, without, findings, trace: said };
}

/** For people: what was broken, how to see it again, and how it came to it. */
export function describe({ findings, seed, size, trace, without }: FailedSeed): string[] {
  const command = [
    `npm run simulate -- --seed ${seed} --seeds 1`,
    ...(size === undefined ? [] : [`--size ${size}`]),
    ...(without.length === 0 ? [] : [`--without ${without.join(",")}`]),
  ];
  const left = partsOf(leaveOut(drawPlan(seed, size), new Set(without)));
  return [
    `seed ${seed}`,
    ...findings.map(({ law, what }) => `  ${law}: ${what}`),
    `  parts: ${left.join(", ")}`,
    `  again: ${command.join(" ")}`,
    ...trace.map((line) => `    ${line}`),
  ];
}
