import type { OutgoingRecord, RawRecord, TopicPartition } from "#kafka";

/** What a record takes in a log beside its value. */
const RECORD_OVERHEAD_BYTES = 50;

/** What was written together; compaction takes records out of it and leaves its ends. */
interface StoredBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly timestampMs: number;
  records: readonly RawRecord[];
  sizeBytes: number;
}

export type NewRecord = Pick<OutgoingRecord, "key" | "value" | "headers">;

export interface ReadRecords {
  readonly records: readonly RawRecord[];
  /** Behind the last batch, also when its last records were removed. */
  readonly nextOffset: number;
}

/** One partition's log. */
export class PartitionLog {
  readonly #partition: TopicPartition;
  #batches: StoredBatch[] = [];
  #low = 0;
  #high = 0;

  constructor(partition: TopicPartition) {
    this.#partition = partition;
  }

  /** First offset still there. */
  get low(): number {
    return this.#low;
  }

  /** Offset that the next record will get. */
  get high(): number {
    return this.#high;
  }

  /** All that are left, in order. */
  get records(): readonly RawRecord[] {
    return this.#batches.flatMap(({ records }) => records);
  }

  append(records: readonly NewRecord[], timestampMs: number): readonly RawRecord[] {
    const { topic, partition } = this.#partition;
    const baseOffset = this.#high;
    let sizeBytes = 0;
    const stored = records.map(({ headers, key, value }, index) => {
      sizeBytes += RECORD_OVERHEAD_BYTES + (value?.length ?? 0);
      const place = { topic, partition, offset: baseOffset + index, key, value, timestampMs };
      return headers === undefined ? place : { ...place, headers };
    });
    this.#high += records.length;
    this.#batches.push({ baseOffset, lastOffset: this.#high - 1, timestampMs, records: stored, sizeBytes });
    return stored;
  }

  /** Whole batches from the one that reaches `offset`, at least one; undefined when there is none yet. */
  read(offset: number, maxBytes: number): ReadRecords | undefined {
    let at = this.#indexOf(offset);
    const first = this.#batches[at];
    if (first === undefined) return undefined;
    let sizeBytes = first.sizeBytes;
    let records =
      first.baseOffset < offset ? first.records.filter((record) => record.offset >= offset) : first.records;
    let { lastOffset } = first;
    for (let next = this.#batches[++at]; next !== undefined; next = this.#batches[++at]) {
      sizeBytes += next.sizeBytes;
      if (sizeBytes > maxBytes) break;
      records = records.concat(next.records);
      ({ lastOffset } = next);
    }
    return { records, nextOffset: lastOffset + 1 };
  }

  /** First offset at or after the time; the end where there is none. */
  offsetAt(timestampMs: number): number {
    const batch = this.#batches.find((each) => each.timestampMs >= timestampMs && each.records.length > 0);
    return batch?.records[0]?.offset ?? this.#high;
  }

  /** Removes everything below. */
  removeBefore(offset: number): void {
    this.#low = Math.min(Math.max(this.#low, offset), this.#high);
    const firstLeft = this.#batches.findIndex(({ lastOffset }) => lastOffset >= this.#low);
    this.#batches = firstLeft === -1 ? [] : this.#batches.slice(firstLeft);
  }

  /** Loses what was written last, down to the offset and the rest of its batch: the new leader has less than the old one had. */
  loseFrom(offset: number): void {
    const lost = this.#batches.slice(this.#indexOf(offset));
    this.#batches = this.#batches.slice(0, this.#batches.length - lost.length);
    this.#high = Math.max(this.#low, Math.min(this.#high, lost[0]?.baseOffset ?? offset));
  }

  /** Retention: removes whole batches that are older. */
  expire(beforeMs: number): void {
    const left = this.#batches.find(({ timestampMs }) => timestampMs >= beforeMs);
    this.removeBefore(left?.baseOffset ?? this.#high);
  }

  /**
   * Keeps the last record of each key, and tombstones for as long as they shall be kept. The newest batch stands for the segment that is
   * being written: it is left alone, as all from the first batch on that is not older than `beforeMs`, and what they hold does not count yet.
   */
  compact({ beforeMs, tombstonesBeforeMs }: { beforeMs: number; tombstonesBeforeMs: number }): void {
    const newer = this.#batches.findIndex(({ timestampMs }) => timestampMs >= beforeMs);
    const old = this.#batches.slice(0, newer === -1 ? -1 : Math.min(newer, this.#batches.length - 1));
    const lastOffsets = new Map<string | null, number>();
    for (const { records } of old) for (const { key, offset } of records) lastOffsets.set(key, offset);
    for (const batch of old) {
      batch.records = batch.records.filter(
        ({ key, offset, value, timestampMs }) =>
          lastOffsets.get(key) === offset && (value !== null || timestampMs >= tombstonesBeforeMs),
      );
    }
    this.#batches = this.#batches.filter((batch, index) => index >= old.length || batch.records.length > 0);
  }

  /** Of the first batch that reaches the offset. */
  #indexOf(offset: number): number {
    let from = 0;
    let to = this.#batches.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#batches[middle]?.lastOffset ?? 0) < offset) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
