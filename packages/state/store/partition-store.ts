// One partition of a store: entries by key on disk, derived from a compacted topic, the changelog.
// ¶ Disk is a cache. A write is durable once the changelog has acknowledged it; `write` resolves then, and
// the entry goes to disk a little later, together with others. A process that dies in between finds the
// record in the changelog: the checkpoint says below which offset everything is on disk, and all from there
// on is read again. Until a write is on disk it is answered from memory, so that its owner never sees an
// older entry than the one it wrote.
// ¶ A process that lost the partition may still have a write under way. The facts of two records of one key
// (`EntryFacts`) tell which is newer, not their place; where the newer one is not the last, its owner writes
// it once more, before compaction can remove it (decision 50).
import { atPartition, type OutgoingRecord } from "#kafka";
import { catchUp } from "./catch-up.ts";
import { DiskQueue } from "./disk-queue.ts";
import { removalHeaders, type StoreChange } from "./entry.ts";
import { keysBehind, mergedKeys } from "./merged-keys.ts";
import type { StoreOptions, StoreOwner } from "./store-options.ts";
import type { Checkpoint, StoreTable } from "./store-table.ts";

export class StoreLostError extends Error {
  override readonly name = "StoreLostError";
}

interface Unwritten {
  readonly entry: StoreChange;
  readonly write: number;
}

export class PartitionStore {
  readonly #options: StoreOptions;
  readonly #table: StoreTable;
  /** Given to `write`, and not acknowledged yet. */
  readonly #unwritten = new Map<string, Unwritten>();
  /** Acknowledged, and not on disk yet. */
  readonly #queue: DiskQueue;
  #owner: StoreOwner | undefined;
  /** Work on the changelog, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #writes = 0;
  /** Everything below was on disk at the last look. */
  #reached: number;
  /** Own records that were acknowledged since. */
  #acknowledged = 0;
  #isLost = false;

  constructor(options: StoreOptions, table: StoreTable) {
    this.#options = options;
    this.#table = table;
    this.#queue = new DiskQueue(table);
    this.#reached = table.checkpoint()?.offset ?? 0;
  }

