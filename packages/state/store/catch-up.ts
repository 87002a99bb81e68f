import type { RawRecord, RecordHeaders } from "#kafka";
import { type EntryFacts, isAsNew, removedBy, type StoreEntry } from "./entry.ts";
import type { StoreOptions } from "./store-options.ts";
import type { Checkpoint, StoreTable } from "./store-table.ts";

/** Limits of one transaction, so that memory is bounded whatever the log holds. */
const BATCH = { records: 2_000, bytes: 4 * 1024 * 1024 };

export interface CatchUpOptions
  extends Pick<StoreOptions, "kafka" | "topic" | "partition" | "describe" | "onPoison" | "now"> {
  readonly table: StoreTable;
  onProgress(recordsDone: number): void;
}

export interface Stretch {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings a range of the changelog into the table. The newest record of each key stays, in whatever order they
 * lie in the log: a process that lost the partition may have written or removed late. Such keys are noted as
 * outdated, because compaction keeps the late record only.
 */
export async function catchUp(options: CatchUpOptions, stretch: Stretch): Promise<void> {
  const { signal, ...range } = stretch;
  const batch = new CatchUpBatch(options);
  await options.kafka.readRange({
    topic: options.topic,
    partition: options.partition,
    ...range,
    areEndsKnown: true,
    ...(signal === undefined ? {} : { signal }),
    onRecord: (record) => batch.take(record),
  });
  await batch.end(stretch.toOffset);
}

class CatchUpBatch {
  readonly #options: CatchUpOptions;
  #entries = new Map<string, StoreEntry>();
  #removed = new Set<string>();
  #outdated = new Set<string>();
  #current = new Set<string>();
  #records = 0;
  #bytes = 0;
  #done = 0;
  #seen: Checkpoint["seen"] = null;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  take(record: RawRecord): void | Promise<void> {
    const { key, value } = record;
    if (key === null) return;
    if (value === null) {
      this.#remove(key, record.headers);
      return this.#took(record);
    }
    try {
      const facts = this.#options.describe(value);
      if ("then" in facts) return this.#takeLater(record, facts, { key, value });
      this.#add(key, value, facts);
      return this.#took(record);
    } catch (error) {
      this.#options.onPoison(record, error);
      return this.#took(record);
    }
  }

  async #takeLater(
    record: RawRecord,
    facts: Promise<EntryFacts>,
    entry: Pick<StoreEntry, "key" | "value">,
  ): Promise<void> {
    try {
      this.#add(entry.key, entry.value, await facts);
    } catch (error) {
      if (typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === true)
        throw error;
      this.#options.onPoison(record, error);
    }
    await this.#took(record);
  }

  /** Writes the rest with a checkpoint at `offset`: all before it has been read. */
  async end(offset: number): Promise<void> {
    await this.#write(offset);
  }

  #add(key: string, value: Buffer, facts: EntryFacts): void {
    const entry: StoreEntry = { ...facts, key, value };
    if (!isAsNew(entry, this.#known(key))) {
      this.#leave(key);
      return;
    }
    this.#removed.delete(key);
    this.#entries.set(key, entry);
    this.#outdated.delete(key);
    this.#current.add(key);
  }

  #known(key: string): EntryFacts | undefined {
    return this.#entries.get(key) ?? (this.#removed.has(key) ? undefined : this.#options.table.facts(key));
  }

  /** What is known is newer than this record of the key. */
  #leave(key: string): void {
    this.#outdated.add(key);
    this.#current.delete(key);
  }

  #remove(key: string, headers: RecordHeaders | undefined): void {
    const removed = removedBy(headers);
    if (removed !== undefined && !isAsNew(removed, this.#known(key))) {
      this.#leave(key);
      return;
    }
    this.#entries.delete(key);
    this.#outdated.delete(key);
    this.#current.add(key);
    this.#removed.add(key);
  }

  #took({ offset, timestampMs, value }: RawRecord): void | Promise<void> {
    this.#seen = { offset, timestampMs };
    this.#records += 1;
    this.#bytes += value?.length ?? 0;
    if (this.#records < BATCH.records && this.#bytes < BATCH.bytes) return;
    return this.#write(offset + 1);
  }

  async #write(offset: number): Promise<void> {
    const { table, topic, now, onProgress } = this.#options;
    const seen = this.#seen ?? table.checkpoint()?.seen ?? null;
    await table.write({
      entries: this.#entries.values(),
      removed: this.#removed,
      outdated: this.#outdated,
      repaired: this.#current,
      checkpoint: { topic, offset, atMs: now(), seen },
    });
    this.#done += this.#records;
    onProgress(this.#done);
    this.#entries = new Map();
    this.#removed = new Set();
    this.#outdated = new Set();
    this.#current = new Set();
    this.#records = 0;
    this.#bytes = 0;
  }
}
