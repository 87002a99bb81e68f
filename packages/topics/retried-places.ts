import type { RetryPlace } from "./records.generated.ts";

interface TopicPlaces {
  partitions: number;
  readonly done: Set<number>;
}

/** In which partitions of the retry topics a retry request was carried out. */
export class RetriedPlaces {
  readonly #byTopic = new Map<string, TopicPlaces>();

  add({ topic, partition, partitions }: RetryPlace): void {
    const places = this.#byTopic.get(topic) ?? { partitions, done: new Set() };
    this.#byTopic.set(topic, places);
    // A topic may be given more partitions; none is ever taken away.
    places.partitions = Math.max(places.partitions, partitions);
    places.done.add(partition);
  }

  has({ topic, partition }: Pick<RetryPlace, "topic" | "partition">): boolean {
    return this.#byTopic.get(topic)?.done.has(partition) ?? false;
  }

  /** Whether all of these topics are done. */
  covers(topics: readonly string[]): boolean {
    return topics.every((topic) => {
      const places = this.#byTopic.get(topic);
      return places !== undefined && places.done.size >= places.partitions;
    });
  }
}
