import { SELECTION_FIELDS } from "#contract";
import { PackedMap, RecentMap } from "#packed";
import type { DestinationConfig } from "#topics";

/** What routing looks at of a destination beside its id; the rest of it never comes into the router's memory. */
export const ROUTED_FIELDS = [
  "enabled",
  "sourceIds",
  ...SELECTION_FIELDS,
  "filter",
  "maxRequestsPerSecond",
  "maxInFlight",
  "shardWidth",
] as const satisfies readonly (keyof DestinationConfig)[];

export type RoutedDestination = Pick<DestinationConfig, "id" | (typeof ROUTED_FIELDS)[number]>;

const NONE: readonly string[] = [];

/** The settings of a destination that decide which calls it gets. */
type Connections = Pick<DestinationConfig, "enabled" | "sourceIds">;

/** Sources whose destinations are at hand: those of calls that come now. */
const MAX_AT_HAND = 20_000;
/** A longer list is neither written again as a whole with each change nor kept at hand: it takes longer to use than to find. */
const MAX_SHORT = 8;

/**
 * Enabled destinations by source, kept up to date change by change: a call finds its destinations with one lookup. It holds no more
 * than their ids, as bytes, because there may be a million.
 */
export class DestinationIndex {
  readonly #configOf: (id: string) => RoutedDestination | undefined;
  /** Ids as JSON. */
  readonly #packedIds = new PackedMap();
  readonly #longLists = new Map<string, readonly string[]>();
  readonly #atHand = new RecentMap<readonly RoutedDestination[]>(MAX_AT_HAND);

  constructor(configOf: (id: string) => RoutedDestination | undefined) {
    this.#configOf = configOf;
  }

  /** The enabled destinations of a source, in the order in which they were connected. */
  of(sourceId: string): readonly RoutedDestination[] {
    const known = this.#atHand.get(sourceId);
    if (known !== undefined) return known;
    const found = this.#idsOf(sourceId).flatMap((id) => this.#configOf(id) ?? []);
    if (found.length <= MAX_SHORT) this.#atHand.set(sourceId, found);
    return found;
  }

  /** `config` is what the destination is from now on; undefined when it is deleted, or was not there before. */
  apply(id: string, config: Connections | undefined, before: Connections | undefined): void {
    const sourceIds = config?.sourceIds ?? NONE;
    for (const sourceId of sourceIds) this.#connect(sourceId, id, config);
    for (const sourceId of before?.sourceIds ?? NONE) {
      if (!sourceIds.includes(sourceId)) this.#connect(sourceId, id, config);
    }
  }

  #idsOf(sourceId: string): readonly string[] {
    const packed = this.#packedIds.get(sourceId);
    if (packed !== undefined) return JSON.parse(packed.toString()) as readonly string[];
    return this.#longLists.size === 0 ? NONE : (this.#longLists.get(sourceId) ?? NONE);
  }

  #connect(sourceId: string, id: string, config: Connections | undefined): void {
    const isConnected = config?.enabled === true && config.sourceIds.includes(sourceId);
    const ids = this.#idsOf(sourceId);
    const others = ids.length === 0 ? ids : ids.filter((other) => other !== id);
    this.#setIds(sourceId, isConnected ? [...others, id] : others);
    this.#atHand.delete(sourceId);
  }

  #setIds(sourceId: string, ids: readonly string[]): void {
    const isLong = ids.length > MAX_SHORT;
    if (isLong || ids.length === 0) this.#packedIds.delete(sourceId);
    else this.#packedIds.set(sourceId, Buffer.from(JSON.stringify(ids)));
    if (isLong) this.#longLists.set(sourceId, ids);
    else if (this.#longLists.size > 0) this.#longLists.delete(sourceId);
  }
}
