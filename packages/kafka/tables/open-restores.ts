// Restores of a topic that have begun and not ended, as its log says (decision 118): a restore writes a mark to every partition before its
// first entry, and ends the mark behind its last one.
import type { PartitionOffsets } from "../admin-types.ts";
import { KafkaError } from "../errors.ts";
import { partitionOfKey } from "../producing/partitioner.ts";
import type { OutgoingRecord, RawRecord } from "../types.ts";

/**
 * A mark has a value until it is ended with a tombstone, so compaction keeps it for as long as the restore is open. A process of the version before
 * cannot read it, says so, and goes on with the next record.
 */
const MARK = "~restoring:";
const BEGUN = Buffer.from("begun");

export interface OpenRestore {
  /** The key of its mark. */
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
  readonly begunAtMs: number;
}

/** Keys of a restore's marks: one that belongs to each partition. */
export function restoreMarks(id: string, partitions: number): string[] {
  const keys = new Map<number, string>();
  for (let i = 0; keys.size < partitions; i += 1) {
    const key = `${MARK}${id}:${i}`;
    const partition = partitionOfKey(key, partitions);
    if (!keys.has(partition)) keys.set(partition, key);
  }
  return [...keys.values()];
}

/** Creates the records that begin and end a restore. */
export function markRecords(
  topic: string,
  keys: readonly string[],
  state: "begun" | "ended",
): OutgoingRecord[] {
  return keys.map((key) => ({ topic, key, value: state === "begun" ? BEGUN : null }));
}

/** Whether the record is no entry of its topic. */
export function isRestoreMark({ key }: Pick<RawRecord, "key">): boolean {
  return key?.startsWith(MARK) === true;
}

export function halfRestored(topic: string, begunAtMs: number): KafkaError {
  const since = new Date(begunAtMs).toISOString();
  const message = `${topic} is half restored: a restore that began at ${since} is under way or was cut off; unless one is under way, run it again`;
  return new KafkaError("records_lost", message, { canRetry: true });
}

/** Fed with the records of a topic, in the order of each partition. */
export class OpenRestores {
  readonly #byPartition = new Map<number, readonly OpenRestore[]>();
  #marks = 0;

  /** The number of marks that were read. */
  get marks(): number {
    return this.#marks;
  }

  get open(): readonly OpenRestore[] {
    return [...this.#byPartition.values()].flat();
  }

  /** Returns whether the record is a mark. */
  observe(record: Pick<RawRecord, "key" | "offset" | "partition" | "timestampMs" | "value">): boolean {
    const { key, offset, partition, timestampMs, value } = record;
    this.#forgetFrom(offset, partition);
    if (key === null || !isRestoreMark(record)) return false;
    this.#marks += 1;
    const others = (this.#byPartition.get(partition) ?? []).filter((each) => each.key !== key);
    if (value !== null) others.push({ key, partition, offset, begunAtMs: timestampMs });
    this.#byPartition.set(partition, others);
    return true;
  }

  /** Throws a KafkaError while a restore is open in one of the partitions. */
  unlessOpen(topic: string, ends: readonly Pick<PartitionOffsets, "partition">[]): void {
    const open = ends.flatMap(({ partition }) => this.#byPartition.get(partition) ?? []);
    if (open.length === 0) return;
    throw halfRestored(topic, Math.min(...open.map(({ begunAtMs }) => begunAtMs)));
  }

  /** The log is read again from there, or is another one: the topic was created again. */
  #forgetFrom(offset: number, partition: number): void {
    const open = this.#byPartition.get(partition);
    if (open?.some((each) => each.offset >= offset) !== true) return;
    this.#byPartition.set(
      partition,
      open.filter((each) => each.offset < offset),
    );
  }
}
