import type { Host } from "#host";
import type { AuditEntry } from "#topics";

/** An entry without what was changed, which stays in the log: 90 days of that would not fit into memory. */
export interface AuditNote extends Omit<AuditEntry, "before" | "after"> {
  /** Where the whole entry stands. */
  readonly place: number;
  /** Of what was changed, in characters. */
  readonly size: number;
}

/** The audit log as the API shows it. */
export interface AuditLog {
  /** False for the first moments of a process. */
  readonly isLoaded: boolean;
  /** In no order. */
  list(): AuditNote[];
  /** Reads entries whole; by id. One that retention has removed meanwhile is not there. */
  read(notes: readonly AuditNote[], signal: AbortSignal): Promise<ReadonlyMap<string, AuditEntry>>;
  /** Resolves when what was written before the call can be read. */
  refresh(): Promise<void>;
}

/** What the route of the audit log works with. */
export interface AuditLogParts {
  readonly auditLog: AuditLog;
  readonly host: Pick<Host, "setTimeout">;
}
