// `npm run simulate`: thousands of worlds, each decided by its seed; in none of them a law is broken.
import { hasFeature } from "./plan/worlds.ts";
import { HELP, readArguments, type SimulationArguments } from "./run/arguments.ts";
import { createCpuMeter, Progress, type Report } from "./run/progress.ts";
import { describe, runSeed } from "./run/seed.ts";
import { runInWorkers } from "./run/workers.ts";

const REPORT_EVERY_MS = 10_000;
/** So many seeds between two reports of a process to the one that shares them out. */
const REPORT_EVERY_SEEDS = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs the seeds one after the other in this process. */
async function runHere(options: SimulationArguments, report: (report: Report) => void): Promise<void> {
  const { firstSeed, having, isShrinking, lines, seeds, size, without, worlds } = options;
  const takeCpuMs = createCpuMeter();
  let unsaid = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const isPassedOver = having !== undefined && !hasFeature({ seed, size, worlds }, having);
    const failed = isPassedOver
      ? undefined
      : await runSeed(seed, { worlds, size, without, isShrinking, lines });
    if (failed !== undefined) report({ kind: "failed", failed });
    unsaid += 1;
    if (unsaid < REPORT_EVERY_SEEDS && seed < firstSeed + seeds - 1) continue;
    report({ kind: "done", seeds: unsaid, cpuMs: takeCpuMs() });
    unsaid = 0;
  }
}

function runShared(options: SimulationArguments, report: (report: Report) => void): Promise<void> {
  const { firstSeed, having, isShrinking, lines, seeds, size, without, workers, worlds } = options;
  const given = [
    "--worlds",
    worlds,
    "--without",
    without.join(","),
    "--lines",
    String(lines),
    ...(size === undefined ? [] : ["--size", size]),
    ...(having === undefined ? [] : ["--having", having]),
    ...(isShrinking ? ["--shrink"] : []),
  ];
  return runInWorkers({ firstSeed, seeds, workers, arguments: given, onReport: report });
}

async function main(options: SimulationArguments): Promise<number> {
  const { isJson, seeds, workers } = options;
  const progress = new Progress({ seeds, workers });
  let saidAtMs = performance.now();
  const report = (said: Report): void => {
    progress.add(said);
    if (isJson) {
      say(JSON.stringify(said));
      return;
    }
    if (said.kind === "failed") for (const line of describe(said.failed)) say(line);
    if (progress.isComplete || performance.now() - saidAtMs < REPORT_EVERY_MS) return;
    saidAtMs = performance.now();
    say(progress.line);
  };
  await (workers > 1 ? runShared(options, report) : runHere(options, report));
  if (!isJson) say(progress.line);
  return progress.failed === 0 ? 0 : 1;
}

/** undefined, when they are wrong, after that was said. */
function givenArguments(): SimulationArguments | "help" | undefined {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}; see npm run simulate -- --help\n`);
    return undefined;
  }
}

const given = givenArguments();
if (given === undefined) process.exitCode = 2;
else if (given === "help") say(HELP);
else process.exitCode = await main(given);
