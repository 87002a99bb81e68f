// `npm run mutation`: faults are put into the code, one at a time, and the unit suites have to find them (docs/develop/mutation.md).
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import type { Sample } from "./sample.ts";
import { FOLDERS, type Part, partOf } from "./scope.ts";
import { linesOf, type Mutant } from "./score.ts";

const ROOT = join(import.meta.dirname, "../..");

const HELP = `npm run mutation -- [<path>...] [options]

Puts one fault at a time into the code below the paths (default: all of ${FOLDERS.length} folders) and runs the unit suites of its
folder that reach it. Suites that need Kafka are left out.

  --static         also faults in what runs while modules are loaded (constants, schemas): all suites of the folder for each
  --share percent  of the faults only so many, drawn by --seed (default 1); the score then has the interval in which that of all faults
                   lies in 95 of 100 draws
  --concurrency n  processes (default 2)
  --patience n     how many times as long as usual a test has before it counts as one that does not end (default 1): on a machine that is
                   busy with other things, a test that is only slow would count as a fault found
  --fresh          forgets the results of earlier runs (.cache/mutation), which are else reused where code and suites are as then
  --help

folders: ${FOLDERS.join(", ")}
`;

interface Flags {
  readonly static: boolean;
  readonly fresh: boolean;
  readonly concurrency: number;
  readonly patience: number;
  /** undefined: all faults. */
  readonly sample: Sample | undefined;
}

function sampleOf({ share, seed }: { share?: string | undefined; seed: string }): Sample | undefined {
  if (share === undefined) return undefined;
  const sample = { share: Number(share) / 100, seed: Number(seed) };
  if (!(sample.share > 0 && sample.share < 1)) throw new Error("--share is between 0 and 100");
  if (!Number.isSafeInteger(sample.seed)) throw new Error("--seed is a whole number");
  return sample;
}

/** Stryker's options for one folder. */
function optionsOf({ folder, mutate, suites }: Part, flags: Flags): ConstructorParameters<typeof Stryker>[0] {
  const { sample } = flags;
  // What is not drawn is remembered as not to be tried, so a sample has a file of its own.
  const suffix = sample === undefined ? "" : `-${sample.share}-${sample.seed}`;
  const name = `${folder.replaceAll("/", "-")}${suffix}`;
  return {
    mutate: [...mutate],
    plugins: ["runner.ts", "sample.ts"].map((file) => join(import.meta.dirname, file)),
    testRunner: "suites",
    suites: [...suites],
    patience: flags.patience,
    coverageAnalysis: "perTest",
    ignoreStatic: !flags.static,
    checkers: sample === undefined ? [] : ["sample"],
    sample,
    disableTypeChecks: false,
    // Links to folders, which Stryker cannot copy, are in the chart.
    ignorePatterns: ["/.cache", "/deploy/helm/hookline/files"],
    concurrency: flags.concurrency,
    timeoutMS: 10_000 * flags.patience,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 30,
    incremental: true,
    incrementalFile: `.cache/mutation/${name}.json`,
    force: flags.fresh,
    tempDirName: ".cache/mutation/tmp",
    reporters: ["progress-append-only"],
    allowEmpty: true,
  };
}

/** What is wanted of one folder is one run. */
function byFolder(parts: readonly Part[]): Part[] {
  const folders = Map.groupBy(parts, ({ folder }) => folder);
  return [...folders.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, mutate: [first, ...others].flatMap(({ mutate }) => mutate) }],
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      static: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      share: { type: "string" },
      seed: { type: "string", default: "1" },
      concurrency: { type: "string", default: "2" },
      patience: { type: "string", default: "1" },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const paths = positionals.length === 0 ? FOLDERS : positionals.map((path) => path.replace(/\/$/, ""));
  const parts = paths.map((path) => {
    const folder = FOLDERS.find((one) => path === one || path.startsWith(`${one}/`));
    const part = folder === undefined ? undefined : partOf(folder, path);
    if (part === undefined) throw new Error(`${path} is not below any of ${FOLDERS.join(", ")}`);
    return part;
  });
  const found: Mutant[] = [];
  const { concurrency, patience } = values;
  const flags = {
    ...values,
    concurrency: Number(concurrency),
    patience: Number(patience),
    sample: sampleOf(values),
  };
  for (const part of byFolder(parts)) {
    const mutants = await new Stryker(optionsOf(part, flags)).runMutationTest();
    const named = mutants.map((mutant) => ({ ...mutant, fileName: relative(ROOT, mutant.fileName) }));
    // Stryker also gives what it remembers of the folder's other files.
    found.push(...named.filter(({ fileName }) => part.mutate.includes(fileName)));
  }
  for (const line of linesOf(found, flags.sample?.share)) process.stdout.write(`${line}\n`);
}

await main();
