// `npm run bench:<name>`: one of the benchmarks of docs/operate/performance.md.
import { startStack } from "#stack";
import { environment } from "#support/environment";
import { helpOf, readArguments } from "./arguments.ts";
import { attempts } from "./attempts.ts";
import { audiences } from "./audiences.ts";
import type { Bench, BenchDescription, LocalBench } from "./bench.ts";
import { delivery } from "./delivery.ts";
import { imports } from "./imports.ts";
import { ingest } from "./ingest.ts";
import { isolation } from "./isolation.ts";
import { longestTurn } from "./longest-turn.ts";
import { pipeline } from "./pipeline.ts";
import { processor } from "./processor.ts";
import { profiles } from "./profiles.ts";
import { recovery } from "./recovery.ts";
import { conditionsNow, createReport } from "./report.ts";
import { scale } from "./scale.ts";

const BENCHES: readonly (Bench | LocalBench)[] = [
  ingest,
  delivery,
  pipeline,
  isolation,
  recovery,
  scale,
  audiences,
  processor,
  profiles,
  imports,
  attempts,
  longestTurn,
];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printError = (line: string): void => void process.stderr.write(`${line}\n`);

/** Undefined when they are refused, which is said. */
function argumentsOf(
  bench: BenchDescription,
  args: readonly string[],
): ReturnType<typeof readArguments> | undefined {
  try {
    return readArguments(bench, args);
  } catch (thrown) {
    printError(thrown instanceof Error ? thrown.message : String(thrown));
    process.exitCode = 2;
    return undefined;
  }
}

async function runBench(bench: Bench | LocalBench, args: readonly string[]): Promise<void> {
  const options = argumentsOf(bench, args);
  if (options === undefined) return;
  if (options === "help") return print(helpOf(bench));
  const { flags, isJson } = options;
  const say = isJson ? printError : print;
  if ("runAlone" in bench) {
    const report = createReport(bench.name, conditionsNow("none"), say);
    await bench.runAlone({ flags, report });
    if (isJson) print(report.json());
    return;
  }
  const stack = await startStack({ environment, log: say });
  try {
    const report = createReport(bench.name, conditionsNow(stack.rung), say);
    await bench.run({ stack, flags, report });
    if (isJson) print(report.json());
  } finally {
    await stack.stop();
  }
}

const [name, ...args] = process.argv.slice(2);
const bench = BENCHES.find((candidate) => candidate.name === name);
if (bench === undefined) {
  for (const { name: known, summary } of BENCHES) print(`npm run bench:${known.padEnd(10)} ${summary}`);
} else {
  await runBench(bench, args);
}
