// One mutant in a process of its own: `alone.ts '<json of AloneOptions>'`, with the mutant in Stryker's own variable. What a
// process does only once (a cache, a compiled schema) hides faults in it from the runs after the first.
import { replaceGlobals, Suites } from "./suites.ts";

export interface AloneOptions {
  readonly paths: readonly string[];
  /** undefined: all tests. */
  readonly ids: readonly string[] | undefined;
  readonly patience: number;
}

const { paths, ids, patience }: AloneOptions = JSON.parse(process.argv[2] ?? "");
replaceGlobals();
const suites = await Suites.load(paths, patience);
const outcomes = await suites.run(ids === undefined ? undefined : new Set(ids), { isBailing: true });
const failed = outcomes.find(({ failure }) => failure !== undefined);
// Whatever the mutant left open must not keep the process.
process.stdout.write(`${JSON.stringify(failed ?? null)}\n`, () => process.exit());
