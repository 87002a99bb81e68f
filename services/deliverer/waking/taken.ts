import type { TopicPartition } from "#kafka";

/**
 * The jobs that this process remembers; those that it forgets are known by RecentJobs for a while. About 100
 * bytes each.
 */
const MAX_TAKEN = 100_000;

/** A job's record. */
interface WrittenJob extends TopicPartition {
  readonly offset: number;
  readonly timestampMs: number;
}

/** One destination's jobs in one partition of a retry topic. */
interface Taken extends TopicPartition {
  /** Times at which the records were written, by offset. */
  readonly offsets: Map<number, number>;
}

/**
 * Jobs that passes of this process took, and that no cursor covers yet: a job before them stays where it is, or has not ended. After a
 * crash they are doubled, as every work since the last commit.
 */
export class TakenJobs {
  readonly #byKey = new Map<string, Taken>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string, { topic, partition, offset, timestampMs }: WrittenJob): void {
    if (this.#size >= MAX_TAKEN) return;
    const taken = this.#byKey.get(key) ?? { topic, partition, offsets: new Map() };
    this.#byKey.set(key, taken);
    this.#size += taken.offsets.has(offset) ? 0 : 1;
    taken.offsets.set(offset, timestampMs);
  }

  /** A job that was written at another time is another one, whatever its offset: the log was cut, or its topic created again. */
  has(key: string, { offset, timestampMs }: Pick<WrittenJob, "offset" | "timestampMs">): boolean {
    return this.#byKey.get(key)?.offsets.get(offset) === timestampMs;
  }

  /** A cursor covers these now. */
  forgetBelow(key: string, belowOffset: number): void {
    this.#forget(key, (offset) => offset < belowOffset);
  }

  /** The reader of their topic is past these for good. */
  forgetPassed(isPassed: (place: TopicPartition & { readonly belowOffset: number }) => boolean): void {
    for (const [key, { topic, partition }] of this.#byKey)
      this.#forget(key, (offset) => isPassed({ topic, partition, belowOffset: offset + 1 }));
  }

  #forget(key: string, isDone: (offset: number) => boolean): void {
    const { offsets } = this.#byKey.get(key) ?? {};
    for (const offset of offsets?.keys() ?? []) {
      if (!isDone(offset)) continue;
      offsets?.delete(offset);
      this.#size -= 1;
    }
    if (offsets?.size === 0) this.#byKey.delete(key);
  }
}
