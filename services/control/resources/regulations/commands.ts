// What the API does with regulations, whoever asks.
import type { Static } from "typebox";
import type { Regulation } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import { refreshAll } from "../../http/refresh.ts";
import { refusedBy } from "../../http/validation.ts";
import type { RegulationParts } from "./parts.ts";
import { affectedSources, newRegulation } from "./regulation.ts";
import type { RegulationBody } from "./schemas.ts";

/**
 * Durable when it resolves, and younger than every regulation that was answered before. Rejects with a ProblemError for what may not be
 * asked; with a KafkaError when it is not known whether it was begun.
 */
export function startRegulation(
  parts: RegulationParts,
  body: Static<typeof RegulationBody>,
  by: Actor,
): Promise<Regulation> {
  const { regulationType, subjectIds, sourceId = null } = body;
  return parts.changes.run(async () => {
    // What other processes have written: the affected sources, and which regulation is the newest.
    const looked = { refresh: () => parts.suppressed.look() };
    await refreshAll([parts.regulations, parts.sources, parts.destinations, looked], parts.host);
    if (sourceId !== null && parts.sources.get(sourceId) === undefined)
      throw refusedBy([], [{ path: "sourceId", message: `there is no source ${sourceId}` }]);
    const request = { regulationType, subjectIds, sourceId };
    const newestMs = parts.regulations.list().at(-1)?.createdAtMs ?? 0;
    const regulation = newRegulation({
      ...request,
      id: parts.ids.newRegulationId(),
      sourceIds: affectedSources(request, parts.sources.list(), parts.destinations.list()),
      nowMs: Math.max(parts.nowMs(), newestMs + 1),
    });
    // Who it is about is not kept for as long as the audit log.
    const after = { regulationType, sourceId, subjects: subjectIds.length };
    const change = { by, action: "started", resource: "regulation", before: null, after } as const;
    await parts.audit.record({ ...change, resourceId: regulation.id });
    await parts.regulations.putVisibly(regulation);
    return regulation;
  });
}

export function existingRegulation(
  { regulations }: Pick<RegulationParts, "regulations">,
  id: string,
): Regulation {
  const regulation = regulations.get(id);
  if (regulation === undefined && !regulations.isLoaded)
    throw new ProblemError("unavailable", "the regulations are still being read");
  if (regulation === undefined) throw notFound("regulation", id);
  return regulation;
}
