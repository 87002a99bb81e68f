/** Offsets below 2^42 (four million million records) and up to 2,048 partitions give numbers that are exact. */
const PLACES_PER_PARTITION = 2 ** 42;

export interface Spot {
  readonly partition: number;
  readonly offset: number;
}

/** Where a record stands, as one number that grows along each partition. */
export function placeOf({ partition, offset }: Spot): number {
  return partition * PLACES_PER_PARTITION + offset;
}

export function spotOf(place: number): Spot {
  const partition = Math.floor(place / PLACES_PER_PARTITION);
  return { partition, offset: place - partition * PLACES_PER_PARTITION };
}
