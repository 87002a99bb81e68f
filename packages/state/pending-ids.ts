import type { Bucket } from "./bucket.ts";

/** Ids of one bucket that are not on disk yet, with the offset of the record that first carried each. */
export interface IdBatch {
  readonly bucket: Bucket;
  readonly offsets: ReadonlyMap<string, number>;
}

/** Ids that were noted and are not on disk yet: those being written now, and those of the next write. */
export class PendingIds {
  #writing: readonly IdBatch[] = [];
  #writingSize = 0;
  #next: { readonly bucket: Bucket; readonly offsets: Map<string, number> }[] = [];
  #nextSize = 0;

  get size(): number {
    return this.#writingSize + this.#nextSize;
  }

  /** The number of ids in the next write. */
  get nextSize(): number {
    return this.#nextSize;
  }

  add(bucket: Bucket, key: string, offset: number): void {
    const last = this.#next.at(-1);
    if (last?.bucket === bucket) last.offsets.set(key, offset);
    else this.#next.push({ bucket, offsets: new Map([[key, offset]]) });
    this.#nextSize += 1;
  }

  /** The offset of an id in one of these buckets: an id leaves the window with its bucket, written or not. */
  find(key: string, buckets: readonly Bucket[]): number | undefined {
    return findIn(this.#next, key, buckets) ?? findIn(this.#writing, key, buckets);
  }

  /** Runs one write with all that waits; what could not be written waits again. */
  async writeBy(write: (batches: readonly IdBatch[]) => Promise<void>): Promise<void> {
    const batches = this.#next;
    this.#writing = batches;
    this.#writingSize = this.#nextSize;
    this.#next = [];
    this.#nextSize = 0;
    try {
      await write(batches);
    } catch (error) {
      this.#next = [...batches, ...this.#next];
      this.#nextSize += this.#writingSize;
      throw error;
    } finally {
      this.#writing = [];
      this.#writingSize = 0;
    }
  }
}

function findIn(batches: readonly IdBatch[], key: string, buckets: readonly Bucket[]): number | undefined {
  for (const { bucket, offsets } of batches) {
    const offset = offsets.get(key);
    if (offset !== undefined && buckets.includes(bucket)) return offset;
  }
  return undefined;
}
