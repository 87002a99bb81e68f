import { Bucket, type BucketSpan } from "./bucket.ts";
import { IdFilter } from "./id-filter.ts";
import type { IdBatch } from "./pending-ids.ts";
import type { WindowFiles, WindowTable } from "./window-files.ts";

const STATE_KEY = Buffer.from("state-by-user");
/**
 * The state of versions that noted ids without users. It goes with the first write of this version: should an
 * older one come back, it finds an empty window and notes the log again, where it would not know what this
 * one has noted (decision 8).
 */
const FORMER_STATE_KEY = Buffer.from("state");

/** The progress of a window; written in the same transaction as the ids. */
export interface WindowState {
  /** Every record below this offset has been noted. */
  readonly reached: number;
  /** The latest time seen in the stream. */
  readonly streamTimeMs: number;
  /** Oldest first; the last one is being filled. */
  readonly buckets: readonly BucketSpan[];
  /** Left the window, and may not have been dropped yet. */
  readonly dropping: readonly BucketSpan[];
  /** Buckets that begin before this time may hold ids that were noted without their users. */
  readonly formerUntilMs: number;
}

const NOTHING: WindowState = { reached: 0, streamTimeMs: 0, buckets: [], dropping: [], formerUntilMs: 0 };

export interface WindowCommit {
  readonly state: WindowState;
  readonly ids: readonly IdBatch[];
  /** Buckets that get no more ids: their filters are kept. */
  readonly closed: readonly Bucket[];
}

/** The files of one partition's window: a table for each bucket, and one named `meta`. */
export class WindowStore {
  readonly #files: WindowFiles;
  readonly #meta: WindowTable;
  readonly #maxFilterBytes: number;

  /** `maxFilterBytes` bounds the memory of one bucket's filters. */
  constructor(files: WindowFiles, maxFilterBytes: number) {
    this.#files = files;
    this.#meta = files.table("meta");
    this.#maxFilterBytes = maxFilterBytes;
  }

  readState(): WindowState {
    const former = this.#meta.getBinary(FORMER_STATE_KEY);
    if (former !== undefined) return formerState(former);
    const bytes = this.#meta.getBinary(STATE_KEY);
    return bytes === undefined ? NOTHING : (JSON.parse(bytes.toString()) as WindowState);
  }

  newBucket(span: BucketSpan, expectedIds: number): Bucket {
    const maxFilterBytes = this.#maxFilterBytes;
    return Bucket.empty({ span, ids: this.#idsOf(span), expectedIds, maxFilterBytes });
  }

  /** A bucket of an earlier run: with the filters kept when it was closed, or with filters made again from its ids. */
  openBucket(span: BucketSpan): Bucket {
    const ids = this.#idsOf(span);
    const filters = this.#filterKeys(span).map((key) =>
      IdFilter.from(this.#meta.getBinary(key) ?? Buffer.of()),
    );
    return filters.length > 0
      ? Bucket.closed(span, ids, filters)
      : Bucket.refiltered(span, ids, this.#maxFilterBytes);
  }

  /** One transaction; resolves when it is on disk. */
  async write({ ids, closed, state }: WindowCommit): Promise<void> {
    await this.#files.batch(() => {
      for (const { bucket, offsets } of ids) bucket.write(offsets);
      for (const bucket of closed) this.#keepFilters(bucket);
      void this.#meta.put(STATE_KEY, Buffer.from(JSON.stringify(state)));
      if (this.#meta.doesExist(FORMER_STATE_KEY)) void this.#meta.remove(FORMER_STATE_KEY);
    });
  }

  /** Gives all pages of a bucket back at once. */
  async drop(span: BucketSpan): Promise<void> {
    await this.#files.batch(() => {
      for (const key of this.#filterKeys(span)) void this.#meta.remove(key);
    });
    await this.#idsOf(span).drop();
  }

  async close(): Promise<void> {
    await this.#files.close();
  }

  #idsOf(span: BucketSpan): WindowTable {
    return this.#files.table(`ids-${span.startMs}`);
  }

  #keepFilters(bucket: Bucket): void {
    for (const [index, filter] of bucket.filters.entries()) {
      void this.#meta.put(filterKey(bucket.span, index), filter.bytes);
    }
  }

  #filterKeys(span: BucketSpan): Buffer[] {
    const keys: Buffer[] = [];
    while (this.#meta.doesExist(filterKey(span, keys.length))) keys.push(filterKey(span, keys.length));
    return keys;
  }
}

function formerState(bytes: Buffer): WindowState {
  const state = JSON.parse(bytes.toString()) as Omit<WindowState, "formerUntilMs">;
  return { ...state, formerUntilMs: state.buckets.at(-1)?.endMs ?? 0 };
}

const filterKey = ({ startMs }: BucketSpan, index: number): Buffer =>
  Buffer.from(`filter-${startMs}-${index}`);
