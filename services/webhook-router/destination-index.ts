import { SELECTION_FIELDS } from "#contract";
import type { TableValues } from "#kafka";
import { NumberedMap, NumberIndex, PackedMap, RecentMap } from "#packed";
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

/** Sources whose destinations are at hand: those of calls that come now. */
const MAX_AT_HAND = 20_000;
/** A longer list is neither written again as a whole with each change nor kept at hand: it takes longer to use than to find. */
const MAX_SHORT = 8;
/** Decoded destinations, which lists that are not at hand are made of. */
const MAX_DECODED = 20_000;
const NUMBER_BYTES = 4;
const NONE: readonly number[] = [];

/**
 * The values of the table of destinations, and the enabled ones by source: a call finds its destinations with one lookup. There may be a
 * million: a destination takes its bytes, and some sixteen more for its source.
 */
export class DestinationIndex implements TableValues<RoutedDestination, RoutedDestination> {
  readonly #read: (id: string, kept: Buffer) => RoutedDestination;
  readonly #destinations = new NumberedMap();
  /** The only destination of a source, where the source is the destination's only one: most are so. */
  readonly #only = new NumberIndex((number, sourceId) => isOnly(this.#at(number), sourceId));
  /** Numbers of another source's destinations, four bytes each. */
  readonly #shortLists = new PackedMap();
  readonly #longLists = new Map<string, readonly number[]>();
  readonly #decoded = new RecentMap<RoutedDestination>(MAX_DECODED);
  readonly #atHand = new RecentMap<readonly RoutedDestination[]>(MAX_AT_HAND);
  /** The list that is being written. */
  readonly #list = Buffer.alloc(MAX_SHORT * NUMBER_BYTES);

  /** `read` reads what `set` is given to keep. */
  constructor(read: (id: string, kept: Buffer) => RoutedDestination) {
    this.#read = read;
  }

  get size(): number {
    return this.#destinations.size;
  }

  /** The enabled destinations of a source, in the order in which they were connected. */
  of(sourceId: string): readonly RoutedDestination[] {
    const known = this.#atHand.get(sourceId);
    if (known !== undefined) return known;
    const numbers = this.#numbersOf(sourceId);
    const found = numbers.map((number) => this.#at(number));
    if (numbers.length <= MAX_SHORT) this.#atHand.set(sourceId, found);
    return found;
  }

  get(id: string): RoutedDestination | undefined {
    const number = this.#destinations.numberOf(id);
    return number < 0 ? undefined : this.#at(number);
  }

  set(id: string, destination: RoutedDestination, kept: Buffer): void {
    this.#disconnect(id);
    const number = this.#destinations.set(id, kept);
    if (destination.enabled)
      for (const sourceId of destination.sourceIds)
        this.#connect(sourceId, number, isOnly(destination, sourceId));
  }

  delete(id: string): void {
    this.#disconnect(id);
    this.#destinations.delete(id);
  }

  *entries(): Generator<[string, RoutedDestination]> {
    for (const id of this.#destinations.keys()) {
      const destination = this.get(id);
      // It may have gone while the caller was at another one.
      if (destination !== undefined) yield [id, destination];
    }
  }

  #at(number: number): RoutedDestination {
    const id = this.#destinations.keyOf(number);
    const known = this.#decoded.get(id);
    if (known !== undefined) return known;
    const destination = this.#read(id, this.#destinations.valueOf(number));
    this.#decoded.set(id, destination);
    return destination;
  }

  #connect(sourceId: string, number: number, isOnlySource: boolean): void {
    this.#atHand.delete(sourceId);
    const numbers = this.#numbersOf(sourceId);
    if (numbers.length === 0 && isOnlySource) {
      this.#only.set(sourceId, number);
      return;
    }
    const [first] = numbers;
    if (first !== undefined) this.#only.remove(sourceId, first);
    this.#setNumbers(sourceId, [...numbers.filter((other) => other !== number), number]);
  }

  /** From all of its sources, as long as its bytes say which they are. */
  #disconnect(id: string): void {
    const number = this.#destinations.numberOf(id);
    if (number < 0) return;
    for (const sourceId of this.#at(number).sourceIds) {
      this.#atHand.delete(sourceId);
      const listed = this.#listOf(sourceId);
      if (listed === undefined) this.#only.remove(sourceId, number);
      else
        this.#setNumbers(
          sourceId,
          listed.filter((other) => other !== number),
        );
    }
    this.#decoded.delete(id);
  }

  #numbersOf(sourceId: string): readonly number[] {
    const listed = this.#listOf(sourceId);
    if (listed !== undefined) return listed;
    const only = this.#only.find(sourceId);
    return only < 0 ? NONE : [only];
  }

  #listOf(sourceId: string): readonly number[] | undefined {
    const packed = this.#shortLists.size === 0 ? undefined : this.#shortLists.get(sourceId);
    if (packed === undefined) return this.#longLists.get(sourceId);
    return Array.from({ length: packed.length / NUMBER_BYTES }, (_, at) =>
      packed.readUInt32LE(at * NUMBER_BYTES),
    );
  }

  #setNumbers(sourceId: string, numbers: readonly number[]): void {
    const isLong = numbers.length > MAX_SHORT;
    if (isLong || numbers.length === 0) this.#shortLists.delete(sourceId);
    else {
      let end = 0;
      for (const number of numbers) end = this.#list.writeUInt32LE(number, end);
      this.#shortLists.set(sourceId, this.#list.subarray(0, end));
    }
    if (isLong) this.#longLists.set(sourceId, numbers);
    else if (this.#longLists.size > 0) this.#longLists.delete(sourceId);
  }
}

/** Whether the destination has this source and no other. */
function isOnly({ sourceIds }: RoutedDestination, sourceId: string): boolean {
  return sourceIds.length === 1 && sourceIds[0] === sourceId;
}
