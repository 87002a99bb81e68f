import { KEY_BYTES } from "./call-id.ts";
import { aimProbe, createProbe, IdFilter, type Probe } from "./id-filter.ts";
import type { WindowTable } from "./window-files.ts";

/**
 * Ids of one segment share a key prefix. A hash lands anywhere in a tree, so a commit copies about one page for each id
 * when the tree is large; within a segment of 750 KB a commit finds its pages again. Measured with commits of 500:
 * 12 µs CPU and 4 KB written for each id without segments, 4 µs and 1.2 KB with them.
 */
const SEGMENT_IDS = 16_384;
const SEGMENT_BYTES = 2;
/** Offsets up to 2^48. */
const OFFSET_BYTES = 6;
const LEAST_FILTER_IDS = 16_384;

export interface BucketSpan {
  /** The bucket holds ids that came while the stream's time was in here. */
  readonly startMs: number;
  readonly endMs: number;
}

/** The ids of one stretch of time: on disk, with a filter in memory in front of them. */
export class Bucket {
  readonly span: BucketSpan;
  readonly #ids: WindowTable;
  readonly #filters: IdFilter[];
  readonly #maxFilterBytes: number;
  readonly #key = Buffer.alloc(SEGMENT_BYTES + KEY_BYTES);
  /** Keys in the newest filter. */
  #filtered = 0;
  #count = 0;
  #segment: number;
  #inSegment = 0;

  private constructor(span: BucketSpan, ids: WindowTable, filters: IdFilter[], maxFilterBytes: number) {
    this.span = span;
    this.#ids = ids;
    this.#filters = filters;
    this.#maxFilterBytes = maxFilterBytes;
    this.#segment = 0;
    for (const last of ids.getKeys({ reverse: true, limit: 1 })) this.#segment = last.readUInt16BE(0) + 1;
  }

  /** A new bucket, with a filter for as many ids as are expected. */
  static empty(options: {
    span: BucketSpan;
    ids: WindowTable;
    expectedIds: number;
    maxFilterBytes: number;
  }): Bucket {
    const expected = Math.max(LEAST_FILTER_IDS, Math.min(options.expectedIds, options.maxFilterBytes / 4));
    return new Bucket(options.span, options.ids, [IdFilter.forKeys(expected)], options.maxFilterBytes);
  }

  /** A bucket that gets no more ids, with the filters that were kept beside it. */
  static closed(span: BucketSpan, ids: WindowTable, filters: IdFilter[]): Bucket {
    return new Bucket(span, ids, filters, 0);
  }

  /** The bucket that was being filled: its filters are not on disk, and are made again from its ids. */
  static refiltered(span: BucketSpan, ids: WindowTable, maxFilterBytes: number): Bucket {
    const { entryCount } = ids.getStats() as { entryCount: number };
    const bucket = Bucket.empty({ span, ids, expectedIds: entryCount * 2, maxFilterBytes });
    const probe = createProbe();
    for (const key of ids.getKeys()) {
      aimProbe(probe, key.toString("latin1", SEGMENT_BYTES));
      bucket.remember(probe);
    }
    return bucket;
  }

  get filters(): readonly IdFilter[] {
    return this.#filters;
  }

  /** Ids that it holds, written or about to be. */
  get count(): number {
    return this.#count;
  }

  /** Tells the filter of an id that a later `write` brings to disk. */
  remember(probe: Probe): void {
    let newest = this.#filters.at(-1) ?? IdFilter.forKeys(LEAST_FILTER_IDS);
    if (this.#filtered >= newest.capacity && this.#hasRoomFor(newest.bytes.length * 2)) {
      newest = IdFilter.forKeys(newest.capacity * 2);
      this.#filters.push(newest);
      this.#filtered = 0;
    }
    newest.add(probe);
    this.#filtered += 1;
    this.#count += 1;
  }

  /** Memory is bounded: beyond it the newest filter fills up, and more lookups go to disk. */
  #hasRoomFor(bytes: number): boolean {
    return this.#filters.reduce((sum, filter) => sum + filter.bytes.length, bytes) <= this.#maxFilterBytes;
  }

  /** Offset of the record that first carried the id, if it has been written. */
  find(key: string, probe: Probe): number | undefined {
    if (!this.#filters.some((filter) => filter.mayHold(probe))) return undefined;
    this.#key.write(key, SEGMENT_BYTES, "latin1");
    for (let segment = this.#segment; segment >= 0; segment--) {
      this.#key.writeUInt16BE(segment, 0);
      const value = this.#ids.getBinaryFast(this.#key);
      if (value !== undefined) return value.readUIntBE(0, OFFSET_BYTES);
    }
    return undefined;
  }

  /** Puts ids and their offsets; to be called within a transaction. Sorted, because neighbours share a page. */
  write(ids: ReadonlyMap<string, number>): void {
    if (this.#inSegment + ids.size > SEGMENT_IDS && this.#inSegment > 0) {
      this.#segment += 1;
      this.#inSegment = 0;
    }
    this.#inSegment += ids.size;
    this.#key.writeUInt16BE(this.#segment, 0);
    // A put keeps the value by reference until it is committed, so every one has bytes of its own; the key is copied.
    const values = Buffer.allocUnsafe(ids.size * OFFSET_BYTES);
    let at = 0;
    for (const key of [...ids.keys()].sort()) {
      values.writeUIntBE(ids.get(key) ?? 0, at, OFFSET_BYTES);
      this.#key.write(key, SEGMENT_BYTES, "latin1");
      void this.#ids.put(this.#key, values.subarray(at, at + OFFSET_BYTES));
      at += OFFSET_BYTES;
    }
  }
}
