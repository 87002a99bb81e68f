// `npm run simulate`: thousands of worlds, each decided by its seed; in none of them a law is broken.
import { HELP, readArguments, type SimulationArguments } from "./run/arguments.ts";
import { describe, type FailedSeed, runSeed } from "./run/seed.ts";
import { runInWorkers } from "./run/workers.ts";

const REPORT_EVERY_MS = 10_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Counts, and says how it goes. */
class Progress {
  readonly #options: SimulationArguments;
  readonly #startedAtMs = performance.now();
  #saidAtMs = performance.now();
  #done = 0;
  failed = 0;

  constructor(options: SimulationArguments) {
    this.#options = options;
  }

  onFailed(failed: FailedSeed): void {
    this.failed += 1;
    if (this.#options.isJson) say(JSON.stringify(failed));
    else for (const line of describe(failed)) say(line);
  }

  onDone(seeds: number): void {
    this.#done += seeds;
    if (performance.now() - this.#saidAtMs < REPORT_EVERY_MS || this.#options.isJson) return;
    this.#saidAtMs = performance.now();
    say(this.line);
  }

  get line(): string {
    const perMinute = Math.round((this.#done * 60_000) / (performance.now() - this.#startedAtMs));
    return `${this.#done} of ${this.#options.seeds} seeds, ${perMinute} a minute, ${this.failed} failed`;
  }
}

async function main(options: SimulationArguments): Promise<number> {
  const { firstSeed, isShrinking, lines, seeds, without, workers } = options;
  const progress = new Progress(options);
  if (workers > 1) {
    const given = [
      "--without",
      without.join(","),
      "--lines",
      String(lines),
      ...(isShrinking ? ["--shrink"] : []),
    ];
    await runInWorkers({
      firstSeed,
      seeds,
      workers,
      arguments: given,
      onFailed: (failed) => progress.onFailed(failed),
      onDone: (done) => progress.onDone(done),
    });
  } else {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
      const failed = await runSeed(seed, { without, isShrinking, lines });
      if (failed !== undefined) progress.onFailed(failed);
      progress.onDone(1);
    }
  }
  if (!options.isJson) say(progress.line);
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
