import type { CallIdentity } from "#contract";
import type { Timer } from "#host";
import type { Bucket, BucketSpan } from "./bucket.ts";
import { callIdKey, formerCallIdKey } from "./call-id.ts";
import type { DedupeWindow, DedupeWindowOptions, Noted, NotedRecord } from "./dedupe-window.ts";
import { aimProbe, createProbe } from "./id-filter.ts";
import { PendingIds } from "./pending-ids.ts";
import type { WindowFiles } from "./window-files.ts";
import { WindowStore } from "./window-store.ts";

/** Parts of a window that are dropped as a whole: hours, when it is a day. */
const BUCKETS_PER_WINDOW = 24;
const FLUSH_EVERY_MS = 500;
/** Flushed sooner when so many ids wait. */
const FLUSH_IDS = 8192;
/** Good for 32 million ids in one partition's window; with more, lookups go to disk more often. */
const MAX_FILTER_BYTES = 64 * 1024 * 1024;
/** A few megabytes; over it they are looked at again. */
const MAX_CLARIFIED = 100_000;

/** The window itself: ids in memory until they are written, then in buckets on disk. */
export class PartitionWindow implements DedupeWindow {
  readonly #options: DedupeWindowOptions;
  readonly #store: WindowStore;
  readonly #pending = new PendingIds();
  readonly #probe = createProbe();
  /** Newest first, as a duplicate mostly follows its first copy closely. */
  #buckets: readonly Bucket[];
  /** The buckets among these that may hold ids without users. */
  #former: readonly Bucket[] = [];
  readonly #formerUntilMs: number;
  /** Offsets of calls that were noted without their users, and whose users are known now. */
  readonly #clarified = new Set<number>();
  #reached: number;
  #streamTimeMs: number;
  /** Their filters are to be kept with the next write. */
  #closed: Bucket[] = [];
  #dropping: readonly BucketSpan[];
  #isDirty = false;
  #writing: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(options: DedupeWindowOptions, files: WindowFiles) {
    this.#options = options;
    const store = new WindowStore(files, MAX_FILTER_BYTES / BUCKETS_PER_WINDOW);
    const state = store.readState();
    this.#store = store;
    this.#reached = state.reached;
    this.#streamTimeMs = state.streamTimeMs;
    this.#buckets = state.buckets.map((span) => store.openBucket(span)).reverse();
    this.#dropping = state.dropping;
    this.#formerUntilMs = state.formerUntilMs;
    this.#findFormer();
  }

  get reached(): number {
    return this.#reached;
  }

  get unwritten(): number {
    return this.#pending.size;
  }

  note(record: NotedRecord): Noted {
    const { offset, receivedAtMs } = record;
    // A clock that runs ahead on some ingest machine must not push the window on.
    this.#advanceTime(Math.min(receivedAtMs, this.#options.host.now()));
    const key = callIdKey(record);
    const first = this.#find(key);
    if (first === undefined || first > offset) {
      this.#remember(this.#buckets[0] ?? this.#begin(0), key, offset);
    }
    this.advanceTo(offset + 1);
    if (first === offset) return "again";
    return first !== undefined && first < offset ? "duplicate" : "first";
  }

  unclearFor(call: CallIdentity, offset: number): number | undefined {
    const first = this.#formerOf(call)?.offset;
    if (first === undefined || first >= offset || this.#clarified.has(first)) return undefined;
    return this.#find(callIdKey(call)) === undefined ? first : undefined;
  }

  clarify(offset: number, call: CallIdentity | undefined): void {
    if (this.#clarified.size >= MAX_CLARIFIED) this.#clarified.clear();
    this.#clarified.add(offset);
    const former = call && this.#formerOf(call);
    if (call === undefined || former?.offset !== offset) return;
    const key = callIdKey(call);
    if (this.#find(key) !== undefined) return;
    // The copy belongs in the entry's bucket: both leave the window together.
    this.#remember(former.bucket, key, offset);
    this.#flushSoon();
  }

  contradicts(call: CallIdentity, offset: number): boolean {
    if (offset >= this.#reached) return false;
    const first = this.#find(callIdKey(call));
    return (first === undefined || first > offset) && this.#formerOf(call) === undefined;
  }

  isGoodFor(timeMs: number): boolean {
    return timeMs >= this.#streamTimeMs - this.#options.windowMs / BUCKETS_PER_WINDOW;
  }

  goBackTo(offset: number): void {
    this.#reached = Math.min(this.#reached, offset);
    this.#isDirty = true;
  }

  advanceTo(offset: number): void {
    if (offset <= this.#reached) return;
    this.#reached = offset;
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#isDirty = true;
    this.#timer ??= this.#options.host.setTimeout(() => this.#flushInBackground(), FLUSH_EVERY_MS);
    if (this.#writing === undefined && this.#pending.nextSize >= FLUSH_IDS) this.#flushInBackground();
  }

  async flush(): Promise<void> {
    while (this.#isDirty || this.#writing !== undefined) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#timer?.clear();
      await this.#store.close();
    }
  }

  #find(key: string): number | undefined {
    aimProbe(this.#probe, key);
    const pending = this.#pending.find(key, this.#buckets);
    if (pending !== undefined) return pending;
    for (const bucket of this.#buckets) {
      const offset = bucket.find(key, this.#probe);
      if (offset !== undefined) return offset;
    }
    return undefined;
  }

  /**
   * The place at which a call of the same source and messageId was noted, of any user. Such ids are all on
   * disk.
   */
  #formerOf(call: CallIdentity): { readonly bucket: Bucket; readonly offset: number } | undefined {
    if (this.#former.length === 0) return undefined;
    const key = formerCallIdKey(call);
    aimProbe(this.#probe, key);
    for (const bucket of this.#former) {
      const offset = bucket.find(key, this.#probe);
      if (offset !== undefined) return { bucket, offset };
    }
    return undefined;
  }

  /** The key is the one that was looked for last. */
  #remember(bucket: Bucket, key: string, offset: number): void {
    bucket.remember(this.#probe);
    this.#pending.add(bucket, key, offset);
  }

  /** Makes the bucket of the stream's time the newest. */
  #begin(expectedIds: number): Bucket {
    const widthMs = Math.ceil(this.#options.windowMs / BUCKETS_PER_WINDOW);
    const wholeMs = Math.floor(this.#streamTimeMs / widthMs) * widthMs;
    // Spans never overlap, also when the window was another one in an earlier run.
    const startMs = Math.max(wholeMs, this.#buckets[0]?.span.endMs ?? 0);
    const bucket = this.#store.newBucket({ startMs, endMs: wholeMs + widthMs }, expectedIds);
    this.#buckets = [bucket, ...this.#buckets];
    return bucket;
  }

  /** When an hour is over its bucket gets no more ids, and those that have left the window are dropped. */
  #advanceTime(timeMs: number): void {
    if (timeMs <= this.#streamTimeMs) return;
    this.#streamTimeMs = timeMs;
    const [newest] = this.#buckets;
    if (newest === undefined || timeMs < newest.span.endMs) return;
    const endMs = timeMs - this.#options.windowMs;
    const expired = this.#buckets.filter(({ span }) => span.endMs <= endMs);
    this.#buckets = this.#buckets.filter((bucket) => !expired.includes(bucket));
    // Not pushed: a write under way drops what it began with, and no hour whose ids come with the next one.
    this.#dropping = [...this.#dropping, ...expired.map(({ span }) => span)];
    this.#closed = [...this.#closed, newest].filter((bucket) => !expired.includes(bucket));
    this.#begin(Math.ceil(newest.count * 1.25));
    this.#findFormer();
  }

  #findFormer(): void {
    this.#former = this.#buckets.filter(({ span }) => span.startMs < this.#formerUntilMs);
  }

  #flushInBackground(): void {
    this.flush().catch((error: unknown) => this.#options.onError(error));
  }

  /** One transaction with all that waits, and how far that reaches; then what it no longer names is dropped. */
  async #write(): Promise<void> {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#isDirty = false;
    const closed = this.#closed;
    const dropping = this.#dropping;
    const state = {
      reached: this.#reached,
      streamTimeMs: this.#streamTimeMs,
      buckets: this.#buckets.map(({ span }) => span).reverse(),
      dropping,
      formerUntilMs: this.#formerUntilMs,
    };
    try {
      await this.#pending.writeBy((ids) => this.#store.write({ ids, closed, state }));
      for (const span of dropping) await this.#store.drop(span);
    } catch (error) {
      this.#isDirty = true;
      throw error;
    }
    this.#closed = this.#closed.filter((bucket) => !closed.includes(bucket));
    this.#dropping = this.#dropping.filter((span) => !dropping.includes(span));
  }
}
