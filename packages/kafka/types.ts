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

/** Where this package says what a person should know. Structured facts first, then the line. */
export interface KafkaLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
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

export interface ProducerOptions {
  /** How long `send` tries before it rejects; Infinity never gives up. 30 s by default. */
  readonly deliveryTimeoutMs?: number;
  /** A record waits for company until the last request is so long ago: after a quiet time it leaves at once. 4 ms by default. */
  readonly lingerMs?: number;
  /** Requests under way to one broker at a time; at most one of them carries a given partition. */
  readonly maxInFlightPerBroker?: number;
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
  /** Sends what is queued, waits for the acknowledgements (8 s at most; what is open then rejects), disconnects. */
  close(): Promise<void>;
}

/** Ends a record: what it becomes is written and acknowledged, then the record is marked done, then its offset may be committed. */
export type Settle = (outcome: {
  readonly produce: readonly OutgoingRecord[];
  /** Called once all of it is acknowledged, before the record is marked done. */
  readonly onDurable?: () => void;
}) => void;

/** A member's hold on a partition's records, from when they were given to it until it loses the partition. */
export interface Ownership {
  /**
   * False: the partition is another member's, or may be by now: the group's coordinator has not answered for too long, or the runner
   * stops. Nothing that others can see may begin for its records any more.
   */
  readonly isOurs: boolean;
}

/** A step's hold on its record. */
export interface Claim extends Ownership {
  /** Instead of settling it, when it is no longer ours: who owns the partition then works on the record from its beginning. */
  giveBack(): void;
}

/** Takes a record and settles it or gives it back, exactly once, now or later. The fetch loop never waits for it. */
export type Step<T> = (record: Received<T>, settle: Settle, claim: Claim) => void;

/** Records that retention removed before a reader had read them. */
interface RecordsLost extends TopicPartition {
  readonly records: number;
}

export interface RunnerOptions<T> {
  readonly groupId: string;
  readonly topics: readonly string[];
  /** Of these, the ones whose records may come 0.2 s later than they are there: they are asked for less often, which saves CPU time. */
  readonly unhurriedTopics?: readonly string[];
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
  /**
   * Awaited after `onAssigned`, for each partition by itself, before its first record is stepped: one that takes long holds no other
   * back. Asked again when it rejects, and anew when the partition was lost and comes back. It should resolve soon after `onRevoked`.
   */
  openPartition?(partition: TopicPartition): Promise<void>;
  onRevoked?(partitions: readonly TopicPartition[]): void;
  /** Told once of each stretch that is gone, beside a line in the log. */
  onRecordsLost?(lost: RecordsLost): void;
  /** A member that says nothing for this long has lost its partitions; 6 s by default, the broker's lower bound. */
  readonly sessionTimeoutMs?: number;
  /** How long a rebalance waits for members to come back; 10 s by default. */
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
  /**
   * First offset of an assigned partition that was not given to `step` yet: of the record that waits, or the next to be fetched.
   * Undefined when the partition is not assigned, or nothing of it was fetched since.
   */
  position(partition: TopicPartition): number | undefined;
  /** The hold on what the partition holds now; it ends with the loss of the partition, also when that comes back. */
  ownership(partition: TopicPartition): Ownership;
  readonly outstanding: { readonly records: number; readonly bytes: number };
}

/** A table of V; its listeners are told L of each value, which is V or some of it. */
export interface TableOptions<V, L = V> {
  readonly topic: string;
  decode(record: RawRecord): V | Promise<V>;
  /** Told of a record that can never be read; it changes nothing in the table. */
  onPoison?(record: RawRecord, error: Error): void;
  /**
   * Reads what the listeners are told. With it values are kept as their bytes and decoded only when they are asked for: a table of a
   * million takes a third of a gigabyte instead of a whole one, and loads faster. `decode` must be synchronous for a
   * record that this has read.
   */
  glance?(record: RawRecord): L | Promise<L>;
}

export type TableListener<V> = (key: string, value: V | undefined, before: V | undefined) => void;

