// Which destinations a list has.
import { type Static, Type } from "typebox";
import { SPACE_SOURCE } from "#contract";
import type { DestinationConfig } from "#topics";
import { LIST_FIELDS, listPage } from "../../http/lists.ts";
import type { Listed } from "../../http/pages.ts";
import { notFound } from "../../http/problem.ts";
import { type DestinationRow, ofSource } from "./configured.ts";
import { HEALTH_STATES, healthState } from "./health/view.ts";
import type { DestinationParts } from "./parts.ts";

export const DestinationsQuery = Type.Object({
  ...LIST_FIELDS,
  sourceId: Type.Optional(
    Type.String({ minLength: 1, description: "Those that are connected to this source." }),
  ),
  health: Type.Optional(
    Type.Unsafe<string>({ type: "string", enum: HEALTH_STATES, description: "Those in this state." }),
  ),
});

type ListParts = Pick<DestinationParts, "breakers" | "destinations" | "health" | "nowMs" | "sources">;

/** Throws a 404 for a source that is not there. */
export function destinationsPage(
  { destinations, sources, ...parts }: ListParts,
  query: Static<typeof DestinationsQuery>,
) {
  const { health: state, sourceId } = query;
  if (sourceId !== undefined && sourceId !== SPACE_SOURCE && sources.get(sourceId) === undefined)
    throw notFound("source", sourceId, "sourceId");
  const look = (id: string) => destinations.peek(id);
  const hasState = ({ id }: Pick<DestinationConfig, "id">): boolean =>
    state === undefined || isIn(state, look(id), parts);
  const isNarrowed = sourceId !== undefined || state !== undefined;
  return listPage<DestinationRow & Listed, DestinationConfig>(
    {
      all: sourceId === undefined ? destinations : rowsOf(destinations.in(ofSource(sourceId))),
      accepts: isNarrowed ? hasState : undefined,
      valueOf: look,
      sizeOf: ({ filter }) => filter?.length ?? 0,
    },
    query,
  );
}

/** Of one source there are a thousand at most. */
function rowsOf(connected: readonly DestinationConfig[]) {
  return {
    size: connected.length,
    async *rows() {
      yield connected;
    },
  };
}

function isIn(
  state: string,
  destination: DestinationConfig | undefined,
  { breakers, health, nowMs }: Pick<ListParts, "breakers" | "health" | "nowMs">,
): boolean {
  if (destination === undefined) return false;
  return healthState(destination, health.of(destination.id), (url) => breakers.of(url, nowMs())) === state;
}
