import type { CallUser } from "#contract";
import type { PassedOver, RoutedCall } from "#topics";
import { placeOf, type Spot } from "../../records/places/places.ts";
import { Conditions, type Page, type Row, type Statements, textOrNull, userOf } from "./sql.ts";

export interface RoutedCallFilter {
  readonly messageId: string;
  readonly sourceId?: string | undefined;
  readonly user?: CallUser | undefined;
}

/** What became of a call, as it is listed. */
export interface ListedRoutedCall extends Omit<RoutedCall, "partition" | "offset"> {
  readonly place: number;
  /** Where the call stands in calls. */
  readonly callPlace: number;
}

const COLUMNS =
  "place, at_ms, source_id, message_id, user_id, anonymous_id, type, event, call_place, outcome, destination_ids, passed_over";

/** True when it was not there yet. */
export function insertRoutedCall(sql: Statements, record: RoutedCall, spot: Spot): boolean {
  const inserted = sql.run(
    `INSERT OR IGNORE INTO routed_calls (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    placeOf(spot),
    record.receivedAtMs,
    record.sourceId,
    record.messageId,
    record.userId,
    record.anonymousId,
    record.type,
    record.event,
    placeOf(record),
    record.outcome,
    JSON.stringify(record.destinationIds),
    record.passedOver.length === 0 ? null : JSON.stringify(record.passedOver),
  );
  return inserted > 0;
}

/** What was said last of the call that the record is about, before the record: the call was routed again after a crash. */
export function saidBefore(sql: Statements, record: RoutedCall): ListedRoutedCall | undefined {
  const text = `SELECT ${COLUMNS} FROM routed_calls WHERE message_id = ? AND call_place = ? ORDER BY place DESC LIMIT 1`;
  return sql.all(text, record.messageId, placeOf(record)).map(routedCallOf)[0];
}

/** Newest first, one that was routed again after a crash more than once. */
export function routedCallRows(
  sql: Statements,
  { messageId, sourceId, user }: RoutedCallFilter,
  limit: number,
): ListedRoutedCall[] {
  const conditions = new Conditions()
    .add("message_id = ?", messageId)
    .add("source_id = ?", sourceId)
    .addUser(user);
  const rows = sql.all(
    `SELECT ${COLUMNS} FROM routed_calls ${conditions.where} ORDER BY at_ms DESC, place DESC LIMIT ?`,
    ...conditions.values,
    limit,
  );
  return rows.map(routedCallOf);
}

/** Of rows that are newest first: oldest first, each call and each of its copies once, as was said last of it. */
export function lastSaid(rows: readonly ListedRoutedCall[]): ListedRoutedCall[] {
  const newest = new Map<number, ListedRoutedCall>();
  for (const row of rows.toReversed()) newest.set(row.callPlace, row);
  return [...newest.values()];
}

export interface CallsOfSource {
  readonly sourceId: string;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** A call in the list of its source; one that was routed again after a crash is there once more, and `isSaidAgain` in the older record. */
export interface CallOfSource extends ListedRoutedCall {
  readonly isSaidAgain: boolean;
}

/** Of rows named `call`: there is a later one about the same call. */
export const IS_SAID_AGAIN =
  "EXISTS (SELECT 1 FROM routed_calls said WHERE said.message_id = call.message_id AND said.call_place = call.call_place AND said.place > call.place)";

export function callConditions({ fromMs, sourceId, toMs }: CallsOfSource): Conditions {
  return new Conditions().add("source_id = ?", sourceId).add("at_ms >= ?", fromMs).add("at_ms < ?", toMs);
}

/** Calls of a source, newest first, each of its copies too. */
export function listCallsOfSource(
  sql: Statements,
  filter: CallsOfSource,
  { behind, limit }: Page,
): CallOfSource[] {
  const conditions = callConditions(filter).add("(at_ms, place) < (?, ?)", behind?.atMs, behind?.place);
  const text = `SELECT ${COLUMNS}, ${IS_SAID_AGAIN} AS is_said_again FROM routed_calls call ${conditions.where} ORDER BY at_ms DESC, place DESC LIMIT ?`;
  return sql
    .all(text, ...conditions.values, limit)
    .map((row) => ({ ...routedCallOf(row), isSaidAgain: row["is_said_again"] === 1 }));
}

/** Names of track calls, from what the router said of each; null where nothing is known. */
export function eventsOf(sql: Statements, calls: readonly Required<RoutedCallFilter>[]): (string | null)[] {
  return calls.map((call) => eventOf(sql, call));
}

function eventOf(sql: Statements, { messageId, sourceId, user }: Required<RoutedCallFilter>): string | null {
  const conditions = new Conditions()
    .add("message_id = ?", messageId)
    .add("source_id = ?", sourceId)
    .addUser(user);
  const [row] = sql.all(`SELECT event FROM routed_calls ${conditions.where} LIMIT 1`, ...conditions.values);
  return row === undefined ? null : textOrNull(row, "event");
}

export interface LookAtRoutedCalls {
  readonly partition: number;
  /** Only what stands before this place; undefined: from the newest on. */
  readonly below: number | undefined;
  readonly users: readonly CallUser[];
  /** Looked at in all. */
  readonly rows: number;
}

export interface LookedAtRoutedCalls {
  /** Of the users; the newest place first. */
  readonly found: readonly ListedRoutedCall[];
  /** The last row that was looked at; undefined: there is nothing before it. */
  readonly next: { readonly place: number; readonly atMs: number } | undefined;
}

/** The newest rows of one partition, whatever user they are of, with those of the users: no index is kept for that question. */
export function lookAtRoutedCalls(
  sql: Statements,
  { partition, below, users, rows }: LookAtRoutedCalls,
): LookedAtRoutedCalls {
  const from = placeOf({ partition, offset: 0 });
  const to = below ?? placeOf({ partition: partition + 1, offset: 0 });
  const last = sql.all(
    "SELECT place, at_ms FROM routed_calls WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1 OFFSET ?",
    from,
    to,
    rows - 1,
  )[0];
  const ids = (name: keyof CallUser) => JSON.stringify(users.flatMap((user) => user[name] ?? []));
  const found = sql.all(
    `SELECT ${COLUMNS} FROM routed_calls WHERE place >= ? AND place < ? AND (user_id IN (SELECT value FROM json_each(?)) OR (user_id IS NULL AND anonymous_id IN (SELECT value FROM json_each(?)))) ORDER BY place DESC`,
    last === undefined ? from : Number(last["place"]),
    to,
    ids("userId"),
    ids("anonymousId"),
  );
  return {
    found: found.map(routedCallOf),
    next: last && { place: Number(last["place"]), atMs: Number(last["at_ms"]) },
  };
}

function routedCallOf(row: Row): ListedRoutedCall {
  const passedOver = row["passed_over"];
  return {
    place: Number(row["place"]),
    callPlace: Number(row["call_place"]),
    receivedAtMs: Number(row["at_ms"]),
    sourceId: String(row["source_id"]),
    messageId: String(row["message_id"]),
    ...userOf(row),
    type: String(row["type"]),
    event: textOrNull(row, "event"),
    outcome: String(row["outcome"]),
    destinationIds: JSON.parse(String(row["destination_ids"])) as string[],
    passedOver: typeof passedOver === "string" ? (JSON.parse(passedOver) as PassedOver[]) : [],
  };
}
