import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Suite } from "./order.ts";

const ROOT = join(import.meta.dirname, "../..");
const TABLE = join(import.meta.dirname, "durations.json");
const TAKES_TURNS = /"#support\/turn"/;
/** These take theirs through the world that they start. */
const STARTS_A_WORLD = /^test\/chaos\/[\s\S]*"\.\/(world|run)\.ts"/;
const IS_HEAVY =
  /#support\/(stack|deployment|control-service|npm-start|service|turn)"|fixtures\/kafka\.ts|scratch-kafka|spawnSync|startStack\(/;

/** Seconds by the suite's path in the repository. */
export type Durations = Readonly<Record<string, number>>;

function pathOf(file: string): string {
  return relative(ROOT, file).replaceAll("\\", "/");
}

export function readDurations(): Durations {
  return JSON.parse(readFileSync(TABLE, "utf8")) as Durations;
}

/** What is to be known of a suite before it runs: its duration from the table, the rest from what it imports. */
export function suiteOf(file: string, durations: Durations): Suite {
  const path = pathOf(file);
  const source = readFileSync(file, "utf8");
  return {
    path,
    seconds: durations[path],
    isHeavy: IS_HEAVY.test(source),
    takesTurns: TAKES_TURNS.test(source) || STARTS_A_WORLD.test(`${path}\n${source}`),
  };
}

interface JestResult {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
    /** Milliseconds of its tests; null or nothing of one that did not run. */
    readonly assertionResults: readonly { readonly duration?: number | null }[];
  }[];
}

/** Shorter suites are no matter for the order. */
const SHORTEST_SECONDS = 2;

/** Of what takes turns its tests alone: it waits for its turn before them. */
function durationOf(suite: JestResult["testResults"][number], takesTurns: boolean): number {
  const ofTests = suite.assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  return Math.round((takesTurns ? ofTests : suite.endTime - suite.startTime) / 1000);
}

/** The table that follows from jest's `--json` result: what ran replaces what was known, what is gone goes. */
export function updated(
  known: Durations,
  result: JestResult,
  { exists, takesTurns }: { exists(path: string): boolean; takesTurns(path: string): boolean },
): Durations {
  const durations = new Map(Object.entries(known));
  for (const suite of result.testResults) {
    const path = pathOf(suite.name);
    if (suite.status === "passed" && exists(path)) durations.set(path, durationOf(suite, takesTurns(path)));
  }
  const kept = [...durations].filter(([path, seconds]) => seconds >= SHORTEST_SECONDS && exists(path));
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}
