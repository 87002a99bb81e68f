// `npm run bench -- COMMAND`: one of the benchmarks of docs/operate/performance.md.
import { startStack } from "#stack";
import { environment } from "#support/environment";
import { type BenchArguments, helpOf, readArguments } from "./arguments.ts";
import { type Choice, choiceOf, type Measurement } from "./commands.ts";
import { conditionsNow, createReport } from "./report.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printError = (line: string): void => void process.stderr.write(`${line}\n`);

interface Asked extends BenchArguments {
  readonly bench: Measurement;
}

/** A text is help. Throws a TypeError when something is refused. */
function askedFor(argv: readonly string[]): Asked | string {
  const choice: Choice | string = choiceOf(argv);
  if (typeof choice === "string") return choice;
  const { bench, usage, args } = choice;
  const options = readArguments(bench, args);
  return options === "help" ? helpOf(usage, bench) : { bench, ...options };
}

async function measure({ bench, flags, isJson }: Asked): Promise<void> {
  const say = isJson ? printError : print;
  if ("runAlone" in bench) {
    const report = createReport(bench.name, conditionsNow("none"), say);
    await bench.runAlone({ flags, report });
    if (isJson) print(report.json());
    return;
  }
  const stack = await startStack({ environment, log: say, brokers: bench.brokers ?? 1 });
  try {
    const report = createReport(bench.name, conditionsNow(stack.rung), say);
    await bench.run({ stack, flags, report });
    if (isJson) print(report.json());
  } finally {
    await stack.stop();
  }
}

let asked: Asked | string | undefined;
try {
  asked = askedFor(process.argv.slice(2));
} catch (thrown) {
  printError(thrown instanceof Error ? thrown.message : String(thrown));
  process.exitCode = 2;
}
if (typeof asked === "string") print(asked);
else if (asked !== undefined) await measure(asked);
