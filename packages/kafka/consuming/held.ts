import type { RawRecord, Received } from "../types.ts";
import type { Seen } from "./tracker.ts";

/** The memory that a record takes beside its value. */
const RECORD_OVERHEAD_BYTES = 200;

/** The array is shortened after this many removed records at least, and when most of it is removed: shortening moves all that remain. */
const COMPACT_AFTER = 256;

/** A fetched record on its way to its end. */
export interface Held<T> {
  readonly record: RawRecord;
  /** What the partition's tracker keeps of it, also when it is done: it may have to stay for long behind a record that is not. */
  readonly seen: Seen;
  readonly sizeBytes: number;
  /** Undefined until it is decoded. */
  received: Received<T> | undefined;
  /** Why it can never be decoded. */
  poison: Error | undefined;
  /** Another record may stand at its offset by now: the log was cut, or its topic created again. */
  isOfFormerLog: boolean;
}

export function hold<T>(record: RawRecord): Held<T> {
  const sizeBytes = (record.value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
  const { offset, timestampMs } = record;
  return {
    record,
    seen: { offset, timestampMs, isDone: false },
    sizeBytes,
    received: undefined,
    poison: undefined,
    isOfFormerLog: false,
  };
}

/** Field by field, because a spread takes several times as long. */
export function received<T>(record: RawRecord, decoded: T): Received<T> {
  const { topic, partition, offset, key, value, timestampMs, headers } = record;
  return { topic, partition, offset, key, value, timestampMs, headers, decoded };
}

/** Fetched records that wait for their step, in order. */
export class HeldQueue<T> {
  /** Those before `#first` are removed. */
  #records: (Held<T> | undefined)[] = [];
  #first = 0;
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get head(): Held<T> | undefined {
    return this.#records[this.#first];
  }

  /** The first that stands in the log as it is now. */
  get firstInLog(): Held<T> | undefined {
    let place = this.#first;
    while (this.#records[place]?.isOfFormerLog === true) place += 1;
    return this.#records[place];
  }

  /** Marks records from this offset on as belonging to a log that was cut. */
  cutAt(offset: number): void {
    for (const held of this.#records)
      if (held !== undefined && held.record.offset >= offset) held.isOfFormerLog = true;
  }

  push(held: Held<T>): void {
    this.#records.push(held);
    this.#sizeBytes += held.sizeBytes;
  }

  /** Puts a record that was let go back into its place. */
  putBack(held: Held<T>): void {
    let place = this.#first;
    const { offset } = held.record;
    while ((this.#records[place]?.record.offset ?? Number.POSITIVE_INFINITY) < offset) place += 1;
    this.#records.splice(place, 0, held);
    this.#sizeBytes += held.sizeBytes;
  }

  /** Lets the head go. */
  shift(): void {
    this.#sizeBytes -= this.head?.sizeBytes ?? 0;
    this.#records[this.#first] = undefined;
    this.#first += 1;
    const { length } = this.#records;
    if (this.#first < length && (this.#first < COMPACT_AFTER || 2 * this.#first < length)) return;
    this.#records = this.#records.slice(this.#first);
    this.#first = 0;
  }

  /** Empties the queue; returns what was in it. */
  clear(): Held<T>[] {
    const left = this.#records.slice(this.#first).filter((held) => held !== undefined);
    this.#records = [];
    this.#first = 0;
    this.#sizeBytes = 0;
    return left;
  }
}
