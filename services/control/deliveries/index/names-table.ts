// Calls by the name of their event, of a source at one destination or before any, within one step. Of many names those with the most calls are kept: what is missing to the counts of the
// flow are calls of other names, so sums stay exact whatever names a sender makes up.
import { floorTo } from "./eras.ts";
import { type FlowQuery, type FlowStage, whereOf } from "./flow-stages.ts";
import type { Row, Statements } from "./sql.ts";

/** Calls by stage and reason, as in "dropped duplicate". */
export type Cells = Readonly<Record<string, number>>;
export type NameCounts = ReadonlyMap<string, Cells>;

/** A row has at most half as many again, so that it is cut seldom. */
export const MAX_NAMES = 100;
/** Longer ones are among the others. */
const MAX_CHARACTERS = 200;

export function isCountedName(event: string | null | undefined): event is string {
  return typeof event === "string" && event !== "" && event.length <= MAX_CHARACTERS;
}

export function cellOf(stage: FlowStage, reason: string): string {
  return reason === "" ? stage : `${stage} ${reason}`;
}

export interface NamesKey {
  readonly sourceId: string;
  readonly destinationId: string;
  readonly minuteMs: number;
  readonly stepMs: number;
}

const KEY = "source_id = ? AND destination_id = ? AND minute_ms = ? AND step_ms = ?";

export function addNames(sql: Statements, key: NamesKey, counts: NameCounts): void {
  const values = [key.sourceId, key.destinationId, key.minuteMs, key.stepMs];
  const [row] = sql.all(`SELECT counts FROM names WHERE ${KEY}`, ...values);
  const sum = row === undefined ? new Map<string, Cells>() : new Map(namesOf(row));
  addTo(sum, counts);
  const kept = sum.size > MAX_NAMES * 1.5 ? mostCalled(sum, MAX_NAMES) : sum;
  sql.run("INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?, ?)", ...values, JSON.stringify([...kept]));
}

/** What is taken back of a name that is not there was counted among the others. */
export function addTo(sum: Map<string, Cells>, counts: NameCounts): void {
  for (const [name, cells] of counts) {
    const own: Record<string, number> = { ...sum.get(name) };
    for (const [cell, calls] of Object.entries(cells)) {
      const next = (own[cell] ?? 0) + calls;
      if (next > 0) own[cell] = next;
      else delete own[cell];
    }
    sum.set(name, own);
  }
}

/** Names without calls are not among them. */
export function mostCalled(counts: NameCounts, most: number): NameCounts {
  const callsOf = (cells: Cells) => Object.values(cells).reduce((sum, calls) => sum + calls, 0);
  const sorted = [...counts].toSorted(([, one], [, other]) => callsOf(other) - callsOf(one));
  return new Map(sorted.slice(0, most));
}

export function namesOf(row: Row): [string, Cells][] {
  return JSON.parse(String(row["counts"])) as [string, Cells][];
}

/** Calls of one step and name. */
export interface NameSum {
  readonly atMs: number;
  readonly counts: NameCounts;
}

/** By step, oldest first. */
export function sumNames(sql: Statements, query: FlowQuery): NameSum[] {
  const { where, values } = whereOf(query);
  const rows = sql.all(`SELECT minute_ms, counts FROM names WHERE ${where} ORDER BY minute_ms`, ...values);
  const sums = new Map<number, Map<string, Cells>>();
  for (const row of rows) {
    const atMs = floorTo(Number(row["minute_ms"]), query.stepMs);
    const sum = sums.get(atMs) ?? new Map<string, Cells>();
    sums.set(atMs, sum);
    addTo(sum, new Map(namesOf(row)));
  }
  return [...sums].map(([atMs, counts]) => ({ atMs, counts }));
}
