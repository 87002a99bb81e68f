// What endpoints answered to the requests of an issue: its reason has the class of a status alone, as http_5xx.
import type { Statements } from "./sql.ts";

/** Of one status; requests that failed without an answer have none. */
export interface StatusCount {
  readonly status: number;
  /** Failed requests that are recorded. */
  readonly requests: number;
  /** Calls that died, whose last answer had it. */
  readonly deadLetters: number;
  readonly lastAtMs: number;
  /** Of the last one. */
  readonly message: string;
}

/** What a transaction adds. */
export type StatusAdded = Omit<StatusCount, "requests" | "deadLetters"> & { readonly count: number };

const ADD = {
  requests: upsertOf("requests"),
  dead_letters: upsertOf("dead_letters"),
};

function upsertOf(column: "requests" | "dead_letters"): string {
  const counts = column === "requests" ? "?, 0" : "0, ?";
  return `INSERT INTO issue_statuses (id, status, requests, dead_letters, last_at_ms, message) VALUES (?, ?, ${counts}, ?, ?)
    ON CONFLICT (id, status) DO UPDATE SET
    message = CASE WHEN excluded.last_at_ms >= last_at_ms THEN excluded.message ELSE message END,
    last_at_ms = max(last_at_ms, excluded.last_at_ms),
    ${column} = ${column} + excluded.${column}`;
}

export function addStatuses(
  sql: Statements,
  kind: keyof typeof ADD,
  id: string,
  added: Iterable<StatusAdded>,
): void {
  for (const { count, lastAtMs, message, status } of added)
    sql.run(ADD[kind], id, status, count, lastAtMs, message);
}

/** The most frequent one first. */
export function listStatuses(sql: Statements, id: string): StatusCount[] {
  const text =
    "SELECT status, requests, dead_letters, last_at_ms, message FROM issue_statuses WHERE id = ? AND requests + dead_letters > 0 ORDER BY requests DESC, dead_letters DESC, status";
  return sql.all(text, id).map((row) => ({
    status: Number(row["status"]),
    requests: Number(row["requests"]),
    deadLetters: Number(row["dead_letters"]),
    lastAtMs: Number(row["last_at_ms"]),
    message: String(row["message"]),
  }));
}
