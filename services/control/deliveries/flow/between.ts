// What goes from which source to which destination: the ones that are stuck or busiest, as many as a picture has room for; pure.

import { SPACE_SOURCE } from "#contract";
import type { SourceConfig } from "#topics";
import type { FlowBetween } from "../index/flow-between.ts";
import type { FlowStage } from "../index/flow-stages.ts";

/** Of sources, and of destinations. */
export const MOST_SHOWN = 20;

interface Source {
  readonly id: string;
}

interface Destination extends Source {
  readonly sourceIds: readonly string[];
  /** Calls cannot get through to it now. */
  readonly isStuck: boolean;
}

export interface Between<S, D> {
  readonly sources: readonly (S & Record<"refused" | "dropped" | "routed", number>)[];
  readonly destinations: readonly (D & Record<"sent" | "dead", number>)[];
  /** Each that is connected or has calls, of those above. */
  readonly flows: readonly { sourceId: string; destinationId: string; sent: number; dead: number }[];
}

/** Stuck destinations first, then those with most calls. */
export function between<S extends Source, D extends Destination>(
  sums: readonly FlowBetween[],
  configured: { readonly sources: readonly S[]; readonly destinations: readonly D[] },
): Between<S, D> {
  const counts = new Map<string, number>();
  const add = (key: string, calls: number): void => void counts.set(key, (counts.get(key) ?? 0) + calls);
  for (const { calls, destinationId, sourceId, stage } of sums) {
    add(`${stage} ${sourceId} ${destinationId}`, calls);
    if (destinationId !== "") add(`${stage}  ${destinationId}`, calls);
  }
  const count = (stage: FlowStage, sourceId: string, destinationId = ""): number =>
    counts.get(`${stage} ${sourceId} ${destinationId}`) ?? 0;
  const sources = configured.sources.map((source) => ({
    ...source,
    refused: count("refused", source.id),
    dropped: count("dropped", source.id) + count("failed", source.id),
    routed: count("routed", source.id),
  }));
  const destinations = configured.destinations.map((destination) => ({
    ...destination,
    sent: count("sent", "", destination.id),
    dead: count("dead", "", destination.id),
  }));
  const shown = {
    sources: first(sources, ({ dropped, refused, routed }) => dropped + refused + routed),
    destinations: first(destinations, ({ dead, isStuck, sent }) =>
      isStuck ? Number.POSITIVE_INFINITY : sent + dead,
    ),
  };
  const flows = shown.destinations.flatMap(({ id: destinationId, sourceIds }) =>
    shown.sources.flatMap(({ id: sourceId }) => {
      const [sent, dead] = [count("sent", sourceId, destinationId), count("dead", sourceId, destinationId)];
      const isThere = sourceIds.includes(sourceId) || sent + dead > 0;
      return isThere ? [{ sourceId, destinationId, sent, dead }] : [];
    }),
  );
  return { ...shown, flows };
}

/** Of equals in their order. */
function first<T>(all: readonly T[], weightOf: (one: T) => number): T[] {
  return all
    .map((one) => ({ one, weight: weightOf(one) }))
    .sort((a, b) => (a.weight === b.weight ? 0 : b.weight - a.weight))
    .slice(0, MOST_SHOWN)
    .map(({ one }) => one);
}

/** What audiences and computed traits send comes from a source that nobody made. */
const AUDIENCES = { id: SPACE_SOURCE, name: "Audiences and computed traits", enabled: true };

/** Those that somebody made, and that of audiences once it is taken by a destination. */
export function sourcesOf(
  sources: readonly Pick<SourceConfig, "enabled" | "id" | "name">[],
  isTaken: boolean,
) {
  const made = sources.map(({ enabled, id, name }) => ({ id, name, enabled }));
  return isTaken ? [...made, AUDIENCES] : made;
}
