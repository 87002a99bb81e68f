import type { CallUser } from "#contract";
import { type AttemptDetails, type DeliveryAttempt, NO_DETAILS } from "#topics";
import { placeOf, type Spot } from "../../records/places/places.ts";
import type { Issue } from "./issues-table.ts";
import { Conditions, type Page, type Row, type Statements, userOf } from "./sql.ts";

export interface AttemptFilter {
  readonly destinationId?: string | undefined;
  readonly sourceId?: string | undefined;
  /** Only those without success. */
  readonly hasFailed?: boolean | undefined;
  readonly messageId?: string | undefined;
  readonly user?: CallUser | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** An attempt as it is listed. */
export interface ListedAttempt extends Omit<DeliveryAttempt, "writer" | "sequence"> {
  readonly place: number;
}

const COLUMNS =
  "place, at_ms, destination_id, message_id, outcome, retryable, job_id, source_id, user_id, anonymous_id, type, url, attempt, status, message, duration_ms, replay_id, suppressed, details";

/** True when it was not there yet. */
export function insertAttempt(sql: Statements, record: DeliveryAttempt, spot: Spot): boolean {
  const inserted = sql.run(
    `INSERT OR IGNORE INTO attempts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    placeOf(spot),
    record.startedAtMs,
    record.destinationId,
    record.messageId,
    record.outcome,
    record.retryable ? 1 : 0,
    record.jobId,
    record.sourceId,
    record.userId,
    record.anonymousId,
    record.type,
    record.url,
    record.attempt,
    record.status,
    record.message,
    record.durationMs,
    record.replayId,
    record.suppressed,
    detailsText(record),
  );
  return inserted > 0;
}

export function attemptConditions(filter: AttemptFilter): Conditions {
  const conditions = new Conditions()
    .add("destination_id = ?", filter.destinationId)
    .add("message_id = ?", filter.messageId)
    .add("source_id = ?", filter.sourceId)
    .addUser(filter.user)
    .add("at_ms >= ?", filter.fromMs)
    .add("at_ms < ?", filter.toMs);
  return filter.hasFailed === true ? conditions.add("outcome <> 'success'") : conditions;
}

/** Newest first. */
export function listAttempts(
  sql: Statements,
  filter: AttemptFilter,
  { limit, behind }: Page,
): ListedAttempt[] {
  const conditions = attemptConditions(filter).add("(at_ms, place) < (?, ?)", behind?.atMs, behind?.place);
  return sql
    .all(
      `SELECT ${COLUMNS} FROM attempts ${conditions.where} ORDER BY at_ms DESC, place DESC LIMIT ?`,
      ...conditions.values,
      limit,
    )
    .map(attemptOf);
}

/** Failures before the last one of an issue that are looked at: others of its destination may be between. */
const LOOKED_AT = 1_000;

/** The last requests of an issue, newest first: `limit` of them, and the last one of each status. */
export function listAttemptsOfIssue(
  sql: Statements,
  { destinationId, lastAtMs, reason, url }: Pick<Issue, "destinationId" | "lastAtMs" | "reason" | "url">,
  limit: number,
): ListedAttempt[] {
  const failed = `SELECT ${COLUMNS} FROM attempts WHERE destination_id = ? AND outcome <> 'success' AND at_ms <= ? ORDER BY at_ms DESC, place DESC LIMIT ${LOOKED_AT}`;
  const numbered = `SELECT *, row_number() OVER (ORDER BY at_ms DESC, place DESC) AS nth,
    row_number() OVER (PARTITION BY status ORDER BY at_ms DESC, place DESC) AS nth_of_status
    FROM (${failed}) WHERE url = ? AND outcome = ?`;
  return sql
    .all(
      `SELECT * FROM (${numbered}) WHERE nth <= ? OR (nth_of_status = 1 AND status IS NOT NULL) ORDER BY nth`,
      destinationId,
      lastAtMs,
      url,
      reason,
      limit,
    )
    .map(attemptOf);
}

function attemptOf(row: Row): ListedAttempt {
  return {
    place: Number(row["place"]),
    startedAtMs: Number(row["at_ms"]),
    destinationId: String(row["destination_id"]),
    messageId: String(row["message_id"]),
    outcome: String(row["outcome"]),
    retryable: row["retryable"] === 1,
    jobId: String(row["job_id"]),
    sourceId: String(row["source_id"]),
    ...userOf(row),
    type: String(row["type"]),
    url: String(row["url"]),
    attempt: Number(row["attempt"]),
    status: row["status"] === null ? null : Number(row["status"]),
    message: String(row["message"]),
    durationMs: Number(row["duration_ms"]),
    replayId: row["replay_id"] === null ? null : String(row["replay_id"]),
    suppressed: Number(row["suppressed"]),
    ...detailsIn(row["details"]),
  };
}

/** Most rows are many and know little: what is null or empty takes no room. */
function detailsText(record: DeliveryAttempt): string | null {
  const known = Object.keys(NO_DETAILS).flatMap((name): [string, unknown][] => {
    const value = record[name as keyof AttemptDetails];
    const isEmpty = value === null || (typeof value === "object" && Object.keys(value).length === 0);
    return isEmpty ? [] : [[name, value]];
  });
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}

function detailsIn(text: unknown): AttemptDetails {
  return typeof text === "string"
    ? { ...NO_DETAILS, ...(JSON.parse(text) as Partial<AttemptDetails>) }
    : NO_DETAILS;
}
