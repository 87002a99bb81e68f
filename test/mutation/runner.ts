// Stryker's plugin that runs our suites (suites.ts).

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { INSTRUMENTER_CONSTANTS, type MutantCoverage, type StrykerOptions } from "@stryker-mutator/api/core";
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { processEnvironment } from "#runtime";
import type { AloneOptions } from "./alone.ts";
import { type RunOptions, replaceGlobals, Suites, type TestOutcome, type Watcher } from "./suites.ts";

/** What instrumented code looks at. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: MutantCoverage | undefined;
}

function instrumentation(): Instrumentation {
  const holder = globalThis as unknown as Record<string, Instrumentation | undefined>;
  holder[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
  return holder[INSTRUMENTER_CONSTANTS.NAMESPACE] ?? {};
}

function resultOf({ id, path, timeMs, failure }: TestOutcome): TestResult {
  const result = { id, name: id, fileName: path, timeSpentMs: timeMs };
  return failure === undefined
    ? { ...result, status: TestStatus.Success }
    : { ...result, status: TestStatus.Failed, failureMessage: failure };
}

/** What the hooks that run once for many tests have reached counts for each of these tests. */
function shareHooks({ perTest }: MutantCoverage, shared: ReadonlyMap<string, readonly string[]>): void {
  for (const [hooks, ids] of shared) {
    const reached = perTest[hooks];
    delete perTest[hooks];
    for (const id of reached === undefined ? [] : ids) perTest[id] = { ...reached, ...perTest[id] };
  }
}

const START_MS = 20_000;

/** The first failure, or undefined; a process that dies or takes too long has failed too. */
async function failureAlone(
  options: AloneOptions,
  { mutant, timeoutMs }: { mutant: string; timeoutMs: number },
): Promise<Pick<TestOutcome, "id" | "failure"> | undefined> {
  const program = join(import.meta.dirname, "alone.ts");
  const args = ["--disable-warning=ExperimentalWarning", program, JSON.stringify(options)];
  const child = {
    env: { ...processEnvironment(), [INSTRUMENTER_CONSTANTS.ACTIVE_MUTANT_ENV_VARIABLE]: mutant },
    timeout: options.patience * START_MS + timeoutMs,
    killSignal: "SIGKILL" as const,
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, child);
    const said = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as TestOutcome | null;
    return said ?? undefined;
  } catch (error) {
    return { id: options.ids?.[0] ?? "", failure: (error as Error).message };
  }
}

class SuiteRunner implements TestRunner {
  readonly #paths: readonly string[];
  readonly #patience: number;
  #suites: Promise<Suites> | undefined;

  constructor(options: StrykerOptions) {
    this.#patience = options["patience"] as number;
    this.#paths = (options["suites"] as readonly string[]).map((path) => join(process.cwd(), path));
  }

  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    replaceGlobals();
  }

  #loaded(): Promise<Suites> {
    this.#suites ??= Suites.load(this.#paths, this.#patience);
    return this.#suites;
  }

  async dryRun({ coverageAnalysis }: DryRunOptions): Promise<DryRunResult> {
    const suites = await this.#loaded();
    const shared = new Map<string, readonly string[]>();
    const watcher = (path: string, ids: readonly string[]): Watcher => {
      shared.set(`hooks of ${path}`, ids);
      return {
        begins: (id) => {
          instrumentation().currentTestId = id === "" ? `hooks of ${path}` : id;
        },
        ended: () => {
          instrumentation().currentTestId = undefined;
        },
      };
    };
    const result = await this.#run(suites, undefined, { isBailing: false, watcher });
    const coverage = instrumentation().mutantCoverage;
    if (coverageAnalysis === "off" || coverage === undefined || result.status !== DryRunStatus.Complete)
      return result;
    shareHooks(coverage, shared);
    return { ...result, mutantCoverage: coverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, testFilter, mutantActivation } = options;
    const instrumented = instrumentation();
    if (mutantActivation === "static") {
      return this.#runAlone(options, { status: MutantRunStatus.Survived, nrOfTests: 0 });
    }
    const suites = await this.#loaded();
    instrumented.hitLimit = hitLimit;
    instrumented.hitCount = hitLimit === undefined ? undefined : 0;
    instrumented.activeMutant = activeMutant.id;
    const ids = testFilter === undefined ? undefined : new Set(testFilter);
    const result = await this.#run(suites, ids, { isBailing: !options.disableBail });
    const limit = determineHitLimitReached(instrumented.hitCount, hitLimit);
    instrumented.activeMutant = undefined;
    instrumented.hitLimit = undefined;
    const found = toMutantRunResult(limit ?? result);
    return found.status === MutantRunStatus.Survived ? this.#runAlone(options, found) : found;
  }

  /** Looks a second time at a mutant that was not found, in a process that has run nothing before. */
  async #runAlone(
    { activeMutant, testFilter, timeout }: MutantRunOptions,
    survived: MutantRunResult,
  ): Promise<MutantRunResult> {
    const paths = this.#paths.filter((path) => testFilter?.some((id) => id.startsWith(path)) ?? true);
    const failed = await failureAlone(
      { paths, ids: testFilter, patience: this.#patience },
      { mutant: activeMutant.id, timeoutMs: timeout },
    );
    if (failed === undefined) return survived;
    return {
      status: MutantRunStatus.Killed,
      killedBy: [failed.id],
      failureMessage: failed.failure ?? "",
      nrOfTests: 1,
    };
  }

  async #run(
    suites: Suites,
    ids: ReadonlySet<string> | undefined,
    options: RunOptions,
  ): Promise<DryRunResult> {
    try {
      const outcomes = await suites.run(ids, options);
      return { status: DryRunStatus.Complete, tests: outcomes.map(resultOf) };
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: String((error as Error).stack) };
    }
  }
}

function createRunner(options: StrykerOptions): TestRunner {
  return new SuiteRunner(options);
}
createRunner.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "suites", createRunner)];

export const strykerValidationSchema = {
  properties: {
    suites: { type: "array", items: { type: "string" } },
    patience: { type: "number" },
  },
};
