// Entries of the audit log, without what was changed: that stays in the log.
import type { AuditEntry } from "#topics";
import type { AuditFilter, AuditNote } from "../../http/audit/parts.ts";
import { placeOf, type Spot } from "../../records/places/places.ts";
import { Conditions, type Page, type Row, type Statements, textOrNull } from "./sql.ts";

const COLUMNS = "place, id, at_ms, token, request_id, action, resource, resource_id, is_made, size, claim";

/** One that is written once more, as its change was not made, takes the place of the first. */
export function insertAuditEntry(sql: Statements, entry: AuditEntry, spot: Spot): void {
  const { action, after, atMs, before, claim, id, isMade, requestId, resource, resourceId, token } = entry;
  sql.run(
    `INSERT OR REPLACE INTO audit_entries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    placeOf(spot),
    id,
    atMs,
    token,
    requestId,
    action,
    resource,
    resourceId,
    isMade ? 1 : 0,
    (before?.length ?? 0) + (after?.length ?? 0),
    claim,
  );
}

/** Newest first. */
export function listAuditEntries(
  sql: Statements,
  { claim, fromMs, isMade, requestId, resourceId, toMs }: AuditFilter,
  { behind, limit }: Page,
): AuditNote[] {
  const { values, where } = new Conditions()
    .add("resource_id = ?", resourceId)
    .add("request_id = ?", requestId)
    .add("(claim = ? OR claim IS NULL)", claim)
    .add("is_made = ?", isMade && 1)
    .add("at_ms >= ?", fromMs)
    .add("at_ms < ?", toMs)
    .add("(at_ms, place) < (?, ?)", behind?.atMs, behind?.place);
  const text = `SELECT ${COLUMNS} FROM audit_entries ${where} ORDER BY at_ms DESC, place DESC LIMIT ?`;
  return sql.all(text, ...values, limit).map(noteOf);
}

function noteOf(row: Row): AuditNote {
  return {
    place: Number(row["place"]),
    id: String(row["id"]),
    atMs: Number(row["at_ms"]),
    token: String(row["token"]),
    requestId: textOrNull(row, "request_id"),
    action: String(row["action"]),
    resource: String(row["resource"]),
    resourceId: String(row["resource_id"]),
    isMade: row["is_made"] === 1,
    size: Number(row["size"]),
  };
}
