import type { PartitionOffset } from "../session.ts";
import { keyOf } from "../topic-partition.ts";
import type { TopicPartition } from "../types.ts";
import { Lane, type LaneParts } from "./partition-reader.ts";

/** The lanes of a reader: one per partition, kept over rebalances. */
export class Lanes<T> {
  readonly #parts: LaneParts<T>;
  /** Also of partitions that are somebody else's now, for as long as records of theirs are outstanding. */
  readonly #lanes = new Map<string, Lane<T>>();
  #assigned: readonly TopicPartition[] = [];
  #assignedKeys: ReadonlySet<string> = new Set();

  constructor(parts: Omit<LaneParts<T>, "onLeft">) {
    this.#parts = { ...parts, onLeft: (partition) => void this.#lanes.delete(keyOf(partition)) };
  }

  get assigned(): readonly TopicPartition[] {
    return this.#assigned;
  }

  /** How many are in memory. */
  get size(): number {
    return this.#lanes.size;
  }

  /** The lane of a partition that is assigned. */
  at(partition: TopicPartition): Lane<T> | undefined {
    const key = keyOf(partition);
    return this.#assignedKeys.has(key) ? this.#lanes.get(key) : undefined;
  }

  assign(partitions: readonly TopicPartition[]): void {
    this.#assigned = partitions;
    this.#assignedKeys = new Set(partitions.map(keyOf));
    for (const partition of partitions) {
      const key = keyOf(partition);
      if (!this.#lanes.has(key)) this.#lanes.set(key, new Lane(partition, this.#parts));
    }
  }

  /** Of these, the ones that are assigned. */
  stillAssigned(partitions: readonly TopicPartition[]): TopicPartition[] {
    return partitions.filter((partition) => this.#assignedKeys.has(keyOf(partition)));
  }

  drop(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.at(partition)?.drop();
  }

  close(): void {
    for (const lane of this.#lanes.values()) lane.close();
  }

  /** What may be committed, of the partitions that are assigned (fact 7). */
  positions(): PartitionOffset[] {
    return this.#assigned.flatMap((partition) => {
      const offset = this.at(partition)?.committable;
      return offset === undefined ? [] : [{ ...partition, offset }];
    });
  }
}
