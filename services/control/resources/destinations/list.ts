// Which destinations a list has.
import { type Static, Type } from "typebox";
import { SPACE_SOURCE } from "#contract";
import type { DestinationConfig } from "#topics";
import { LIST_FIELDS, matching } from "../../http/lists.ts";
import { notFound } from "../../http/problem.ts";
import { HEALTH_STATES, healthState } from "./health/view.ts";
import type { DestinationParts } from "./parts.ts";

export const DestinationsQuery = Type.Object(
  {
    ...LIST_FIELDS,
    sourceId: Type.Optional(
      Type.String({ minLength: 1, description: "Those that are connected to this source." }),
    ),
    health: Type.Optional(
      Type.Unsafe<string>({ type: "string", enum: HEALTH_STATES, description: "Those in this state." }),
    ),
  },
  { additionalProperties: false },
);

/** Throws a 404 for a source that is not there. */
export function matchingDestinations(
  {
    breakers,
    destinations,
    health,
    nowMs,
    sources,
  }: Pick<DestinationParts, "breakers" | "destinations" | "health" | "nowMs" | "sources">,
  query: Static<typeof DestinationsQuery>,
): DestinationConfig[] {
  const { health: state, sourceId } = query;
  if (sourceId !== undefined && sourceId !== SPACE_SOURCE && sources.get(sourceId) === undefined)
    throw notFound("source", sourceId, "sourceId");
  return matching(destinations.list(), query)
    .filter(({ sourceIds }) => sourceId === undefined || sourceIds.includes(sourceId))
    .filter(
      (destination) =>
        state === undefined ||
        healthState(destination, health.of(destination.id), (url) => breakers.of(url, nowMs())) === state,
    );
}
