// Which regulations a list has.
import type { Static } from "typebox";
import { SPACE_SOURCE } from "#contract";
import type { Regulation } from "#topics";
import { notFound } from "../../http/problem.ts";
import type { RegulationParts } from "./parts.ts";
import type { RegulationsQuery } from "./schemas.ts";

/** Throws a 404 for a source that is not there, unless a regulation is about it from when it was. */
export function matchingRegulations(
  { regulations, sources }: Pick<RegulationParts, "regulations" | "sources">,
  { regulationType, status, sourceId }: Static<typeof RegulationsQuery>,
): Regulation[] {
  const all = regulations.list();
  const ofSource = all.filter((regulation) => sourceId === undefined || regulation.sourceId === sourceId);
  const isKnown = (id: string) => id === SPACE_SOURCE || sources.get(id) !== undefined;
  if (sourceId !== undefined && ofSource.length === 0 && regulations.isLoaded && !isKnown(sourceId))
    throw notFound("source", sourceId, "sourceId");
  return ofSource
    .filter((regulation) => regulationType === undefined || regulation.regulationType === regulationType)
    .filter((regulation) => status === undefined || regulation.state === status);
}
