// A compacted topic in memory, and writing to it one writer at a time.
import type { OutgoingRecord, RawRecord } from "./types.ts";

/** The content of a table of V, by key. Listeners of the table are told an L of each value: the V itself, or some of it. */
export interface TableValues<V, L> {
  readonly size: number;
  get(key: string): V | undefined;
  /** `kept` are the bytes of the value. */
  set(key: string, told: L, kept: Buffer): void;
  delete(key: string): void;
  entries(): IterableIterator<[string, V]>;
}

/** A table of V. Its listeners get an L of each value: the V itself, or some of it. */
export interface TableOptions<V, L = V> {
  readonly topic: string;
  decode(record: RawRecord): V | Promise<V>;
  /** Called with a record that can never be read. The table stays as it was. */
  onPoison?(record: RawRecord, error: Error): void;
  /**
   * The bytes that the table keeps of a value, for tables of a million. `decode` reads them: synchronously, of a record that has them as its value, when
   * somebody asks for the value, and for each record if there is no `decodeForListeners`.
   */
  excerpt?(record: RawRecord): Buffer | Promise<Buffer>;
  /**
   * Decodes what the listeners get, of a record whose value is what the table keeps: the whole one unless there is an `excerpt`. With it, too, the
   * table keeps bytes. `decode` must be synchronous for a record that this has decoded.
   */
  decodeForListeners?(record: RawRecord): L | Promise<L>;
  /**
   * Topics whose records show that this compacted topic had some, for a topic that is never empty again. A
   * topic that holds nothing although it had records counts as lost: `load` waits until it holds some again,
   * and the table keeps what it has. It counts as lost, too, while a restore of it has begun and not ended.
   */
  readonly witnesses?: readonly string[];
  /** False: the listeners get every value, and the table keeps none, for a log whose keys never come again. */
  readonly keepsValues?: false;
  /** Where the table keeps bytes instead of at a place of its own; it decodes them itself. */
  readonly values?: TableValues<V, L>;
}

/** It is told an L of the value, or some of it, and has the V that was there before. */
export type TableListener<L, V extends L = L> = (
  key: string,
  value: L | undefined,
  before: V | undefined,
) => void;

/** A compacted topic held in memory, loaded to its end and then kept fresh. */
export interface Table<V extends L, L = V> {
  /**
   * Resolves when the table has read everything up to the end offsets at the time of the call. While Kafka is away, or a partition
   * has no leader, the table logs that and goes on trying. Rejects for what no waiting heals, and with "closed" at the end.
   */
  load(): Promise<void>;
  /** Rejects when the table will never follow again: the process should end. */
  readonly failed: Promise<never>;
  readonly loaded: boolean;
  /**
   * Rejects with "records_lost" where the topic holds nothing although it had records, or is half restored, of a table with `witnesses`; with
   * "table_timeout" where it cannot be read to its end.
   */
  look(): Promise<void>;
  get(key: string): V | undefined;
  entries(): IterableIterator<[string, V]>;
  readonly size: number;
  /** Kafka's time of the newest record read (Unix ms): it shows a table that has stopped following. Undefined before the first record. */
  readonly lastRecordAtMs: number | undefined;
  /** Calls the listener after each change, also during the load. `value` is undefined for a deletion, `before` for a new key. Returns the way to stop. */
  onChange(listener: TableListener<L, V>): () => void;
  /** Ids of the producers that may write to the partition by itself (`TableWriter`), in the order of their marks. */
  openWriters(partition: number): readonly string[];
  /** Resolves once `holds` is true after a change; rejects after `timeoutMs`. For read-your-own-write. */
  until(holds: () => boolean, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The only writer of one partition, until another takes it. */
export interface PartitionWriter {
  /**
   * Resolves when the record is on all in-sync replicas. One record at a time. Rejects with "fenced" when another has taken the partition
   * meanwhile: nothing was written. After any other KafkaError it may have been written, and nothing of this writer will be after the next `take`.
   */
  send(record: Pick<OutgoingRecord, "key" | "value">): Promise<void>;
}

/** Which owner of a piece of work writes. */
export interface WriterTerm {
  /** A producer's id, of this work alone. */
  readonly id: string;
  /** Each owner's is larger than the one before. */
  readonly epoch: number;
}

export interface TermWriter {
  /**
   * Resolves when all records are on all in-sync replicas; one call at a time. Those to one partition have 900 KB at most. Rejects with "fenced" when a
   * later term has written to a partition. After any KafkaError some may have been written, and the term is over.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>;
}

export interface TableWriterOptions {
  readonly topic: string;
  /** The topic's table; it must follow the topic from its start. */
  readonly table: Pick<Table<unknown>, "look" | "openWriters" | "until">;
  readonly timeoutMs: number;
}

/** Writes to a table's topic such that no write follows one that its writer has not read (decision 75). */
export interface TableWriter {
  /**
   * Takes the key's partition. Resolves when nobody else can write to it (a plain producer is not counted),
   * and the table has everything that was written to it. Rejects with "fenced" when another has taken it in
   * the same moment, with another KafkaError when Kafka does not answer in time.
   */
  take(key: string): Promise<PartitionWriter>;
}
