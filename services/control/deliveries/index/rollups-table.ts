// Roll-ups of hours and days: those that other processes, or earlier ones, have written, and those that this index has to write.
import { hash } from "node:crypto";
import type { CallCount, NameCount, RequestCount, StatsRollup } from "#topics";
import { type Eras, isCounted, STEP_KEPT_MS, STEP_MS } from "./eras.ts";
import { addNames, addTo, MAX_NAMES, mostCalled, namesOf } from "./names-table.ts";
import type { Statements } from "./sql.ts";
import { add, addRequests, countsOf, type RequestCounts } from "./totals-table.ts";

/** Which roll-up is meant. */
export interface RollupKey {
  readonly stepMs: number;
  readonly atMs: number;
  readonly sourceId: string;
  readonly destinationId: string;
}

/** A roll-up that counts of one file have come to since it was written. */
export interface DueKey extends RollupKey {
  /** Grows with each change. */
  readonly version: number;
}

/** What one file counts of a roll-up. */
export type RollupCounts = Pick<StatsRollup, "calls" | "names" | "requests">;

/** Of a time that this index does not count itself, it replaces what is there; of any other it is noted what the topic has. */
export function takeRollup(sql: Statements, eras: Eras, stepMs: number, record: StatsRollup): void {
  if (isCounted(eras, stepMs, record.atMs)) {
    replace(sql, stepMs, record);
    return;
  }
  const { atMs, destinationId, sourceId } = record;
  sql.run(
    "INSERT OR REPLACE INTO rollups_written VALUES (?, ?, ?, ?, ?, ?)",
    ...[stepMs, atMs, sourceId, destinationId, countedIn(record), hashOf(record)],
  );
}

function replace(sql: Statements, stepMs: number, record: StatsRollup): void {
  const { atMs, calls, destinationId, requests, sourceId } = record;
  const of = "source_id = ? AND destination_id = ? AND minute_ms = ? AND step_ms = ?";
  for (const table of ["flow", "names", "totals"])
    sql.run(`DELETE FROM ${table} WHERE ${of}`, sourceId, destinationId, atMs, stepMs);
  for (const { calls: count, reason, stage, type } of calls)
    sql.run(
      "INSERT OR REPLACE INTO flow VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[sourceId, atMs, type, stage, destinationId, reason, stepMs, count],
    );
  const names = new Map(record.names.map(({ counts, name }) => [name, counts]));
  if (names.size > 0) addNames(sql, { sourceId, destinationId, minuteMs: atMs, stepMs }, names);
  for (const { webhookId, ...counts } of requests)
    addRequests(sql, { destinationId, sourceId, webhookId, minuteMs: atMs, stepMs }, counts);
}

/** Some of those of steps whose minutes are all rolled up, in the order of their keys. */
export function dueKeys(sql: Statements, nowMs: number, limit: number): DueKey[] {
  return sql
    .all(
      "SELECT * FROM rollups_due WHERE at_ms + step_ms <= ? ORDER BY step_ms, at_ms, source_id, destination_id LIMIT ?",
      nowMs - STEP_KEPT_MS.minute,
      limit,
    )
    .map((row) => ({
      ...{ stepMs: Number(row["step_ms"]), atMs: Number(row["at_ms"]), version: Number(row["version"]) },
      ...{ sourceId: String(row["source_id"]), destinationId: String(row["destination_id"]) },
    }));
}

/** What there is to each of them. */
export function countsOfRollups(sql: Statements, keys: readonly RollupKey[]): RollupCounts[] {
  return keys.map(({ atMs, destinationId, sourceId, stepMs }) => {
    const of = [sourceId, destinationId, atMs, atMs + stepMs] as const;
    return { calls: callsOf(sql, of), names: namesIn(sql, of), requests: requestsOf(sql, of) };
  });
}

type Of = readonly [sourceId: string, destinationId: string, fromMs: number, toMs: number];

/** What a roll-up is of: all rows of its time, of whatever step. Of a source by its key, of a destination by its index. */
function whereOf([, destinationId]: Of): string {
  const [source, destination] = destinationId === "" ? ["", "+"] : ["+", ""];
  return `WHERE ${source}source_id = ? AND ${destination}destination_id = ? AND minute_ms >= ? AND minute_ms < ?`;
}

