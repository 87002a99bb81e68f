// Suites that are loaded once and then run as often as there are mutants, each time with those tests alone that reach the
// mutant. Jest would load every module again for each of them, which takes a hundred times as long.
import { rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { Circus } from "@jest/types";
import { addEventHandler, getState, resetState, run, setState } from "jest-circus";

/**
 * What a test has at most, beside five times what it has taken: a mutant that lets it wait for ever is found when this is over. A
 * test that has not run in this process has more, as it may be a slow one.
 */
const TEST_TIMEOUT_MS = 5_000;
const FIRST_TIMEOUT_MS = 20_000;
const CIRCUS_TIMEOUT = Symbol.for("TEST_TIMEOUT_SYMBOL");

interface Suite {
  readonly path: string;
  readonly state: Circus.State;
  readonly tests: ReadonlyMap<string, Circus.TestEntry>;
  /** What its tests have taken at most. */
  timeMs: number;
}

export interface TestOutcome {
  readonly id: string;
  readonly path: string;
  readonly timeMs: number;
  /** undefined of one that passed. */
  readonly failure?: string;
}

export interface Watcher {
  /** A test and its hooks begin, or the hooks that a suite runs once: `tests` are those that they count for. */
  readonly begins: (id: string) => void;
  readonly ended: () => void;
}

export function setTimeout(): void {
  // The time of a test is the same for all here.
}

/** Lets suites find `globals.ts` where they ask for jest's own. */
export function replaceGlobals(): void {
  const url = new URL("./globals.ts", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "@jest/globals" ? { url, shortCircuit: true } : next(specifier, context),
  });
}

function entriesOf(block: Circus.DescribeBlock): Circus.TestEntry[] {
  return block.children.flatMap((child) => (child.type === "test" ? [child] : entriesOf(child)));
}

function titleOf(test: Circus.TestEntry): string {
  const titles: string[] = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent) titles.unshift(block.name);
  return titles.join(" ");
}

/** Ids of the tests, which have to be different also where two of one suite are called the same. */
function idsOf(path: string, entries: readonly Circus.TestEntry[]): Map<string, Circus.TestEntry> {
  const ids = new Map<string, Circus.TestEntry>();
  for (const entry of entries) {
    const id = `${path} ${titleOf(entry)}`;
    let free = id;
    for (let count = 2; ids.has(free); count += 1) free = `${id} (${count})`;
    ids.set(free, entry);
  }
  return ids;
}

async function load(path: string): Promise<Suite> {
  resetState();
  await import(pathToFileURL(path).href);
  const state = getState();
  const tests = idsOf(path, entriesOf(state.rootDescribeBlock));
  return { path, state, tests, timeMs: 0 };
}

function messageOf(error: Circus.TestError): string {
  const [first] = Array.isArray(error) ? error : [error];
  return first instanceof Error ? first.message : String(first);
}

/** Filled by test/support/scratch-folder.ts. */
const scratchFolders: string[] = [];
Object.assign(globalThis, { scratchFolders });

/** Everything in the suites of one process. */
export class Suites {
  readonly #suites: readonly Suite[];
  #watcher: Watcher | undefined;
  #foldersBefore = 0;
  #isBailing = false;
  #chosen: ReadonlySet<Circus.TestEntry> = new Set();
  readonly #ids = new Map<Circus.TestEntry, string>();
  /** What each test has taken at most. */
  readonly #longestMs = new Map<Circus.TestEntry, number>();
  readonly #patience: number;
  /** What nobody caught since the run began: it fails the test that runs. */
  #running: Circus.TestEntry | undefined;

