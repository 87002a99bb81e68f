import type { Join, TopicPartition } from "#kafka";
import type { ClientMetadata } from "../metadata.ts";

/** One partition as a consumer reads it. */
export interface Place extends TopicPartition {
  readonly key: string;
  /** What the group has committed or the log's start, once it is known. */
  committed: number | undefined;
  /** Where the next fetch goes on; undefined: at the commit. */
  next: number | undefined;
}

const NONE: readonly Place[] = [];

/** One join, as its member knows it. */
interface Joined extends Omit<Join, "assigned"> {
  readonly coordinator: number;
}

/** Where a consumer stands in what it was assigned at one join; the client makes a new one at every join. */
export class Places {
  readonly memberId: string;
  readonly generation: number;
  /** The coordinator that the join was asked of: commits go there for as long as this lasts. */
  readonly coordinator: number;
  readonly userData: Buffer;
  readonly all: readonly Place[];
  readonly #byKey: ReadonlyMap<string, Place>;
  /** By leader, as the client knew the leaders when it was last asked. */
  #byLeader: ReadonlyMap<number, readonly Place[]> = new Map();
  #leaders: ClientMetadata["leaders"] | undefined;

  constructor({ memberId, generation, coordinator, userData }: Joined, assigned: readonly TopicPartition[]) {
    this.memberId = memberId;
    this.generation = generation;
    this.coordinator = coordinator;
    this.userData = userData;
    this.all = assigned.map(({ topic, partition }) => ({
      topic,
      partition,
      key: keyOf({ topic, partition }),
      committed: undefined,
      next: undefined,
    }));
    this.#byKey = new Map(this.all.map((place) => [place.key, place]));
  }

  /** Those that the broker leads, as the client knows it. Fetchers ask twice a second, and leaders seldom change. */
  ledBy(broker: number, metadata: Pick<ClientMetadata, "leader" | "leaders">): readonly Place[] {
    if (this.#leaders !== metadata.leaders) {
      this.#leaders = metadata.leaders;
      this.#byLeader = Map.groupBy(this.all, (place) => metadata.leader(place));
    }
    return this.#byLeader.get(broker) ?? NONE;
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
