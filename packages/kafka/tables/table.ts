import { tableGroupPrefix } from "#topics";
import type { AdminClient } from "../admin/admin-client.ts";
import { fetchOffsets } from "../admin/offsets.ts";
import { SeenLog } from "../admin/seen-log.ts";
import { offsetsUnlessLost } from "../admin/topic-loss.ts";
import type { PartitionOffsets } from "../admin-types.ts";
import { backoffMs } from "../backoff.ts";
import { GroupReader, type GroupReaderParts } from "../consuming/group-reader.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import { isWorthLogging } from "../repeated-warning.ts";
import { Shutdown } from "../shutdown.ts";
import type { RawRecord, Received, Settle, Table, TableListener, TableOptions } from "../types.ts";
import { isRestoreMark, OpenRestores } from "./open-restores.ts";
import { OpenWriters } from "./open-writers.ts";
import { DecodedValues, EncodedValues, NoValues, type TableValues } from "./table-values.ts";

/** A record is outstanding while its listeners are at work, and until the next turn of the event loop when they have had their time. */
const ONE_AT_A_TIME = { maxOutstandingRecords: 1, maxOutstandingBytes: Number.MAX_SAFE_INTEGER };

/** Listeners may compile what they are given: after so long the event loop turns. */
const LISTENING_MS = 10;

const LOAD_AGAIN_MS = { first: 200, max: 5_000 };

/** What is read of each record, and where that is kept. */
interface Reading<V, L> {
  readonly values: TableValues<V, L>;
  read(record: RawRecord): L | Promise<L>;
}

function reading<V extends L, L>(options: TableOptions<V, L>): Reading<V, L> {
  const decode = (record: RawRecord) => options.decode(record);
  const read = options.decodeForListeners?.bind(options);
  if (options.keepsValues === false) return { values: new NoValues<V>(), read: decode };
  if (read === undefined) return { values: new DecodedValues<V>(), read: decode };
  return { values: new EncodedValues<V>(options.topic, decode), read };
}

export interface TableParts extends GroupReaderParts {
  readonly admin: Pick<AdminClient, "run">;
  readonly clientId: string;
}

/**
 * Reads a whole topic into memory and follows it, in a consumer group of its own, because the client knows no manual assignment
 * (fact 15). The group commits nothing and is deleted on `close`; after a lost session the table goes on where it was.
 */
export class TopicTable<V extends L, L = V> implements Table<V, L> {
  readonly #parts: TableParts;
  readonly #options: TableOptions<V, L>;
  readonly #groupId: string;
  readonly #reader: GroupReader<L | undefined>;
  readonly #values: TableValues<V, L>;
  readonly #positions = new Map<number, number>();
  readonly #memory = new SeenLog();
  readonly #writers = new OpenWriters();
  readonly #restores = new OpenRestores();
  readonly #listeners = new Set<TableListener<L>>();
  /** Called when anything was read. */
  readonly #waiters = new Set<() => void>();
  readonly #ending: Shutdown;
  #lastRecordAtMs: number | undefined;
  /** Since the event loop was last let turn. */
  #listenedMs = 0;
  #isLoaded = false;
  #joined: Promise<void> | undefined;

