import type { Ownership } from "../runner-types.ts";
import type { CommittedOffset } from "../session.ts";
import { keyOf } from "../topic-partition.ts";
import type { Hold, TopicPartition } from "../types.ts";
import type { Capacity } from "./capacity.ts";
import { type DoneAhead, decodeDoneAhead, encodeDoneAhead, metadataBytesOf } from "./done-ahead.ts";
import { PartitionReader, type PartitionReaderParts } from "./partition-reader.ts";
import type { ReaderShare } from "./shares.ts";

const NOBODYS: Ownership & Hold = { isOurs: false, isHeld: false };

export interface PartitionReadersParts<T>
  extends Omit<PartitionReaderParts<T>, "capacity" | "onLeft" | "work"> {
  shareOf(partition: TopicPartition): {
    readonly capacity: Capacity;
    readonly options: Pick<ReaderShare<T>, "maxUnwrittenRecords" | "stepsDoneAgain" | "work">;
  };
}

/** The partition readers of a group's member: one for each partition, kept over rebalances. */
export class PartitionReaders<T> {
  readonly #parts: PartitionReadersParts<T>;
  /**
   * Readers of the member's partitions, and of those that are another member's now, for as long as records of
   * theirs are outstanding.
   */
  readonly #partitionReaders = new Map<string, PartitionReader<T>>();
  #assigned: readonly TopicPartition[] = [];
  #assignedKeys: ReadonlySet<string> = new Set();

  constructor(parts: PartitionReadersParts<T>) {
    this.#parts = parts;
  }

  get assigned(): readonly TopicPartition[] {
    return this.#assigned;
  }

  /** The number of partition readers. */
  get size(): number {
    return this.#partitionReaders.size;
  }

  /** Numbers of the assigned partitions of which records are worked on, or are done and not committed. */
  get busy(): ReadonlySet<number> {
    const isBusy = (partition: TopicPartition): boolean => {
      const reader = this.at(partition);
      return reader !== undefined && (reader.underWay.isAny || !reader.place.isCommitted);
    };
    return new Set(this.#assigned.filter(isBusy).map(({ partition }) => partition));
  }

  /** The partition reader of a partition that is assigned. */
  at(partition: TopicPartition): PartitionReader<T> | undefined {
    const key = keyOf(partition);
    return this.#assignedKeys.has(key) ? this.#partitionReaders.get(key) : undefined;
  }

  ownership(partition: TopicPartition): Ownership & Hold {
    return this.at(partition)?.ownership ?? NOBODYS;
  }

  assign(partitions: readonly TopicPartition[]): void {
    this.#assigned = partitions;
    this.#assignedKeys = new Set(partitions.map(keyOf));
    for (const partition of partitions) {
      const key = keyOf(partition);
      if (!this.#partitionReaders.has(key)) this.#partitionReaders.set(key, this.#newReader(partition));
    }
  }

  #newReader(partition: TopicPartition): PartitionReader<T> {
    const { capacity, options } = this.#parts.shareOf(partition);
    const onLeft = (left: TopicPartition): void => void this.#partitionReaders.delete(keyOf(left));
    return new PartitionReader(partition, { ...this.#parts, ...options, capacity, onLeft });
  }

  drop(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.at(partition)?.drop();
  }

  close(): void {
    for (const partitionReader of this.#partitionReaders.values()) {
      partitionReader.close();
      partitionReader.place.readNoMore();
    }
  }

  /** The offsets to commit, only of partitions that are assigned (fact 7). They count as sent. */
  positions(): CommittedOffset[] {
    const maxBytes = metadataBytesOf(this.#assigned.length);
    return this.#assigned.flatMap((partition) => {
      const place = this.at(partition)?.place;
      place?.sent();
      const offset = place?.committable;
      if (offset === undefined) return [];
      return [
        {
          ...partition,
          offset,
          metadata: encodeDoneAhead(this.#kept(partition, place?.doneAhead()), offset, maxBytes),
        },
      ];
    });
  }

  /** The group has committed what `positions` said last. */
  committed(): void {
    for (const partition of this.#assigned) this.at(partition)?.place.committed();
  }

  /** Learns the group's commits where the reading of these partitions begins. */
  learn(commits: readonly CommittedOffset[]): void {
    for (const { metadata = "", offset, ...partition } of commits)
      this.at(partition)?.place.learn(offset, this.#kept(partition, decodeDoneAhead(metadata, offset)));
    // A member that stops may know its places now.
    this.#parts.onSettled();
  }

  /** Tells whether some partition needs the group's commit before its work can be committed. */
  get awaitCommits(): boolean {
    return this.#assigned.some((partition) => this.at(partition)?.place.awaitsCommit);
  }

  /** What of it counts where the runner also steps what was done behind the group's commit. */
  #kept(partition: TopicPartition, done: DoneAhead | undefined): DoneAhead | undefined {
    const { stepsDoneAgain = false } = this.#parts.shareOf(partition).options;
    return stepsDoneAgain && done !== undefined ? { ...done, runs: [] } : done;
  }
}
