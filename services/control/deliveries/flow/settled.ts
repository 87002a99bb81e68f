// What waits of the calls that were counted: asked for after they were, and what has died after that, so that a call counts as delivered only when its outcome is known.
import { floorTo } from "../index/eras.ts";
import type { FlowQuery, FlowStage } from "../index/flow-stages.ts";
import type { FlowSum } from "../index/flow-table.ts";
import type { WaitingCount } from "../waiting/kept-waiting.ts";
import type { SettledParts } from "./parts.ts";

/** How long an answer waits for dead letters that are written and not indexed yet. */
const INDEXED_WITHIN_MS = 2_000;

interface Counted {
  readonly stage: FlowStage;
  readonly calls: number;
}

export interface Settled<T> {
  readonly sums: readonly T[];
  /** Of all sources and destinations; undefined where it is not known. */
  readonly waiting: readonly WaitingCount[] | undefined;
}

interface Reads<T> {
  read(): Promise<readonly T[]>;
  /** As `read`, of dead calls alone. */
  readDead(): Promise<readonly T[]>;
}

export async function readSettled<T extends Counted>(
  { deliveries: { progress }, waitingCounter }: SettledParts,
  { read, readDead }: Reads<T>,
): Promise<Settled<T>> {
  const known = progress.offsets("deadLetters");
  const sums = await read();
  if (!sums.some(({ stage }) => stage === "sent")) return { sums, waiting: [] };
  const found = await waitingCounter.count();
  if (found === undefined) return { sums, waiting: undefined };
  const { counts: waiting, deadLetterEnds: ends } = found;
  if (ends.every((end, partition) => (known[partition] ?? 0) >= end)) return { sums, waiting };
  if (!(await progress.untilCovers("deadLetters", ends, INDEXED_WITHIN_MS)))
    return { sums, waiting: undefined };
  const dead = await readDead();
  return { sums: [...sums.filter(({ stage }) => stage !== "dead"), ...dead], waiting };
}

/** Calls that wait, of one step and type. */
export interface WaitingSum extends Omit<FlowSum, "stage"> {
  readonly stage: "waiting";
}

/** Those that a query means: of each step and type at most as many as were sent and have not died. One that has just been sent is not counted there yet. */
export function waitingSums(
  { sums, waiting }: { readonly sums: readonly FlowSum[]; readonly waiting: readonly WaitingCount[] },
  query: FlowQuery,
): WaitingSum[] {
  const open = new Map<string, number>();
  for (const { atMs, calls, stage, type } of sums) {
    const sign = stage === "sent" ? 1 : stage === "dead" ? -1 : 0;
    addTo(open, cellOf(atMs, type), sign * calls);
  }
  const found = new Map<string, WaitingSum>();
  for (const { calls, minuteMs, type } of waiting.filter((count) => isMeant(count, query))) {
    const atMs = floorTo(minuteMs, query.stepMs);
    const key = cellOf(atMs, type);
    const all = calls + (found.get(key)?.calls ?? 0);
    const most = Math.min(all, Math.max(0, open.get(key) ?? 0));
    found.set(key, { atMs, type, stage: "waiting", reason: "", calls: most });
  }
  return [...found.values()];
}

function cellOf(atMs: number, type: string): string {
  return `${atMs} ${type}`;
}

function addTo(counts: Map<string, number>, key: string, calls: number): void {
  counts.set(key, (counts.get(key) ?? 0) + calls);
}

function isMeant(
  { destinationId, minuteMs, sourceId }: WaitingCount,
  { destinationId: destination = destinationId, fromMs, sourceId: source = sourceId, toMs }: FlowQuery,
): boolean {
  return minuteMs >= fromMs && minuteMs < toMs && sourceId === source && destinationId === destination;
}
