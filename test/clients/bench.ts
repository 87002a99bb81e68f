// Both libraries beside their models in one run, in turns, each time in a process of its own. Without a network: what is left is the
// libraries' own work. Needs Go.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "#support/environment";
import type { LocalBench } from "../bench/bench.ts";
import type { Report, Row } from "../bench/report.ts";

const ROUNDS = 3;
const MESSAGES = { typescript: 100_000, go: 300_000 };
const GO_BENCH = join(import.meta.dirname, "../../clients/go/bench");

interface Cost {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly allocatedBytes: number;
  readonly peakMiB: number;
  /** Of Go's alone. */
  readonly allocations?: number;
}

function typescript(library: string): Cost {
  const program = join(import.meta.dirname, "bench-program.ts");
  const output = execFileSync(process.execPath, [program, library, String(MESSAGES.typescript)], {
    encoding: "utf8",
    env: environment,
  });
  return JSON.parse(output) as Cost;
}

/** Runs one benchmark of Go's test binary and reads its line. */
function go(binary: string, library: string): Cost {
  const filter = `^BenchmarkLibrary$/^large$/^batches-of-20$/^${library}$`;
  const args = [`-test.bench=${filter}`, "-test.run=^$", "-test.benchmem", `-test.benchtime=${MESSAGES.go}x`];
  const output = execFileSync(binary, args, { encoding: "utf8", env: environment });
  const value = (unit: string): number =>
    Number(new RegExp(`([\\d.]+) ${unit.replace(/[/.]/g, "\\$&")}(?=\\s)`).exec(output)?.[1]);
  return {
    perSecond: value("messages/s"),
    cpuMicroseconds: value("cpu-µs/message"),
    allocatedBytes: value("B/op"),
    allocations: value("allocs/op"),
    peakMiB: value("peak-MiB"),
  };
}

/** The round in the middle by messages a second. */
function median(costs: readonly Cost[]): Cost {
  const sorted = [...costs].sort((one, other) => one.perSecond - other.perSecond);
  return sorted[Math.floor(costs.length / 2)] as Cost;
}

const COLUMNS = [
  { name: "messages/s", unit: "messages/s" },
  { name: "CPU", unit: "µs" },
  { name: "allocations", unit: "" },
  { name: "allocated", unit: "bytes" },
  { name: "peak", unit: "MiB" },
];

function rowOf({ perSecond, cpuMicroseconds, allocations, allocatedBytes, peakMiB }: Cost): Row {
  return [perSecond, cpuMicroseconds, allocations ?? Number.NaN, allocatedBytes, peakMiB];
}

/** What is wanted of each library against its model. */
const GOALS = { perSecond: 2, allocated: 0.5 };

/** A line with both ratios; a goal that is missed makes the command fail. Of Go allocations are counted, of TypeScript their bytes. */
function comparison(language: string, own: Cost, model: Cost): string {
  const perSecond = own.perSecond / model.perSecond;
  const [what, allocated] =
    own.allocations === undefined || model.allocations === undefined
      ? ["allocated bytes", own.allocatedBytes / model.allocatedBytes]
      : ["allocations", own.allocations / model.allocations];
  if (perSecond < GOALS.perSecond || allocated > GOALS.allocated) process.exitCode = 1;
  const ratios = [
    `${perSecond.toFixed(1)} times the messages a second (goal: ${GOALS.perSecond} or more)`,
    `${allocated.toFixed(2)} of the ${what} a message (goal: ${GOALS.allocated} or less)`,
    `${(own.peakMiB / model.peakMiB).toFixed(2)} of the memory at its peak`,
  ];
  return `  ${language}, against the model: ${ratios.join(", ")}.`;
}

function measure(binary: string, report: Report): void {
  execFileSync("go", ["test", "-c", "-o", binary, "."], { cwd: GO_BENCH, env: environment });
  const libraries: [name: string, measure: () => Cost][] = [
    ["hookline (TypeScript)", () => typescript("hookline")],
    ["@segment/analytics-node", () => typescript("segment")],
    ["hookline (Go)", () => go(binary, "hookline")],
    ["analytics-go v3", () => go(binary, "analytics-go-v3")],
  ];
  const rounds = Array.from({ length: ROUNDS }, () => libraries.map(([, cost]) => cost()));
  const medians = libraries.map((_, index) => median(rounds.flatMap((round) => round[index] ?? [])));
  const rows = libraries.map(([name], index): [string, Row] => [name, rowOf(medians[index] as Cost)]);
  report.table("a library", COLUMNS, new Map(rows));
  const [typescriptOwn, typescriptModel, goOwn, goModel] = medians as [Cost, Cost, Cost, Cost];
  report.say(comparison("TypeScript", typescriptOwn, typescriptModel));
  report.say(comparison("Go", goOwn, goModel));
}

export const clients: LocalBench = {
  name: "clients",
  summary:
    "The libraries for TypeScript and Go beside their models, without a network: messages/s, CPU time, memory; fails when a goal is missed. Needs Go.",
  flags: {},
  runAlone({ report }) {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    try {
      measure(join(folder, "bench"), report);
    } finally {
      rmSync(folder, { recursive: true });
    }
    return Promise.resolve();
  },
};
