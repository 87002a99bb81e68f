import type { Host } from "#host";
import type { AuditEntry } from "#topics";

/** The audit log as the API shows it. */
export interface AuditLog {
  /** False for the first moments of a process. */
  readonly isLoaded: boolean;
  /** In no order. */
  list(): AuditEntry[];
  /** Resolves when what was written before the call can be read. */
  refresh(): Promise<void>;
}

/** What the route of the audit log works with. */
export interface AuditLogParts {
  readonly auditLog: AuditLog;
  readonly host: Pick<Host, "setTimeout">;
}
