// What goes from which source to which destination: the ones that are stuck or busiest, as many as a picture has room for; pure.

import { SPACE_SOURCE } from "#contract";
import type { SourceConfig } from "#topics";
import type { FlowBetween } from "../index/flow-between.ts";
import type { FlowStage } from "../index/flow-stages.ts";
import { type DeliveryFlow, deliveryFlow } from "./flow.ts";

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
  readonly destinations: readonly (D & Ends)[];
  /** Each that is connected or has calls, of those above. */
  readonly flows: readonly ({ sourceId: string; destinationId: string } & Ends)[];
}

/** What became of jobs: sent is the others together, of which two are null where nobody knows what waits. */
interface Ends extends Pick<DeliveryFlow, "sent" | "waiting" | "delivered"> {
  readonly dead: number;
}

/** Calls that wait. */
type Waiting = Omit<FlowBetween, "stage">;

/** Stuck destinations first, then those with most calls. */
export function between<S extends Source, D extends Destination>(
  {
    sums,
    waiting,
  }: { readonly sums: readonly FlowBetween[]; readonly waiting: readonly Waiting[] | undefined },
  configured: { readonly sources: readonly S[]; readonly destinations: readonly D[] },
): Between<S, D> {
  const count = counting([...sums, ...openOf(sums, waiting ?? [])]);
  const endsOf = (sourceId: string, destinationId: string): Ends => {
    const stages = (["sent", "dead", "waiting"] as const).map((stage) => ({
      ...{ stage, reason: "" },
      calls: count(stage, sourceId, destinationId),
    }));
    const { sent, dead, ...open } = deliveryFlow(stages, waiting !== undefined);
    return { sent, dead: dead[""] ?? 0, waiting: open.waiting, delivered: open.delivered };
  };
  const sources = configured.sources.map((source) => ({
    ...source,
    refused: count("refused", source.id),
    dropped: count("dropped", source.id) + count("failed", source.id),
    routed: count("routed", source.id),
  }));
  const destinations = configured.destinations.map((destination) => ({
    ...destination,
    ...endsOf("", destination.id),
  }));
  const shown = {
    sources: first(sources, ({ dropped, refused, routed }) => dropped + refused + routed),
    destinations: first(destinations, ({ dead, isStuck, sent }) =>
      isStuck ? Number.POSITIVE_INFINITY : sent + dead,
    ),
  };
  const flows = shown.destinations.flatMap(({ id: destinationId, sourceIds }) =>
    shown.sources.flatMap(({ id: sourceId }) => {
      const ends = endsOf(sourceId, destinationId);
      const isThere = sourceIds.includes(sourceId) || ends.sent + ends.dead > 0;
      return isThere ? [{ sourceId, destinationId, ...ends }] : [];
    }),
  );
  return { ...shown, flows };
}

type Counted = Omit<FlowBetween, "stage"> & { readonly stage: FlowStage | "waiting" };

/** Between two at most as many as were sent and have not died: one that has just been sent is not counted there yet. */
function openOf(sums: readonly FlowBetween[], waiting: readonly Waiting[]): Counted[] {
  const count = counting(sums);
  const pairs = Map.groupBy(waiting, ({ destinationId, sourceId }) => `${sourceId} ${destinationId}`);
  return [...pairs.values()].flatMap((ofPair) => {
    const [first] = ofPair;
    if (first === undefined) return [];
    const { destinationId, sourceId } = first;
    const open = count("sent", sourceId, destinationId) - count("dead", sourceId, destinationId);
    const found = ofPair.reduce((sum, { calls }) => sum + calls, 0);
    return [{ sourceId, destinationId, stage: "waiting", calls: Math.min(found, Math.max(0, open)) }];
  });
}

/** Counts of a source, of a destination (of no source), and between two. */
function counting(sums: readonly Counted[]) {
  const counts = new Map<string, number>();
  const add = (key: string, calls: number): void => void counts.set(key, (counts.get(key) ?? 0) + calls);
  for (const { calls, destinationId, sourceId, stage } of sums) {
    add(`${stage} ${sourceId} ${destinationId}`, calls);
    if (destinationId !== "") add(`${stage}  ${destinationId}`, calls);
  }
  return (stage: Counted["stage"], sourceId: string, destinationId = ""): number =>
    counts.get(`${stage} ${sourceId} ${destinationId}`) ?? 0;
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
