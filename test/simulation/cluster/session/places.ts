import type { TopicPartition } from "#kafka";

/** One partition as a consumer reads it. */
export interface Place extends TopicPartition {
  readonly key: string;
  /** What the group has committed or the log's start, once it is known. */
  committed: number | undefined;
  /** Where the next fetch goes on; undefined: at the commit. */
  next: number | undefined;
}

/** Where a consumer stands in what it was assigned at one join; the client makes a new one at every join. */
export class Places {
  readonly memberId: string;
  readonly generation: number;
  /** The coordinator that the join was asked of: commits go there for as long as this lasts. */
  readonly coordinator: number;
  readonly all: readonly Place[];
  readonly #byKey: ReadonlyMap<string, Place>;

  constructor(
    { memberId, generation, coordinator }: { memberId: string; generation: number; coordinator: number },
    assigned: readonly TopicPartition[],
  ) {
    this.memberId = memberId;
    this.generation = generation;
    this.coordinator = coordinator;
    this.all = assigned.map(({ topic, partition }) => ({
      topic,
      partition,
      key: keyOf({ topic, partition }),
      committed: undefined,
      next: undefined,
    }));
    this.#byKey = new Map(this.all.map((place) => [place.key, place]));
  }

  at(key: string): Place | undefined {
    return this.#byKey.get(key);
  }
}

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Where the next fetch of the partition begins. */
export function nextOf({ next, committed }: Place): number {
  return Math.max(0, next ?? committed ?? 0);
}