  constructor(parts: TableParts, options: TableOptions<V, L>) {
    const { values, read } = reading(options);
    this.#parts = parts;
    this.#ending = new Shutdown(parts.host);
    this.#options = options;
    this.#values = values;
    this.#groupId = `${tableGroupPrefix(parts.clientId, options.topic)}-${parts.host.uuid()}`;
    this.#reader = new GroupReader<L | undefined>(parts, {
      ...ONE_AT_A_TIME,
      groupId: this.#groupId,
      topics: [options.topic],
      commits: false,
      work: {
        decode: (record) => (record.value === null || isRestoreMark(record) ? undefined : read(record)),
        step: (record, settle) => this.#step(record, settle),
        deadLetter: (record, error) => this.#skip(record, error),
        write: async () => undefined,
      },
    });
    this.#reader.failed.catch((thrown: unknown) => this.#ending.end(fromClientError(thrown)));
  }

  get failed(): Promise<never> {
    return this.#reader.failed;
  }

  get loaded(): boolean {
    return this.#isLoaded;
  }

  get size(): number {
    return this.#values.size;
  }

  get lastRecordAtMs(): number | undefined {
    return this.#lastRecordAtMs;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  openWriters(partition: number): readonly string[] {
    return this.#writers.of(partition);
  }

  entries(): IterableIterator<[string, V]> {
    return this.#values.entries();
  }

  async load(): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#readToEnd();
        this.#isLoaded = true;
        return;
      } catch (thrown) {
        const error = fromClientError(thrown);
        if (this.#ending.why !== undefined || !error.canRetry) throw error;
        const facts = { topic: this.#options.topic, failures, error: error.message };
        if (isWorthLogging(failures)) this.#parts.logger.warn(facts, "a table cannot be loaded yet");
        await this.#ending.pause(backoffMs(failures, LOAD_AGAIN_MS, this.#parts.host));
      }
    }
  }

  async look(): Promise<void> {
    if (this.#options.witnesses !== undefined) this.unlessHalfRestored(await this.#findEnds());
  }

  /** Whether it follows the topic, and would say that records of it are lost. */
  isWatchOf(topic: string): boolean {
    const { topic: own, witnesses } = this.#options;
    return own === topic && witnesses !== undefined && this.#ending.why === undefined;
  }

  /** Throws a KafkaError while a restore is open, as far as the table has read. */
  unlessHalfRestored(ends: readonly PartitionOffsets[]): void {
    this.#restores.unlessOpen(this.#options.topic, ends);
  }

  onChange(listener: TableListener<L>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async until(holds: () => boolean, timeoutMs: number): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = this.#parts.host.setTimeout(() => {
      const message = `table of ${this.#options.topic}: what was waited for did not come within ${timeoutMs} ms`;
      reject(new KafkaError("table_timeout", message, { canRetry: true }));
    }, timeoutMs);
    const waiting = this.#when(holds);
    try {
      await Promise.race([waiting, promise]);
    } finally {
      timer.clear();
      waiting.cancel();
    }
  }

  async close(): Promise<void> {
    const message = `table of ${this.#options.topic} is closed`;
    this.#ending.end(new KafkaError("closed", message, { canRetry: false }));
    if (this.#joined === undefined) return;
    await this.#reader.stop(0);
    await this.#parts.admin.run((admin) => admin.deleteGroups([this.#groupId]), 2).catch(() => undefined);
  }

  /** Reads on until everything is read that is there now. */
  async #readToEnd(): Promise<void> {
    this.#joined ??= this.#reader.start();
    await this.#ending.or(this.#joined);
    if (this.#options.witnesses === undefined) {
      await this.#readTo(await this.#ending.or(this.#findEnds()));
      return;
    }
    let marks: number;
    do {
      marks = this.#restores.marks;
      const ends = await this.#ending.or(this.#findEnds());
      await this.#readTo(ends);
      this.unlessHalfRestored(ends);
      // Ends are not asked for in one moment: that of one partition may be from before a restore, that of another from behind it.
    } while (this.#restores.marks !== marks);
  }

  async #readTo(ends: readonly PartitionOffsets[]): Promise<void> {
    const reading = this.#when(() => ends.every((end) => this.#hasRead(end)));
    try {
      await this.#ending.or(reading);
    } finally {
      reading.cancel();
    }
  }

  #findEnds(): Promise<PartitionOffsets[]> {
    const { admin } = this.#parts;
    const { topic, witnesses } = this.#options;
    if (witnesses === undefined) return fetchOffsets(admin, topic);
    return offsetsUnlessLost(admin, { topic, witnesses, memory: this.#memory });
  }

  #hasRead({ partition, low, high }: PartitionOffsets): boolean {
    return high === low || (this.#positions.get(partition) ?? 0) >= high;
  }

  /** What a listener throws comes once: the record is settled by then. */
  #step(record: Received<L | undefined>, settle: Settle): void {
    try {
      this.#apply(record);
    } catch (error) {
      settle({ produce: [] });
      throw error;
    }
    this.#settle(settle);
  }

  #apply(record: Received<L | undefined>): void {
    const { key, decoded } = record;
    if (key !== null && !this.#isMark(record)) {
      const before = this.#listeners.size === 0 ? undefined : this.#values.get(key);
      if (decoded === undefined) this.#values.delete(key);
      else this.#values.set(key, decoded, record);
      if (this.#listeners.size > 0) this.#tell(key, decoded, before);
    }
    this.#advanceTo(record);
  }

  #isMark(record: RawRecord): boolean {
    return this.#restores.observe(record) || this.#writers.observe(record);
  }

  #tell(key: string, decoded: L | undefined, before: L | undefined): void {
    const { host } = this.#parts;
    const beganAtMs = host.elapsed();
    for (const listener of this.#listeners) listener(key, decoded, before);
    this.#listenedMs += host.elapsed() - beganAtMs;
  }

  /** The next record, of whichever partition, is taken then. */
  #settle(settle: Settle): void {
    if (this.#listenedMs < LISTENING_MS) {
      settle({ produce: [] });
      return;
    }
    this.#parts.host.setImmediate(() => {
      this.#listenedMs = 0;
      settle({ produce: [] });
    });
  }

  #skip(record: RawRecord, error: Error): [] {
    this.#options.onPoison?.(record, error);
    this.#advanceTo(record);
    return [];
  }

  #advanceTo({ partition, offset, timestampMs }: RawRecord): void {
    this.#lastRecordAtMs = Math.max(timestampMs, this.#lastRecordAtMs ?? 0);
    this.#positions.set(partition, offset + 1);
    if (this.#options.witnesses !== undefined) this.#memory.hasRead(partition, offset + 1);
    for (const check of this.#waiters) check();
  }

  /** Resolves as soon as `holds`, looked at now and whenever something was read. */
  #when(holds: () => boolean): Promise<void> & { cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = (): void => void this.#waiters.delete(check);
    const check = (): void => {
      if (!holds()) return;
      cancel();
      resolve();
    };
    this.#waiters.add(check);
    check();
    return Object.assign(promise, { cancel });
  }
}
