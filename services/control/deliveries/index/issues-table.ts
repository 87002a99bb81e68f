// Issues: failures with the same destination, webhook and reason.
import { KEPT_MS } from "#topics";
import type { IssueKey } from "../../http/issue-id.ts";
import { addStatuses, listStatuses, type StatusAdded, type StatusCount } from "./issue-statuses.ts";
import { Conditions, type Page, type Row, type Statements, textOrNull } from "./sql.ts";

/** After so long without a failure an issue is over; the next failure begins it again. No window of retries is longer. */
export const QUIET_MS = 86_400_000;
/** Issues that are kept; over it those that failed longest ago leave. */
export const MAX_ISSUES = 10_000;

/** What a transaction adds to an issue. */
export interface Failures {
  readonly key: IssueKey;
  firstAtMs: number;
  /** The first one since the last quiet time. */
  sinceMs: number;
  lastAtMs: number;
  count: number;
  /** Of the last one. */
  status: number | null;
  message: string;
  /** By their status, those that had one. */
  readonly statuses: Map<number, StatusAdded>;
}

/** Requests that failed and dead letters are in topics of their own, and are read in any order: each has its own columns. Once there are requests, they alone say since when. */
const STATEMENTS = {
  requests: `INSERT INTO issues (id, destination_id, url, reason, first_at_ms, since_ms, failed_at_ms, requests, status, message)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    since_ms = CASE WHEN failed_at_ms IS NULL OR excluded.since_ms > excluded.first_at_ms OR excluded.first_at_ms > failed_at_ms + ${QUIET_MS}
      THEN excluded.since_ms ELSE min(since_ms, excluded.since_ms) END,
    status = CASE WHEN excluded.failed_at_ms >= ifnull(failed_at_ms, 0) THEN excluded.status ELSE status END,
    message = CASE WHEN excluded.failed_at_ms >= ifnull(failed_at_ms, 0) THEN excluded.message ELSE message END,
    first_at_ms = min(first_at_ms, excluded.first_at_ms),
    failed_at_ms = max(ifnull(failed_at_ms, 0), excluded.failed_at_ms),
    requests = requests + excluded.requests`,
  dead_letters: `INSERT INTO issues (id, destination_id, url, reason, first_at_ms, since_ms, dead_at_ms, dead_letters, status, message)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    since_ms = CASE WHEN failed_at_ms IS NOT NULL THEN since_ms
      WHEN excluded.since_ms > excluded.first_at_ms OR excluded.first_at_ms > dead_at_ms + ${QUIET_MS}
      THEN excluded.since_ms ELSE min(since_ms, excluded.since_ms) END,
    status = CASE WHEN failed_at_ms IS NULL AND excluded.dead_at_ms >= dead_at_ms THEN excluded.status ELSE status END,
    message = CASE WHEN failed_at_ms IS NULL AND excluded.dead_at_ms >= dead_at_ms THEN excluded.message ELSE message END,
    first_at_ms = min(first_at_ms, excluded.first_at_ms),
    dead_at_ms = max(ifnull(dead_at_ms, 0), excluded.dead_at_ms),
    dead_letters = dead_letters + excluded.dead_letters`,
};

export function addFailures(
  sql: Statements,
  kind: keyof typeof STATEMENTS,
  id: string,
  { count, firstAtMs, key, lastAtMs, message, sinceMs, status, statuses }: Failures,
): void {
  const { destinationId, reason, url } = key;
  const values = [destinationId, url, reason, firstAtMs, sinceMs, lastAtMs, count, status, message];
  sql.run(STATEMENTS[kind], id, ...values);
  addStatuses(sql, kind, id, statuses.values());
}

export interface Issue extends IssueKey {
  readonly id: string;
  readonly place: number;
  /** The first failure that is known. */
  readonly firstAtMs: number;
  /** The first failure since the last quiet time. */
  readonly sinceMs: number;
  /** It may have failed before that, too: when the index was made, its topic reached back no further. */
  readonly mayBeOlder: boolean;
  /** The last failed request; without one the last dead letter. */
  readonly lastAtMs: number;
  readonly requests: number;
  readonly deadLetters: number;
  /** Of the last one. */
  readonly status: number | null;
  readonly message: string;
  /** The most frequent one first. */
  readonly statuses: readonly StatusCount[];
}

export interface IssueFilter {
  readonly destinationId?: string | undefined;
}

/** The last failure of a row. */
const LAST_AT = "ifnull(failed_at_ms, dead_at_ms)";
const READ_BACK = `CASE WHEN failed_at_ms IS NULL THEN ${KEPT_MS.deadLetters} ELSE ${KEPT_MS.deliveryAttempts} END`;
const MAY_BE_OLDER = `since_ms < (SELECT created_ms FROM life) - ${READ_BACK} + ${QUIET_MS}`;
const COLUMNS = `issue, id, destination_id, url, reason, first_at_ms, since_ms, ${MAY_BE_OLDER} AS may_be_older, ${LAST_AT} AS last_at_ms, requests, dead_letters, status, message`;

export function issueConditions({ destinationId }: IssueFilter): Conditions {
  return new Conditions().add("destination_id = ?", destinationId);
}

/** Those that began last first. */
export function listIssues(sql: Statements, filter: IssueFilter, { behind, limit }: Page): Issue[] {
  const { values, where } = issueConditions(filter).add(
    "(since_ms, issue) < (?, ?)",
    behind?.atMs,
    behind?.place,
  );
  const text = `SELECT ${COLUMNS} FROM issues ${where} ORDER BY since_ms DESC, issue DESC LIMIT ?`;
  return sql.all(text, ...values, limit).map((row) => issueOf(sql, row));
}

export function findIssue(sql: Statements, id: string): Issue | undefined {
  return sql.all(`SELECT ${COLUMNS} FROM issues WHERE id = ?`, id).map((row) => issueOf(sql, row))[0];
}

function issueOf(sql: Statements, row: Row): Issue {
  const number = (name: string): number => Number(row[name]);
  return {
    id: String(row["id"]),
    place: number("issue"),
    destinationId: String(row["destination_id"]),
    url: textOrNull(row, "url"),
    reason: String(row["reason"]),
    firstAtMs: number("first_at_ms"),
    sinceMs: number("since_ms"),
    mayBeOlder: row["may_be_older"] === 1,
    lastAtMs: number("last_at_ms"),
    requests: number("requests"),
    deadLetters: number("dead_letters"),
    status: row["status"] === null ? null : number("status"),
    message: String(row["message"]),
    statuses: listStatuses(sql, String(row["id"])),
  };
}

/** How many left. */
export function deleteOldIssues(sql: Statements, beforeMs: number, most: number): number {
  const age = "max(ifnull(failed_at_ms, 0), ifnull(dead_at_ms, 0))";
  const old = sql.run(
    `DELETE FROM issues WHERE issue IN (SELECT issue FROM issues WHERE ${age} < ? LIMIT ?)`,
    beforeMs,
    most,
  );
  const tooMany = Math.min(sql.rowsIn("issues") - MAX_ISSUES, most);
  if (tooMany <= 0) return old;
  const oldest = `SELECT issue FROM issues ORDER BY ${age} LIMIT ?`;
  return old + sql.run(`DELETE FROM issues WHERE issue IN (${oldest})`, tooMany);
}
