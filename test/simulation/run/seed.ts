import type { Finding } from "../laws/story.ts";
import { leaveOut, partsOf } from "../plan/leave-out.ts";
import type { Plan } from "../plan/plan.ts";
import type { SizeName } from "../plan/size.ts";
import { planOf, type Worlds } from "../plan/worlds.ts";
import { run } from "./run.ts";
import { shrink } from "./shrink.ts";

/** A seed whose world has broken a law. */
export interface FailedSeed {
  readonly seed: number;
  readonly worlds: Worlds;
  /** undefined: as the seed decides. */
  readonly size: SizeName | undefined;
  readonly without: readonly string[];
  readonly findings: readonly Finding[];
  /** The end of what happened, a line each. */
  readonly trace: readonly string[];
}

export interface SeedOptions {
  readonly worlds: Worlds;
  readonly size?: SizeName | undefined;
  readonly without: readonly string[];
  readonly isShrinking: boolean;
  readonly lines: number;
}

/** Runs one seed; undefined when no law was broken. */
export async function runSeed(seed: number, options: SeedOptions): Promise<FailedSeed | undefined> {
  const plan = planOf({ seed, ...options });
  const failed = await runPlan(plan, options);
  if (failed === undefined || !options.isShrinking) return failed;
  const laws = new Set(failed.findings.map(({ law }) => law));
  const left = leaveOut(plan, new Set(options.without));
  const more = await shrink(left, async (smaller) =>
    (await run(smaller)).findings.some(({ law }) => laws.has(law)),
  );
  return runPlan(plan, { ...options, without: [...options.without, ...more] });
}

async function runPlan(
  plan: Plan,
  { lines, size, without, worlds }: SeedOptions,
): Promise<FailedSeed | undefined> {
  const { findings, trace } = await run(leaveOut(plan, new Set(without)));
  if (findings.length === 0) return undefined;
  const said = trace
    .slice(trace.length - lines)
    .map(({ atMs, what, who }) => `${String(atMs).padStart(7)} ${who} ${what}`);
  return { seed: plan.seed, worlds, size, without, findings, trace: said };
}

/** For people: what was broken, how to see it again, and how it came to it. */
export function describe({ findings, trace, without, ...name }: FailedSeed): string[] {
  const { seed, size, worlds } = name;
  const command = [
    `npm run simulate -- --seed ${seed} --seeds 1`,
    ...(worlds === "deliveries" ? [] : [`--worlds ${worlds}`]),
    ...(size === undefined ? [] : [`--size ${size}`]),
    ...(without.length === 0 ? [] : [`--without ${without.join(",")}`]),
  ];
  const left = partsOf(leaveOut(planOf(name), new Set(without)));
  return [
    `seed ${seed}`,
    ...findings.map(({ law, what }) => `  ${law}: ${what}`),
    `  parts: ${left.join(", ")}`,
    `  again: ${command.join(" ")}`,
    ...trace.map((line) => `    ${line}`),
  ];
}
