// The writers of a partition of a table's topic, as its log tells: each writer writes a mark when it comes,
// and one for each writer that it fences.
import type { RawRecord } from "../types.ts";

/**
 * The prefix of a mark's key. Marks are tombstones: a reader that does not know them finds nothing to delete,
 * and compaction removes them a day later.
 */
const OPENED = "~writer:";
const FENCED = "~fenced:";

const NONE: readonly string[] = [];

/** Key of the mark that a producer id writes to a partition from now on. */
export function openedMark(producerId: string): string {
  return `${OPENED}${producerId}`;
}

/** Key of the mark that it does no longer. */
export function fencedMark(producerId: string): string {
  return `${FENCED}${producerId}`;
}

/** Fed with the records of a topic, in the order of each partition. */
export class OpenWriters {
  /** Ids by partition, in the order of their marks. */
  readonly #byPartition = new Map<number, readonly string[]>();

  /** Returns whether the record is a mark. */
  observe({ key, partition, value }: Pick<RawRecord, "key" | "partition" | "value">): boolean {
    if (key === null || value !== null) return false;
    const isOpened = key.startsWith(OPENED);
    if (!isOpened && !key.startsWith(FENCED)) return false;
    const marked = key.slice(isOpened ? OPENED.length : FENCED.length);
    const others = this.of(partition).filter((id) => id !== marked);
    this.#byPartition.set(partition, isOpened ? [...others, marked] : others);
    return true;
  }

  of(partition: number): readonly string[] {
    return this.#byPartition.get(partition) ?? NONE;
  }
}
