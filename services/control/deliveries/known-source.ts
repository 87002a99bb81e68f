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

type Sources = Pick<KnownSourceParts, "sources">;

/** That of audiences always is. */
export function isPresent({ sources }: Sources, id: string): boolean {
  return id === SPACE_SOURCE || sources.get(id) !== undefined;
}

/** Throws a 404 for a source that is not there now. */
export function checkPresentSource(parts: Sources, id: string): void {
  if (!isPresent(parts, id)) throw notFound("source", id);
}

/** Throws a 404 for a source that is not there and never was; of one that was deleted there may be calls. */
export async function checkSource(parts: KnownSourceParts, id: string): Promise<void> {
  const isKnown = isPresent(parts, id) || (await wasDeleted(parts, "source", id));
  if (!isKnown) throw notFound("source", id);
}