function callsOf(sql: Statements, of: Of): CallCount[] {
  return sql
    .all(
      `SELECT type, stage, reason, sum(calls) AS calls FROM flow ${whereOf(of)} GROUP BY type, stage, reason HAVING sum(calls) > 0 ORDER BY type, stage, reason`,
      ...of,
    )
    .map((row) => ({
      ...{ type: String(row["type"]), stage: String(row["stage"]) },
      ...{ reason: String(row["reason"]), calls: Number(row["calls"]) },
    }));
}

function namesIn(sql: Statements, of: Of): NameCount[] {
  const sums = new Map<string, Readonly<Record<string, number>>>();
  const text =
    "SELECT counts FROM names WHERE source_id = ? AND destination_id = ? AND minute_ms >= ? AND minute_ms < ?";
  for (const row of sql.all(text, ...of)) addTo(sums, new Map(namesOf(row)));
  return [...mostCalled(sums, MAX_NAMES)].map(([name, counts]) => ({ name, counts: { ...counts } }));
}

function requestsOf(sql: Statements, of: Of): RequestCount[] {
  const sums = new Map<string, RequestCounts>();
  const rows = sql.all(
    "SELECT webhook_id, counts FROM totals WHERE source_id = ? AND destination_id = ? AND minute_ms >= ? AND minute_ms < ? ORDER BY webhook_id",
    ...of,
  );
  for (const row of rows) {
    const webhookId = String(row["webhook_id"]);
    const known = sums.get(webhookId);
    sums.set(webhookId, known === undefined ? countsOf(row) : add(known, countsOf(row)));
  }
  return [...sums].map(([webhookId, { durationCounts, latencyCounts, outcomes, statuses }]) => ({
    webhookId,
    outcomes: sorted(outcomes),
    statuses: sorted(statuses),
    durationCounts: [...durationCounts],
    latencyCounts: [...latencyCounts],
  }));
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).toSorted());
}

/** False when the topic has it already, or one that counts more: counts only grow, but for a call that was routed again another way, so of two indexes the one that has read more is right. */
export function isNews(sql: Statements, stepMs: number, record: StatsRollup): boolean {
  const { atMs, destinationId, sourceId } = record;
  const counted = countedIn(record);
  if (counted === 0) return false;
  const [written] = sql.all(
    "SELECT counted, hash FROM rollups_written WHERE step_ms = ? AND at_ms = ? AND source_id = ? AND destination_id = ?",
    ...[stepMs, atMs, sourceId, destinationId],
  );
  if (written === undefined) return true;
  const before = Number(written["counted"]);
  return counted > before || (counted === before && hashOf(record) !== written["hash"]);
}

function countedIn({ calls, requests }: StatsRollup): number {
  const counts = [
    ...calls.map((each) => each.calls),
    ...requests.flatMap(({ outcomes }) => Object.values(outcomes)),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Without names: which of too many are left is not the same in each index. */
function hashOf(record: StatsRollup): string {
  const counts = record.requests.map(({ webhookId, durationCounts, latencyCounts, outcomes, statuses }) => [
    ...[webhookId, durationCounts, latencyCounts],
    ...[Object.entries(sorted(outcomes)), Object.entries(sorted(statuses))],
  ]);
  const calls = record.calls.map(({ calls, reason, stage, type }) => [type, stage, reason, calls]);
  return hash("sha256", JSON.stringify([calls, counts]), "base64url");
}

/** Unless counts have come to it since `due` was read. */
export function settleDue(sql: Statements, { atMs, destinationId, sourceId, stepMs, version }: DueKey): void {
  sql.run(
    "DELETE FROM rollups_due WHERE step_ms = ? AND at_ms = ? AND source_id = ? AND destination_id = ? AND version = ?",
    ...[stepMs, atMs, sourceId, destinationId, version],
  );
}

/** A roll-up that changes at such an age is written again even where its topic has it. */
export function forgetWritten(sql: Statements, nowMs: number): void {
  sql.run("DELETE FROM rollups_written WHERE at_ms < ?", nowMs - STEP_KEPT_MS.hour);
}

export const STEP_OF_TOPIC = { hourlyStats: STEP_MS.hour, dailyStats: STEP_MS.day } as const;
