// What ingest refused, as it says so; bodies stay in the topic.
import type { RefusedCalls } from "#topics";
import { placeOf, type Spot } from "../../records/places/places.ts";
import { Conditions, type Page, type Row, type Statements } from "./sql.ts";

export interface RefusedFilter {
  readonly sourceId: string;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Of one of them. */
  readonly place?: number | undefined;
}

export interface ListedRefused
  extends Pick<RefusedCalls, "atMs" | "code" | "message" | "calls" | "index" | "userIds"> {
  readonly place: number;
}

const COLUMNS = "place, at_ms, source_id, code, message, calls, first_index, user_ids";

/** `leftOut`: of versions before, calls that had no record of their own. */
export function insertRefused(sql: Statements, record: RefusedCalls, spot: Spot): void {
  const { atMs, calls, code, index, leftOut, message, sourceId, userIds } = record;
  sql.run(
    `INSERT OR IGNORE INTO refused_calls (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[placeOf(spot), atMs, sourceId, code, message, calls + leftOut, index],
    userIds && JSON.stringify(userIds),
  );
}

export function refusedConditions(filter: RefusedFilter): Conditions {
  return new Conditions()
    .add("source_id = ?", filter.sourceId)
    .add("place = ?", filter.place)
    .add("at_ms >= ?", filter.fromMs)
    .add("at_ms < ?", filter.toMs);
}

/** Newest first. */
export function listRefused(
  sql: Statements,
  filter: RefusedFilter,
  { behind, limit }: Page,
): ListedRefused[] {
  const { values, where } = refusedConditions(filter).add(
    "(at_ms, place) < (?, ?)",
    behind?.atMs,
    behind?.place,
  );
  const text = `SELECT ${COLUMNS} FROM refused_calls ${where} ORDER BY at_ms DESC, place DESC LIMIT ?`;
  return sql.all(text, ...values, limit).map(refusedOf);
}

function refusedOf(row: Row): ListedRefused {
  const { first_index: index, user_ids: userIds } = row;
  return {
    place: Number(row["place"]),
    atMs: Number(row["at_ms"]),
    code: String(row["code"]),
    message: String(row["message"]),
    calls: Number(row["calls"]),
    index: index === null ? null : Number(index),
    userIds: userIds === null ? null : (JSON.parse(String(userIds)) as string[]),
  };
}
