import { refreshAll } from "../refresh.ts";
import type { AuditedResource } from "./audit.ts";
import type { AuditLogParts } from "./parts.ts";

/**
 * Whether it was there and was deleted, within the time that entries are kept, by whichever process. Rejects with an "unavailable" problem
 * when Kafka does not answer.
 */
export async function wasDeleted(
  { auditLog, host }: AuditLogParts,
  resource: AuditedResource,
  id: string,
): Promise<boolean> {
  await refreshAll([auditLog], host);
  return auditLog
    .list()
    .filter((entry) => entry.resource === resource && entry.resourceId === id)
    .some(({ action, isMade }) => action === "deleted" && isMade);
}
