// Calls by the name of their event: those of most calls, the others as one; pure.
import type { FlowStage } from "../index/flow-stages.ts";
import type { FlowSum } from "../index/flow-table.ts";
import { addTo, type NameCounts, type NameSum } from "../index/names-table.ts";
import { NO_REQUESTS } from "../index/totals-table.ts";
import type { StatsEntry } from "./stats-entry.ts";

/** Names in an answer, and fewer where it would have more entries than it may. */
const MAX_NAMES = 100;
const MAX_ENTRIES = 10_000;

/** What is not divided by names. */
const NOT_COUNTED = { requests: NO_REQUESTS, isSettled: false } as const;

/** How many names an answer of so many steps has. */
function namesIn(steps: number): number {
  return Math.max(1, Math.min(MAX_NAMES, Math.floor(MAX_ENTRIES / Math.max(1, steps)) - 2));
}

/** By step, within one the most called first, then the others, then calls that are no track calls. Together they are all of `sums`. */
export function namedEntries(sums: readonly FlowSum[], names: readonly NameSum[]): StatsEntry[] {
  const steps = Map.groupBy(sums, ({ atMs }) => atMs);
  const order = mostCalled(names, namesIn(steps.size));
  const counts = byStep(names);
  return [...steps.keys()]
    .toSorted((one, other) => one - other)
    .flatMap((atMs) =>
      entriesOfStep({ atMs, sums: steps.get(atMs) ?? [], names: counts.get(atMs) ?? new Map() }, order),
    );
}

/** A step may have been read in several stretches. */
function byStep(names: readonly NameSum[]): ReadonlyMap<number, NameCounts> {
  const steps = new Map<number, Map<string, Readonly<Record<string, number>>>>();
  for (const { atMs, counts } of names) {
    const sum = steps.get(atMs) ?? new Map<string, Readonly<Record<string, number>>>();
    steps.set(atMs, sum);
    addTo(sum, counts);
  }
  return steps;
}

function mostCalled(names: readonly NameSum[], most: number): string[] {
  const calls = new Map<string, number>();
  for (const { counts } of names)
    for (const [name, cells] of counts)
      calls.set(
        name,
        Object.values(cells).reduce((sum, count) => sum + count, calls.get(name) ?? 0),
      );
  return [...calls]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([name]) => name);
}

interface Step {
  readonly atMs: number;
  readonly sums: readonly FlowSum[];
  readonly names: NameCounts;
}

function entriesOfStep({ atMs, names, sums }: Step, order: readonly string[]): StatsEntry[] {
  const left = new Map<string, number>();
  for (const { calls, reason, stage, type } of sums) if (type === "track") add(left, stage, reason, calls);
  const named = order.flatMap((name): StatsEntry[] => {
    const cells = Object.entries(names.get(name) ?? {});
    const own = cells.map(([cell, calls]) => sumOf(atMs, cell, calls));
    for (const { calls, reason, stage } of own) add(left, stage, reason, -calls);
    return own.length === 0 ? [] : [{ atMs, group: name, sums: own, ...NOT_COUNTED }];
  });
  const others = [...left].filter(([, calls]) => calls > 0).map(([cell, calls]) => sumOf(atMs, cell, calls));
  const rest = { atMs, group: null, isRest: true, sums: others, ...NOT_COUNTED } as const;
  const nameless = sums.filter(({ type }) => type !== "track");
  const without = { atMs, group: null, sums: nameless, ...NOT_COUNTED };
  return [...named, rest, without].filter((entry) => entry.sums.length > 0);
}

function add(left: Map<string, number>, stage: FlowStage, reason: string, calls: number): void {
  const cell = `${stage} ${reason}`;
  left.set(cell, (left.get(cell) ?? 0) + calls);
}

function sumOf(atMs: number, cell: string, calls: number): FlowSum {
  const [stage = "", reason = ""] = cell.split(" ");
  return { atMs, type: "track", stage: stage as FlowStage, reason, calls };
}
