import { SPACE_SOURCE } from "#contract";
import type { Host } from "#host";
import { wasDeleted } from "../http/audit/deleted.ts";
import type { AuditLogParts } from "../http/audit/parts.ts";
import { notFound } from "../http/problem.ts";
import type { SourceParts } from "../resources/sources/parts.ts";

export interface KnownSourceParts extends AuditLogParts {
  readonly sources: Pick<SourceParts["sources"], "get">;
  readonly host: Pick<Host, "setTimeout">;
}

/** Throws a 404 for a source that is not there and never was; of one that was deleted there may be calls. */
export async function checkSource(parts: KnownSourceParts, id: string): Promise<void> {
  const isThere = id === SPACE_SOURCE || parts.sources.get(id) !== undefined;
  const isKnown = isThere || (await wasDeleted(parts, "source", id));
  if (!isKnown) throw notFound("source", id);
}
