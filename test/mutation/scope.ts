// Which code is mutated, and which suites are asked about it.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** A folder's code is judged by the suites of that folder. */
export const FOLDERS = [
  "packages/contract",
  "packages/kafka",
  "packages/state",
  "packages/egress",
  "services/webhook-router",
  "services/deliverer",
  "services/control/jobs/replays",
  "services/control/deliveries/health",
  "services/control/resources/destinations/health",
];

/** Whoever imports these, itself or through what tests share, starts Kafka or processes: too slow to run thousands of times. */
const STARTERS = [
  "test/support/stack.ts",
  "test/support/service.ts",
  "test/support/turn.ts",
  "node:child_process",
];
/** Whoever uses these puts something in place of the process's own clock or functions, which all suites share here. */
const PATCHES = ["jest.useFakeTimers", "jest.spyOn"];
const SHARED_BY_TESTS = /\/fixtures\/|^test\/support\//;

function importsOf(path: string): string[] {
  const source = readFileSync(join(ROOT, path), "utf8");
  if (["startStack", ...PATCHES].some((name) => source.includes(name))) return [...STARTERS];
  return [...source.matchAll(/ from "([^"]+)"/g)].map(([, name = ""]) => {
    if (name.startsWith("#support/")) return `test/support/${name.slice("#support/".length)}.ts`;
    return name.startsWith(".") ? posix.join(posix.dirname(path), name) : name;
  });
}

/** Whether a suite starts nothing and leaves the process as it is. */
function isUnit(path: string): boolean {
  const imports = importsOf(path);
  if (imports.some((name) => STARTERS.includes(name))) return false;
  return imports.filter((name) => SHARED_BY_TESTS.test(name)).every(isUnit);
}

export interface Part {
  readonly folder: string;
  readonly mutate: readonly string[];
  /** Paths in the repository. */
  readonly suites: readonly string[];
}

/** What of a folder lies at or below `path`; undefined when it has nothing there. */
export function partOf(folder: string, path: string): Part | undefined {
  const isWithin = (file: string): boolean => file === path || file.startsWith(`${path}/`);
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).map((file) => file.replaceAll("\\", "/"));
  const suites = files.filter((file) => file.endsWith(".test.ts") && isUnit(file)).sort();
  const mutate = files
    .filter(
      (file) => isWithin(file) && !/\.(test|generated|d)\.ts$|\/fixtures\/|\/(index|main)\.ts$/.test(file),
    )
    .sort();
  return mutate.length === 0 ? undefined : { folder, mutate, suites };
}
