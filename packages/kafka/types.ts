// The package's own interface: nothing outside sees a type of the client underneath.

/** How to reach the cluster. */
export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly tls: boolean;
  readonly sasl?: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
    readonly username: string;
    readonly password: string;
  };
}

/** One record to write. Its partition follows from the key (murmur2, as the Java client does), fixed before the first try. */
export interface OutgoingRecord {
  readonly topic: string;
  /** null spreads the records over the partitions. */
  readonly key: string | null;
  /** null is a tombstone. */
  readonly value: Buffer | null;
}

/** One record as read. Offsets are exact as numbers up to 2^53. */
export interface RawRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly timestampMs: number;
}

/** A record with its decoded value. */
export interface Received<T> extends RawRecord {
  readonly decoded: T;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface Producer {
  /**
   * Resolves when every record is on all in-sync replicas (acks=all); records of one call to one partition keep their
   * order. Rejects with a KafkaError once `deliveryTimeoutMs` is over; some of the records may then have been written.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  /** What was given to `send` and is not acknowledged yet. */
  readonly backlog: {
    readonly records: number;
    readonly bytes: number;
    readonly oldestAtMs: number | undefined;
  };
  /** Sends what is queued, waits for the acknowledgements, disconnects. */
  close(): Promise<void>;
}

/** Ends a record: what it becomes is written and acknowledged, then the record is marked done, then its offset may be committed. */
export type Settle = (outcome: { readonly produce: readonly OutgoingRecord[] }) => void;

/** Takes a record and settles it exactly once, now or later. The fetch loop never waits for it. */
export type Step<T> = (record: Received<T>, settle: Settle) => void;

export interface RunnerOptions<T> {
  readonly groupId: string;
  readonly topics: readonly string[];
  /** Synchronous when the writer's schema is known; a promise holds the partition back (an unreachable registry means waiting). */
  decode(record: RawRecord): T | Promise<T>;
  readonly step: Step<T>;
  /** What an undecodable record, or one whose step threw three times, becomes. */
  deadLetter(record: RawRecord, error: Error): readonly OutgoingRecord[];
  readonly producer: Producer;
  /** Partitions are paused while this much is taken and not settled. */
  readonly maxOutstandingRecords: number;
  readonly maxOutstandingBytes: number;
  /** When the record may be stepped (Unix ms); later than now pauses its partition until then. Records of one partition must be in due order. */
  dueAtMs?(record: Received<T>): number;
  /** Awaited before the first record of newly assigned partitions is stepped. */
  onAssigned?(partitions: readonly TopicPartition[]): Promise<void>;
  onRevoked?(partitions: readonly TopicPartition[]): void;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
}

export interface Runner {
  /** Resolves when the group has been joined. */
  start(): Promise<void>;
  /** Stops intake, waits up to `graceMs` for outstanding records, commits, leaves the group. */
  stop(graceMs: number): Promise<void>;
  /** Rejects when the consumer is dead for good: the process should end. */
  readonly failed: Promise<never>;
  readonly assigned: readonly TopicPartition[];
  readonly outstanding: { readonly records: number; readonly bytes: number };
}

/** A compacted topic held in memory, loaded to its end and then kept fresh. */
export interface Table<V> {
  /** Resolves when everything up to the end offsets at the time of the call has been read. */
  load(): Promise<void>;
  readonly loaded: boolean;
  get(key: string): V | undefined;
  entries(): IterableIterator<[string, V]>;
  readonly size: number;
  /** Called after each change, also during the load; undefined is a deletion. Returns the way to stop. */
  onChange(listener: (key: string, value: V | undefined) => void): () => void;
  /** Resolves once `holds` is true after a change; rejects after `timeoutMs`. For read-your-own-write. */
  until(holds: () => boolean, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
