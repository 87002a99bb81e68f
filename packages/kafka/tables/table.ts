import type { Host } from "#host";
import type { AdminClient } from "../admin/admin-client.ts";
import { fetchOffsets } from "../admin/offsets.ts";
import { SeenLog } from "../admin/seen-log.ts";
import { offsetsUnlessLost } from "../admin/topic-loss.ts";
import type { PartitionOffsets } from "../admin-types.ts";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import { Shutdown } from "../shutdown.ts";
import type { Table, TableListener, TableOptions, TableValues } from "../table-types.ts";
import type { FollowedTopic, Following, KafkaLogger, RawRecord } from "../types.ts";
import { Conditions } from "./conditions.ts";
import { isRestoreMark, OpenRestores } from "./open-restores.ts";
import { OpenWriters } from "./open-writers.ts";
import { RecordReader } from "./record-reader.ts";
import { type Taken, tableReading } from "./table-reading.ts";

const LOAD_AGAIN_MS = { first: 200, max: 5_000 };
const LOOK_TIMEOUT_MS = 5_000;
/** The whole log: an older record counts where a key's newest one was lost. */
const CUT = "a partition's log ends before what was read: its end was lost, and it is read again";

export interface TableParts {
  readonly follower: { follow(told: FollowedTopic): Following };
  readonly admin: Pick<AdminClient, "run">;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/** Reads a whole topic into memory and follows it, from its beginning at each start. */
export class TopicTable<V extends L, L = V> implements Table<V, L> {
  readonly #parts: TableParts;
  readonly #options: TableOptions<V, L>;
  readonly #reader: RecordReader<Taken<L> | undefined>;
  readonly #values: TableValues<V, L>;
  readonly #positions = new Map<number, number>();
  readonly #memory = new SeenLog();
  readonly #writers = new OpenWriters();
  readonly #restores = new OpenRestores();
  readonly #listeners = new Set<TableListener<L, V>>();
  /** Looked at when anything was read. */
  readonly #conditions = new Conditions();
  readonly #ending: Shutdown;
  readonly #failed = Promise.withResolvers<never>();
  #lastRecordAtMs: number | undefined;
  /** How often the end of a partition's log was lost. */
  #cuts = 0;
  loaded = false;
  /** The following of the topic, since the first load. */
  #following: Following | undefined;

  constructor(parts: TableParts, options: TableOptions<V, L>) {
    const { values, read } = tableReading(options);
    this.#parts = parts;
    this.#ending = new Shutdown(parts.host);
    this.#options = options;
    this.#values = values;
    this.#failed.promise.catch(() => undefined);
    this.#reader = new RecordReader<Taken<L> | undefined>({
      decode: (record) => (record.value === null || isRestoreMark(record) ? undefined : read(record)),
      onRecord: (record, taken) => this.#take(record, taken),
      onPoison: (record, error) => {
        options.onPoison?.(record, error);
        this.#advanceTo(record);
      },
      ending: this.#ending,
      logger: parts.logger,
      host: parts.host,
    });
  }

  get failed(): Promise<never> {
    return this.#failed.promise;
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
        this.loaded = true;
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
    if (this.#options.witnesses === undefined) return;
    const ends = await this.#findEnds();
    // A mark that was written a moment ago may be there unread.
    const isRead = (): boolean => ends.every((end) => this.#hasRead(end));
    if (!isRead()) await this.until(isRead, LOOK_TIMEOUT_MS);
    this.unlessHalfRestored(ends);
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

  onChange(listener: TableListener<L, V>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async until(holds: () => boolean, timeoutMs: number): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = this.#parts.host.setTimeout(() => {
      const message = `table of ${this.#options.topic}: what was waited for did not come within ${timeoutMs} ms`;
      reject(new KafkaError("table_timeout", message, { canRetry: true }));
    }, timeoutMs);
    const waiting = this.#conditions.when(holds);
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
    this.#following?.close();
  }

  #follow(): Following {
    const following = this.#parts.follower.follow({
      topic: this.#options.topic,
      onRecords: (partition, records, nextOffset) => {
        const reached = (): void => this.#reach(partition, nextOffset);
        const later = this.#reader.read(records);
        return later === undefined ? reached() : later.then(reached);
      },
      // Retention may have removed what a load waits for.
      onReadUntil: (partition, nextOffset) => this.#reach(partition, nextOffset),
      onCut: (cut) => {
        this.#parts.logger.error({ topic: this.#options.topic, ...cut }, CUT);
        this.#cuts += 1;
        this.#reach(cut.partition, 0);
      },
    });
    following.failed.catch((thrown: unknown) => {
      const error = fromClientError(thrown);
      this.#failed.reject(error);
      this.#ending.end(error);
    });
    return following;
  }

  /** Reads on until everything is read that is there now. */
  async #readToEnd(): Promise<void> {
    if (this.#ending.why !== undefined) throw this.#ending.why;
    this.#following ??= this.#follow();
    for (;;) {
      const [marks, cuts] = [this.#restores.marks, this.#cuts];
      const ends = await this.#ending.or(this.#findEnds());
      await this.#readTo(ends, cuts);
      if (this.#options.witnesses !== undefined) this.unlessHalfRestored(ends);
      // Ends are not asked for in one moment: that of one partition may be from before a restore, that of another from behind it.
      if (this.#restores.marks === marks && this.#cuts === cuts) return;
    }
  }

  /** Resolves also when a log was cut, which may never reach its end of before. */
  async #readTo(ends: readonly PartitionOffsets[], cuts: number): Promise<void> {
    const reading = this.#conditions.when(
      () => this.#cuts !== cuts || ends.every((end) => this.#hasRead(end)),
    );
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

  /** Takes a record. An error of a listener is thrown here. */
  #take(record: RawRecord, taken: Taken<L> | undefined): void {
    try {
      this.#apply(record, taken);
    } finally {
      this.#advanceTo(record);
    }
  }

  #apply(record: RawRecord, taken: Taken<L> | undefined): void {
    const { key } = record;
    if (key === null || this.#restores.observe(record) || this.#writers.observe(record)) return;
    const before = this.#listeners.size === 0 ? undefined : this.#values.get(key);
    if (taken === undefined) this.#values.delete(key);
    else this.#values.set(key, taken.told, taken.kept);
    for (const listener of this.#listeners) listener(key, taken?.told, before);
  }

  #advanceTo({ partition, offset, timestampMs }: RawRecord): void {
    this.#lastRecordAtMs = Math.max(timestampMs, this.#lastRecordAtMs ?? 0);
    // Nobody waits for a single record during the load: what a fetch has brought is said at its end.
    if (this.loaded) this.#reach(partition, offset + 1);
  }

  /** Everything before this offset is read. */
  #reach(partition: number, offset: number): void {
    if (this.#positions.get(partition) === offset) return;
    this.#positions.set(partition, offset);
    if (this.#options.witnesses !== undefined) this.#memory.hasRead(partition, offset);
    this.#conditions.look();
  }
}
