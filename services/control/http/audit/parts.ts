import type { Host } from "#host";
import type { AuditEntry } from "#topics";

/** An entry without what was changed, which stays in the log. */
export interface AuditNote extends Omit<AuditEntry, "before" | "after" | "claim"> {
  /** Where the whole entry stands. */
  readonly place: number;
  /** Of what was changed, in characters. */
  readonly size: number;
}

/** What entries are looked up by; what is left out narrows nothing. */
export interface AuditFilter {
  readonly resourceId?: string | undefined;
  readonly requestId?: string | undefined;
  /** With those that say no claim, of the version before. */
  readonly claim?: string | undefined;
  /** True: changes that were made alone. */
  readonly isMade?: true | undefined;
  /** Unix ms. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

interface AuditPage {
  readonly limit: number;
  readonly behind?: { readonly atMs: number; readonly place: number } | undefined;
}

/** The audit log as the API shows it. */
export interface AuditLog {
  /** Newest first. */
  list(filter: AuditFilter, page: AuditPage): AuditNote[];
  /** Reads entries whole; by id. One that retention has removed meanwhile is not there. */
  read(notes: readonly AuditNote[], signal: AbortSignal): Promise<ReadonlyMap<string, AuditEntry>>;
  /** Resolves when what was written before the call is listed. Rejects with an "unavailable" problem while older entries are still being read. */
  refresh(): Promise<void>;
}

/** What those work with who look into the log. */
export interface AuditLogParts {
  readonly auditLog: AuditLog;
  readonly host: Pick<Host, "setTimeout">;
}

/** What the log's route works with. */
export interface AuditRouteParts extends AuditLogParts {
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
}
