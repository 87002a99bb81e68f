// Rolls minutes up into hours, and hours into days, when they are old enough, or too many: each count is in one row at any time, so the sums of all steps stay the same.
import { floorTo, STEP_KEPT_MS, STEP_MS } from "./eras.ts";
import { addNames, namesOf } from "./names-table.ts";
import type { Statements } from "./sql.ts";
import { addRequests, countsOf } from "./totals-table.ts";

const TABLES = ["flow", "names", "totals"] as const;
export type Table = (typeof TABLES)[number];

/** Rows of one bite, in which nothing else runs; where one step has more, all of them. */
const BITE_ROWS = 500;

interface Roll {
  readonly fromStepMs: number;
  readonly toStepMs: number;
  /** Steps that begin before. */
  readonly beforeMs: number;
}

/** One bite of each table; true when there may be more. */
export function rollUp(sql: Statements, nowMs: number): boolean {
  const { day, hour, minute } = STEP_MS;
  const minutes = {
    ...{ fromStepMs: minute, toStepMs: hour },
    beforeMs: floorTo(nowMs - STEP_KEPT_MS.minute, hour),
  };
  const hours = {
    ...{ fromStepMs: hour, toStepMs: day },
    beforeMs: floorTo(nowMs - STEP_KEPT_MS.hour, day),
  };
  const rolled = TABLES.flatMap((table) => [roll(sql, table, minutes), roll(sql, table, hours)]);
  return rolled.includes("some");
}

/** Where a table has too many rows: the oldest minutes of hours that are over. False when there is none. */
export function rollEarly(sql: Statements, table: Table, nowMs: number): boolean {
  const beforeMs = floorTo(nowMs, STEP_MS.hour);
  return roll(sql, table, { fromStepMs: STEP_MS.minute, toStepMs: STEP_MS.hour, beforeMs }) !== "none";
}

function roll(
  sql: Statements,
  table: Table,
  { beforeMs, fromStepMs, toStepMs }: Roll,
): "none" | "some" | "all" {
  const endMs = endOfBite(sql, table, { beforeMs, fromStepMs, toStepMs });
  if (endMs === undefined) return "none";
  if (fromStepMs === STEP_MS.minute) markDue(sql, table, endMs);
  MOVES[table](sql, { beforeMs: endMs, fromStepMs, toStepMs });
  sql.run(`DELETE FROM ${table} WHERE step_ms = ? AND minute_ms < ?`, fromStepMs, endMs);
  return endMs < beforeMs ? "some" : "all";
}

/** Undefined where there is nothing to roll. */
function endOfBite(sql: Statements, table: Table, { beforeMs, fromStepMs }: Roll): number | undefined {
  const old = `SELECT minute_ms FROM ${table} WHERE step_ms = ? AND minute_ms < ? ORDER BY minute_ms LIMIT 1`;
  const [first] = sql.all(old, fromStepMs, beforeMs);
  if (first === undefined) return undefined;
  const [last] = sql.all(`${old} OFFSET ${BITE_ROWS}`, fromStepMs, beforeMs);
  if (last === undefined) return beforeMs;
  return Math.max(Number(last["minute_ms"]), Number(first["minute_ms"]) + fromStepMs);
}

/** The hours and days whose roll-ups in their topics do not have these minutes yet. */
function markDue(sql: Statements, table: Table, beforeMs: number): void {
  for (const stepMs of [STEP_MS.hour, STEP_MS.day])
    sql.run(
      `INSERT INTO rollups_due SELECT DISTINCT CAST(? AS INTEGER), minute_ms - minute_ms % CAST(? AS INTEGER), source_id, destination_id, 1 FROM ${table} WHERE step_ms = ? AND minute_ms < ? ON CONFLICT DO UPDATE SET version = version + 1`,
      ...[stepMs, stepMs, STEP_MS.minute, beforeMs],
    );
}

function moveCalls(sql: Statements, { beforeMs, fromStepMs, toStepMs }: Roll): void {
  sql.run(
    "INSERT INTO flow SELECT source_id, minute_ms - minute_ms % CAST(? AS INTEGER) AS at, type, stage, destination_id, reason, CAST(? AS INTEGER), sum(calls) FROM flow WHERE step_ms = ? AND minute_ms < ? GROUP BY source_id, at, type, stage, destination_id, reason HAVING sum(calls) <> 0 ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
    ...[toStepMs, toStepMs, fromStepMs, beforeMs],
  );
}

function moveNames(sql: Statements, { beforeMs, fromStepMs, toStepMs }: Roll): void {
  for (const row of sql.all(
    "SELECT * FROM names WHERE step_ms = ? AND minute_ms < ?",
    fromStepMs,
    beforeMs,
  )) {
    const of = { sourceId: String(row["source_id"]), destinationId: String(row["destination_id"]) };
    const minuteMs = floorTo(Number(row["minute_ms"]), toStepMs);
    addNames(sql, { ...of, minuteMs, stepMs: toStepMs }, new Map(namesOf(row)));
  }
}

function moveRequests(sql: Statements, { beforeMs, fromStepMs, toStepMs }: Roll): void {
  const rows = sql.all("SELECT * FROM totals WHERE step_ms = ? AND minute_ms < ?", fromStepMs, beforeMs);
  for (const row of rows) {
    const of = { destinationId: String(row["destination_id"]), sourceId: String(row["source_id"]) };
    const minuteMs = floorTo(Number(row["minute_ms"]), toStepMs);
    const key = { ...of, webhookId: String(row["webhook_id"]), minuteMs, stepMs: toStepMs };
    addRequests(sql, key, countsOf(row));
  }
}

const MOVES: Readonly<Record<Table, (sql: Statements, roll: Roll) => void>> = {
  flow: moveCalls,
  names: moveNames,
  totals: moveRequests,
};