  constructor(suites: readonly Suite[], patience: number) {
    this.#suites = suites;
    this.#patience = patience;
    for (const { tests } of suites) for (const [id, test] of tests) this.#ids.set(test, id);
    Object.assign(globalThis, { [CIRCUS_TIMEOUT]: patience * FIRST_TIMEOUT_MS });
    addEventHandler((event) => this.#handle(event));
    const fail = (error: unknown): void => void this.#running?.errors.push(error as Circus.TestError);
    process.on("uncaughtException", fail).on("unhandledRejection", fail);
  }

  /** `patience`: how many times as long as usual a test has, where the machine is busy with other things. */
  static async load(paths: readonly string[], patience: number): Promise<Suites> {
    const suites: Suite[] = [];
    for (const path of paths) suites.push(await load(path));
    return new Suites(suites, patience);
  }

  #handle(event: Circus.Event | Circus.SyncEvent): void {
    if (event.name === "test_start") this.#foldersBefore = scratchFolders.length;
    if (event.name === "test_done")
      for (const folder of scratchFolders.splice(this.#foldersBefore)) rmSync(folder, { recursive: true });
    if (event.name === "hook_start" && event.hook.type.endsWith("All")) this.#watcher?.begins("");
    if (event.name === "hook_success" || event.name === "hook_failure") {
      if (event.hook.type.endsWith("All")) this.#watcher?.ended();
    }
    if (event.name === "test_start") {
      this.#running = event.test;
      this.#watcher?.begins(this.#ids.get(event.test) ?? "");
    }
    if (event.name === "test_done") {
      this.#running = undefined;
      this.#watcher?.ended();
      if (this.#isBailing && event.test.errors.length > 0) this.#leaveOutTheRest();
    }
  }

  #leaveOutTheRest(): void {
    for (const test of this.#chosen) test.mode = "skip";
  }

  /** Runs the tests of these ids, or all; after the first failure no more, when told to bail. */
  async run(ids: ReadonlySet<string> | undefined, options: RunOptions): Promise<TestOutcome[]> {
    const outcomes: TestOutcome[] = [];
    // What takes longest comes last: most faults are found before.
    for (const suite of this.#suites.toSorted((one, other) => one.timeMs - other.timeMs)) {
      const wanted = [...suite.tests].filter(([id]) => ids === undefined || ids.has(id));
      if (wanted.length === 0) continue;
      outcomes.push(...(await this.#runSuite(suite, wanted, options)));
      if (options.isBailing && outcomes.some(({ failure }) => failure !== undefined)) break;
    }
    return outcomes;
  }

  #timeoutOf(test: Circus.TestEntry): number {
    const longestMs = this.#longestMs.get(test);
    const timeoutMs = longestMs === undefined ? FIRST_TIMEOUT_MS : TEST_TIMEOUT_MS + 5 * longestMs;
    return this.#patience * timeoutMs;
  }

  async #runSuite(
    suite: Suite,
    wanted: readonly (readonly [string, Circus.TestEntry])[],
    { isBailing, watcher }: RunOptions,
  ): Promise<TestOutcome[]> {
    this.#watcher = watcher?.(
      suite.path,
      wanted.map(([id]) => id),
    );
    this.#isBailing = isBailing;
    this.#chosen = new Set(wanted.map(([, test]) => test));
    for (const test of suite.tests.values()) {
      Object.assign(test, {
        errors: [],
        status: null,
        duration: null,
        timeout: this.#timeoutOf(test),
        mode: this.#chosen.has(test) ? undefined : "skip",
      });
    }
    Object.assign(suite.state, { hasStarted: false, hasFocusedTests: false, unhandledErrors: [] });
    setState(suite.state);
    await run();
    for (const [, test] of wanted)
      if (test.errors.length === 0)
        this.#longestMs.set(test, Math.max(this.#longestMs.get(test) ?? 0, test.duration ?? 0));
    const tookMs = wanted.reduce((sum, [, test]) => sum + (test.duration ?? 0), 0);
    suite.timeMs = Math.max(suite.timeMs, tookMs);
    const leftOver = suite.state.unhandledErrors.map(messageOf);
    return wanted.map(([id, test], index) => {
      const failures = [...test.errors.map(messageOf), ...(index === 0 ? leftOver : [])];
      const outcome = { id, path: suite.path, timeMs: test.duration ?? 0 };
      return failures.length === 0 ? outcome : { ...outcome, failure: failures.join("\n") };
    });
  }
}

export interface RunOptions {
  readonly isBailing: boolean;
  /** Told of a suite's tests as they run. */
  readonly watcher?: (path: string, ids: readonly string[]) => Watcher;
}
