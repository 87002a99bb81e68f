// What the API does with regulations, whoever asks.
import type { Static } from "typebox";
import { isDeletion, SPACE_SOURCE } from "#contract";
import type { Regulation } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import { refreshAll } from "../../http/refresh.ts";
import { refusedBy } from "../../http/validation.ts";
import { affectedSources } from "./affected-sources.ts";
import type { RegulationParts } from "./parts.ts";
import { newRegulation, type RegulationRequest } from "./regulation.ts";
import type { RegulationBody } from "./schemas.ts";
import type { Tried } from "./tried.ts";

/**
 * Durable when it resolves, and younger than every regulation that was answered before. Rejects with a ProblemError for what may not be
 * asked; with a KafkaError when it is not known whether it was begun.
 */
export function startRegulation(
  parts: RegulationParts,
  body: Static<typeof RegulationBody>,
  by: Actor,
): Promise<Regulation> {
  return parts.changes.run(async () => {
    // What other processes have written: the affected sources, and which regulation is the newest.
    const looked = { refresh: () => parts.suppressed.look() };
    await refreshAll([parts.regulations, parts.sources, parts.destinations, looked], parts.host);
    const request = requestOf(parts, body);
    const { regulationType, sourceId, subjectIds } = request;
    const newestMs = parts.regulations.list().at(-1)?.createdAtMs ?? 0;
    const regulation = newRegulation({
      ...request,
      id: parts.ids.newRegulationId(),
      sourceIds: await affectedSources(parts, request),
      nowMs: Math.max(parts.nowMs(), newestMs + 1),
    });
    // Who it is about is not kept for as long as the audit log.
    const after = { regulationType, sourceId, subjects: subjectIds.length };
    const change = { by, action: "started", resource: "regulation", before: null, after } as const;
    await parts.audit.record({ ...change, resourceId: regulation.id });
    await parts.regulations.put(regulation);
    return regulation;
  });
}

/** What the regulation would be about. Rejects as `startRegulation` does. */
export async function tryRegulation(
  parts: RegulationParts,
  body: Static<typeof RegulationBody>,
): Promise<Tried> {
  await refreshAll([parts.sources, parts.destinations], parts.host);
  const request = requestOf(parts, body);
  const { regulationType, sourceId } = request;
  const userIds = new Set(request.subjectIds);
  const sourceIds = await affectedSources(parts, request);
  return {
    users: userIds.size,
    sourceIds,
    notifications: isDeletion(regulationType) ? userIds.size * sourceIds.length : 0,
    affected: await parts.countAffected({ userIds, sourceId }),
  };
}

function requestOf(
  { sources }: Pick<RegulationParts, "sources">,
  body: Static<typeof RegulationBody>,
): RegulationRequest {
  const { regulationType, sourceId = null, subjectIds } = body;
  if (sourceId !== null && sourceId !== SPACE_SOURCE && sources.get(sourceId) === undefined)
    throw refusedBy([], [{ path: "sourceId", message: `there is no source ${sourceId}` }]);
  return { regulationType, subjectIds, sourceId };
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