  get(key: string): Buffer | undefined {
    return (
      (this.#unwritten.get(key)?.entry ?? this.#queue.get(key) ?? this.#table.get(key))?.value ?? undefined
    );
  }

  /** Entries that the changelog has. */
  get count(): number {
    return this.#table.count + this.#queue.newKeys;
  }

  /** Offset of the changelog below which everything was on disk at the last look: of a later owner never less. */
  get reached(): number {
    return this.#reached;
  }

  /** All writes that are not acknowledged yet, and those to come, lie in the changelog from this offset on. */
  get end(): number {
    return this.#reached + this.#acknowledged;
  }

  /** Keys behind `after`, in an order that stays; entries that are not acknowledged yet may be missing, and removed ones there for a moment. */
  keys(after?: string): Iterable<string> {
    if (this.#queue.newKeys === 0) return this.#table.keys(after);
    return mergedKeys(this.#table.keys(after), keysBehind(this.#queue.sortedNewKeys(), after));
  }

  /** Keys that are due by then and not left out, at most `limit`, the earliest first. */
  due(untilMs: number, limit: number, isLeftOut: (key: string) => boolean = () => false): string[] {
    const due: { key: string; dueMs: number }[] = [];
    const isDue = ({ dueMs, key }: StoreChange): boolean => dueMs <= untilMs && !isLeftOut(key);
    for (const { entry } of this.#unwritten.values()) if (isDue(entry)) due.push(entry);
    for (const entry of this.#queue.entries())
      if (isDue(entry) && !this.#unwritten.has(entry.key)) due.push(entry);
    let fromDisk = 0;
    for (const one of this.#table.due()) {
      if (one.dueMs > untilMs || fromDisk === limit) break;
      const { key } = one;
      if (this.#unwritten.has(key) || this.#queue.get(key) !== undefined || isLeftOut(key)) continue;
      due.push(one);
      fromDisk += 1;
    }
    return due
      .sort((a, b) => a.dueMs - b.dueMs)
      .slice(0, limit)
      .map(({ key }) => key);
  }

  /**
   * Takes ownership: from now on the store is written, and no longer follows. It first mends what a late
   * writer has left behind.
   */
  async own(owner: StoreOwner): Promise<void> {
    this.#owner = owner;
    await this.#inOrder(() => this.#repair());
  }

  /**
   * Resolves when the changelog has acknowledged the entries and removals. Rejects with a StoreLostError when the partition is not ours: nothing was
   * written, and the entries are those of before. After any other rejection the store is of no use.
   */
  write(entries: readonly StoreChange[]): Promise<void> {
    this.#writes += 1;
    const write = this.#writes;
    for (const entry of entries) this.#unwritten.set(entry.key, { entry, write });
    return this.#inOrder(() => this.#write(entries, write));
  }

  /**
   * Reads what others have written to the changelog, and takes a checkpoint. An owner reads nothing when as many records have come as it
   * has written itself. For one who follows this is how it follows.
   */
  refresh(): Promise<void> {
    return this.#inOrder(() => this.#refresh());
  }

  /** Brings to disk what is acknowledged by now; to be called a few times a second. Rejects when the disk refuses: the store is of no use then. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** Waits for what is under way; writes no checkpoint. */
  async close(): Promise<void> {
    this.#isLost = true;
    await this.#last.catch(() => undefined);
    await this.#queue.close();
    await this.#table.close();
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #write(entries: readonly StoreChange[], write: number): Promise<void> {
    const { topic } = this.#options;
    const owner = this.#owner;
    if (this.#isLost || owner?.isOurs !== true) {
      this.#forget(entries, write);
      throw new StoreLostError(`${topic}-${this.#options.partition} is not ours any more`);
    }
    try {
      await this.#queue.room();
      await owner.send(entries.map((entry) => recordOf(topic, entry)));
      this.#acknowledged += entries.length;
      this.#queue.add(entries);
    } catch (error) {
      this.#isLost = true;
      throw error;
    }
    this.#forget(entries, write);
  }

  #forget(entries: readonly StoreChange[], write: number): void {
    for (const { key } of entries) if (this.#unwritten.get(key)?.write === write) this.#unwritten.delete(key);
  }

  async #refresh(): Promise<void> {
    if (this.#isLost) return;
    // The checkpoint speaks of all that was acknowledged; nothing is sent meanwhile.
    await this.#queue.flush();
    const { admin, partition, topic } = this.#options;
    const { low, high } = atPartition(await admin.offsets(topic, partition), partition);
    const isForeign = high - this.#reached !== this.#acknowledged;
    if (isForeign && high > this.#reached)
      await catchUp(
        { ...this.#options, table: this.#table, onProgress: () => undefined },
        { fromOffset: Math.max(low, this.#reached), toOffset: high, signal: this.#options.signal },
      );
    else if (high > this.#reached) await this.#checkpoint(high);
    this.#reached = high;
    this.#acknowledged = 0;
    if (isForeign) await this.#repair();
  }

  async #checkpoint(offset: number): Promise<void> {
    const { kafka, partition, signal, topic } = this.#options;
    let seen: Checkpoint["seen"] = null;
    await kafka.readRange({
      topic,
      partition,
      fromOffset: offset - 1,
      toOffset: offset,
      areEndsKnown: true,
      onRecord: (record) => {
        seen = { offset: record.offset, timestampMs: record.timestampMs };
      },
      ...(signal === undefined ? {} : { signal }),
    });
    await this.#table.write({ entries: [], checkpoint: { topic, offset, atMs: this.#options.now(), seen } });
  }

  async #repair(): Promise<void> {
    const owner = this.#owner;
    if (owner?.isOurs !== true) return;
    const keys = this.#table.outdated();
    if (keys.length === 0) return;
    const { topic } = this.#options;
    const entries = keys.flatMap((key) => this.#table.get(key) ?? []);
    await owner.send(entries.map(({ key, value }) => ({ topic, key, value })));
    this.#acknowledged += entries.length;
    await this.#table.write({ entries: [], repaired: keys });
  }
}

function recordOf(topic: string, { key, value, ...facts }: StoreChange): OutgoingRecord {
  return value === null ? { topic, key, value, headers: removalHeaders(facts) } : { topic, key, value };
}
