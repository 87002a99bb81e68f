import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Report } from "./progress.ts";

/**
 * At most so many seeds a process runs before another takes the next: what a run leaves in memory goes with it. Not fewer, as a process is
 * slow until its code is compiled, for some hundred seeds.
 */
const MAX_SEEDS_A_PROCESS = 5_000;

export interface WorkersOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly workers: number;
  readonly arguments: readonly string[];
  onReport(report: Report): void;
}

interface Stretch {
  readonly firstSeed: number;
  readonly seeds: number;
}

/** All seeds, in stretches of one process each; every worker has one at least, where there are as many seeds. */
export function stretchesOf({
  firstSeed,
  seeds,
  workers,
}: Stretch & { readonly workers: number }): Stretch[] {
  const size = Math.min(MAX_SEEDS_A_PROCESS, Math.ceil(seeds / workers));
  return Array.from({ length: Math.ceil(seeds / size) }, (_, index) => ({
    firstSeed: firstSeed + index * size,
    seeds: Math.min(size, seeds - index * size),
  }));
}

/** Shares seeds among processes. Rejects when one of them ends otherwise than by having run its seeds. */
export async function runInWorkers(options: WorkersOptions): Promise<void> {
  const left = stretchesOf(options).values();
  const work = async (): Promise<void> => {
    for (const stretch of left) await runProcess(options, stretch);
  };
  await Promise.all(Array.from({ length: options.workers }, work));
}

async function runProcess(
  { arguments: given, onReport }: WorkersOptions,
  { firstSeed, seeds }: Stretch,
): Promise<void> {
  const main = `${import.meta.dirname}/../main.ts`;
  const own = ["--json", "--seed", String(firstSeed), "--seeds", String(seeds), ...given];
  const child = spawn(process.execPath, [...process.execArgv, main, ...own], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) onReport(JSON.parse(line) as Report);
  const status = await ended;
  if (status !== 0 && status !== 1) throw new Error(`seeds ${firstSeed} and on ended with status ${status}`);
}
