// How many were in an audience over time, from the rows that the audience processor writes; pure.
import { UNITS_MS } from "#contract";
import type { StepRange } from "../../http/step-range.ts";
import type { SizeRow } from "./size-rows.ts";

export interface SizeStep {
  readonly atMs: number;
  /** At the end of the step; null: not known, nobody had counted yet. */
  readonly size: number | null;
  readonly entered: number | null;
  readonly left: number | null;
}

const startOf = ({ day }: SizeRow): number => day * UNITS_MS.d;

interface Sum {
  entered: number;
  left: number;
}

/** Of one audience, of all partitions. Steps are whole hours. */
export function sizeSteps(rows: readonly SizeRow[], { fromMs, stepMs, toMs }: StepRange): SizeStep[] {
  const steps = Array.from(
    { length: Math.max(0, (toMs - fromMs) / stepMs) },
    (): Sum => ({ entered: 0, left: 0 }),
  );
  for (const row of rows)
    for (const { entered, hour, left } of row.hours) {
      const step = steps[Math.floor((startOf(row) + hour * UNITS_MS.h - fromMs) / stepMs)];
      if (step === undefined) continue;
      step.entered += entered;
      step.left += left;
    }
  let size = membersAt(rows, toMs);
  const knownFromMs = knownFrom(rows);
  const found: SizeStep[] = [];
  for (const [index, { entered, left }] of [...steps.entries()].reverse()) {
    const atMs = fromMs + index * stepMs;
    const isKnown = atMs + stepMs > knownFromMs;
    found.push({ atMs, ...(isKnown ? { size, entered, left } : { size: null, entered: null, left: null }) });
    size -= entered - left;
  }
  return found.reverse();
}

/** Of all partitions at that moment, a whole hour. */
function membersAt(rows: readonly SizeRow[], atMs: number): number {
  const newest = new Map<number, SizeRow>();
  for (const row of rows) {
    const known = newest.get(row.partition);
    if (startOf(row) < atMs && (known === undefined || known.day < row.day)) newest.set(row.partition, row);
  }
  let members = 0;
  for (const row of newest.values()) {
    members += row.members;
    for (const { entered, hour, left } of row.hours)
      if (startOf(row) + hour * UNITS_MS.h >= atMs) members -= entered - left;
  }
  return members;
}

/** Where the first row of a partition found its members in the profiles, nobody had counted before that day. */
function knownFrom(rows: readonly SizeRow[]): number {
  const first = new Map<number, SizeRow>();
  for (const row of rows) {
    const known = first.get(row.partition);
    if (known === undefined || row.day < known.day) first.set(row.partition, row);
  }
  const begun = [...first.values()].filter(({ isBeginning }) => isBeginning);
  return Math.max(Number.NEGATIVE_INFINITY, ...begun.map(startOf));
}
