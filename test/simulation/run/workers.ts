import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Report } from "./progress.ts";

/** So many seeds a process runs before another takes the next: what a run leaves in memory goes with it. */
const SEEDS_A_PROCESS = 1_000;

export interface WorkersOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly workers: number;
  readonly arguments: readonly string[];
  onReport(report: Report): void;
}

/** Shares seeds among processes. Rejects when one of them ends otherwise than by having run its seeds. */
export async function runInWorkers(options: WorkersOptions): Promise<void> {
  let next = options.firstSeed;
  const end = options.firstSeed + options.seeds;
  const work = async (): Promise<void> => {
    while (next < end) {
      const [firstSeed, seeds] = [next, Math.min(SEEDS_A_PROCESS, end - next)];
      next += seeds;
      await runProcess(options, firstSeed, seeds);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
}

async function runProcess(
  { arguments: given, onReport }: WorkersOptions,
  firstSeed: number,
  seeds: number,
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
