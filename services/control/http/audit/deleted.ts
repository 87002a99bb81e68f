import { refreshAll } from "../refresh.ts";
import type { AuditedResource } from "./audit.ts";
import type { AuditLogParts } from "./parts.ts";

/** Nothing is changed behind its deletion; entries of other resources of one id, or of changes that were not made, are few. */
const NEWEST = 1_000;

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
    .list({ resourceId: id }, { limit: NEWEST })
    .some((entry) => entry.resource === resource && entry.action === "deleted" && entry.isMade);
}
