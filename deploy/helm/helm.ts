// Helm and what it renders. It is built from Go's module proxy as tools/go.mod pins it: minutes the first time on a machine, seconds after.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export const CHART = join(import.meta.dirname, "hookline");
const TOOLS = join(import.meta.dirname, "tools");
const CACHE = join(import.meta.dirname, "../../.cache/helm");

/** File names of the values that the chart shows, sorted. */
export const EXAMPLES: readonly string[] = readdirSync(join(CHART, "examples")).toSorted();

export function valuesOf(example: string): string {
  return join(CHART, "examples", example);
}

/** Its standard output. Throws what it says on standard error when it refuses. */
export async function helm(...args: readonly string[]): Promise<string> {
  const options = { cwd: TOOLS, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)("go", ["tool", "helm", ...args], options);
  return stdout;
}

/** Plain manifests of an example. Kept in .cache for as long as the chart, what it links to and Helm stay the same. */
export async function manifestsOf(example: string): Promise<string> {
  const file = join(CACHE, example);
  const mark = `# Rendered from ${digest()}\n`;
  const kept = textOf(file);
  if (kept.startsWith(mark)) return kept;
  const manifests = await helm(
    ...["template", "hookline", CHART, "--namespace", "hookline", "--values", valuesOf(example)],
  );
  write(file, mark + manifests);
  return mark + manifests;
}

function textOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8");
}

/** Whole or not at all: two processes may render at the same time, or one die meanwhile. */
function write(file: string, text: string): void {
  const begun = `${file}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  try {
    writeFileSync(begun, text);
    renameSync(begun, file);
  } finally {
    rmSync(begun, { force: true });
  }
}

/** Of every file that has a part in what is rendered. */
function digest(): string {
  const hash = createHash("sha256");
  // Links lead to the rules and dashboards; a recursive listing does not enter them.
  const linked = readdirSync(join(CHART, "files/dashboards")).map((name) => `files/dashboards/${name}`);
  const files = new Set([...(readdirSync(CHART, { recursive: true }) as string[]), ...linked]);
  for (const path of [...[...files].toSorted().map((name) => join(CHART, name)), join(TOOLS, "go.sum")])
    if (statSync(path).isFile()) hash.update(`${path.slice(CHART.length)}\n`).update(readFileSync(path));
  return hash.digest("hex");
}