/** A compacted topic held in memory, loaded to its end and then kept fresh. */
export interface Table<V, L = V> {
  /**
   * Resolves when everything up to the end offsets at the time of the call has been read. While Kafka is away, or a partition
   * has no leader, it says so in the log and goes on trying; rejects for what no waiting heals, and with "closed" at the end.
   */
  load(): Promise<void>;
  /** Rejects when the table will never follow again: the process should end. */
  readonly failed: Promise<never>;
  readonly loaded: boolean;
  get(key: string): V | undefined;
  entries(): IterableIterator<[string, V]>;
  readonly size: number;
  /** Kafka's time of the newest record read (Unix ms), to see a table that has stopped following; undefined before the first. */
  readonly lastRecordAtMs: number | undefined;
  /** Called after each change, also during the load; undefined is a deletion, or that there was none before. Returns the way to stop. */
  onChange(listener: TableListener<L>): () => void;
  /** Resolves once `holds` is true after a change; rejects after `timeoutMs`. For read-your-own-write. */
  until(holds: () => boolean, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface ReadRangeOptions extends TopicPartition {
  /** First offset to read; what retention has already removed is skipped. */
  readonly fromOffset: number;
  /** First offset not to read; at most the end of the partition as it is at the call. */
  readonly toOffset: number;
  /** The next records wait for a returned promise; what it throws ends the reading. */
  onRecord(record: RawRecord): void | Promise<void>;
  /** Ends the reading: it rejects with the code "aborted", once a promise of `onRecord` that is under way has ended. */
  readonly signal?: AbortSignal;
}

/** A topic to be created, as the topics map describes it. */
export interface TopicSpec {
  readonly name: string;
  readonly cleanup:
    | { readonly policy: "delete"; readonly retentionMs: number }
    | { readonly policy: "compact"; readonly minCompactionLagMs?: number };
}

export interface EnsureTopicsOptions {
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
  /** Raises the retention of existing topics that keep their records for less time than asked for. Nothing is ever lowered. */
  readonly raiseRetention?: boolean;
}

/** A setting in which an existing topic is otherwise than asked for. */
export interface TopicDifference {
  readonly topic: string;
  readonly setting: string;
  readonly wanted: string;
  readonly found: string;
}

export interface EnsuredTopics {
  readonly created: readonly string[];
  /** Left as they are. */
  readonly differing: readonly TopicDifference[];
  /** Changed to what was asked for. */
  readonly raised: readonly TopicDifference[];
}

export interface PartitionOffsets {
  readonly partition: number;
  /** First offset still there. */
  readonly low: number;
  /** Offset that the next record will get. */
  readonly high: number;
}

export interface PartitionLag {
  readonly partition: number;
  /** Records between the committed offset and the end. */
  readonly lag: number;
}

export interface Admin {
  /** Creates what is missing and says what differs; never shrinks, repartitions or changes what is there. */
  ensureTopics(specs: readonly TopicSpec[], options: EnsureTopicsOptions): Promise<EnsuredTopics>;
  /** Names of all topics of the cluster that may be seen. */
  topicNames(): Promise<string[]>;
  partitionCount(topic: string): Promise<number>;
  offsets(topic: string): Promise<PartitionOffsets[]>;
  /** Per partition the first offset at or after the time; the end where there is none. */
  offsetForTime(topic: string, timestampMs: number): Promise<{ partition: number; offset: number }[]>;
  /** Per partition the offset at which the group goes on; a partition without a commit is not there. */
  committedOffsets(groupId: string, topic: string): Promise<ReadonlyMap<number, number>>;
  consumerLag(groupId: string, topic: string): Promise<PartitionLag[]>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  deleteGroups(groupIds: readonly string[]): Promise<void>;
}

export interface Kafka {
  producer(options?: ProducerOptions): Producer;
  /** Tries until Kafka has acknowledged: `send` rejects only when the producer is closed, or for what no trying again heals. */
  durableProducer(): Producer;
  runner<T>(options: RunnerOptions<T>): Runner;
  table<V extends L, L = V>(options: TableOptions<V, L>): Table<V, L>;
  admin(): Admin;
  /**
   * Reads one stretch of one partition, in order and outside all consumer groups. Waits while Kafka is away, until `close`; what
   * retention removes meanwhile is skipped. Rejects for a partition that does not exist.
   */
  readRange(options: ReadRangeOptions): Promise<void>;
  /** Closes what was not closed yet. */
  close(): Promise<void>;
}
