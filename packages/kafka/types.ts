// The package's own interface: nothing outside sees a type of the client underneath.
import type { Admin } from "./admin-types.ts";

/** Settings for reaching the cluster. */
export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly tls: boolean;
  /** Shown to brokers that ask for it; PEM. Only with `tls`. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly sasl?: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
    readonly username: string;
    readonly password: string;
  };
}

/** The log of this package, for messages to a person. Structured facts first, then the line. */
export interface KafkaLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Small facts beside a record's value, by name; both in UTF-8. The last header of a name counts. */
export type RecordHeaders = ReadonlyMap<string, string>;

/** One record to write. The producer derives its partition from the key (murmur2, as the Java client does) before the first try. */
export interface OutgoingRecord {
  readonly topic: string;
  /** null spreads the records over the partitions. */
  readonly key: string | null;
  /** null is a tombstone. */
  readonly value: Buffer | null;
  /** Nearly all records have none. */
  readonly headers?: RecordHeaders | undefined;
}

/** One record as read. Offsets are exact as numbers up to 2^53. */
export interface RawRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly timestampMs: number;
  /** Absent where the record has none. */
  readonly headers?: RecordHeaders | undefined;
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
  /** The time for which `send` tries before it rejects; Infinity never gives up. 30 s by default. */
  readonly deliveryTimeoutMs?: number;
  /** The producer waits so long after its last request, so that records gather; after a quiet time a record leaves at once. 4 ms by default. */
  readonly lingerMs?: number | (() => number);
  /** Requests under way to one broker at a time. At most one of them carries a given partition. */
  readonly maxInFlightPerBroker?: number;
}

export interface Producer {
  /**
   * Resolves when every record is on all in-sync replicas (acks=all); records of one call to one partition keep their
   * order. Rejects with a KafkaError once `deliveryTimeoutMs` is over; some of the records may then have been written.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  /** Records that were given to `send` and are not acknowledged yet. */
  readonly backlog: {
    readonly records: number;
    readonly bytes: number;
    readonly oldestAtMs: number | undefined;
  };
  /** Sends what is queued, waits for the acknowledgements (8 s at most; what is open then rejects), disconnects. */
  close(): Promise<void>;
}

/** Ends a record. The runner writes what the record becomes and waits for Kafka, then marks the record done, then may commit its offset. */
export type Settle = (outcome: {
  readonly produce: readonly OutgoingRecord[];
  /** Called once all of it is acknowledged, before the record is marked done. */
  readonly onDurable?: () => void;
}) => void;

/** A member's hold on a partition's records. It begins when the member gets them and ends when the member loses the partition. */
export interface Ownership {
  /**
   * False: another member owns the partition or may own it by now, because the group's coordinator has not answered for too long or the
   * runner stops. A step then begins nothing for its records that others can see.
   */
  readonly isOurs: boolean;
}

/** A step's hold on its record. */
export interface Claim extends Ownership {
  /** Ends the step without an outcome, when the partition is no longer ours. Its owner then works on the record from the beginning. */
  giveBack(): void;
}

/** Takes a record and settles it or gives it back, exactly once, now or later. The fetch loop never waits for a step. */
export type Step<T> = (record: Received<T>, settle: Settle, claim: Claim) => void;

interface RecordsLost extends TopicPartition {
  readonly records: number;
  /** Retention removed them before a reader had read them; or they were read, and the log has lost its end with them, and perhaps more behind it. */
  readonly kind: "unread" | "truncated";
}

/** The haste of a runner. Requests cost the less the more they carry. */
export interface Haste {
  /** The shortest time from one fetch that brought records to the next. */
  readonly fetchPauseMs: number;
  /** The shortest time between two commits: what is done and not committed is done again after a crash. */
  readonly commitAfterMs: number;
}

export interface RunnerOptions<T> {
  readonly groupId: string;
  readonly topics: readonly string[];
  /**
   * The topics among these whose records may come 0.2 s late. The runner asks for them less often, which
   * saves CPU time.
   */
  readonly unhurriedTopics?: readonly string[];
  /** Asked each time: it may change. 3 and 100 ms unless given. */
  haste?(): Haste;
  /** Returns a value when the writer's schema is known. A promise holds the partition back, for instance while the registry is away. */
  decode(record: RawRecord): T | Promise<T>;
  readonly step: Step<T>;
  /**
   * Turns an undecodable record, or one whose step threw three times, into records. The latter comes with its
   * decoded value.
   */
  deadLetter(record: RawRecord | Received<T>, error: Error): readonly OutgoingRecord[];
  readonly producer: Producer;
  /** Partitions are paused while this much is taken and not settled. */
  readonly maxOutstandingRecords: number;
  readonly maxOutstandingBytes: number;
  /** When the record may be stepped (Unix ms). Until then its partition is paused. Records of one partition must be in due order. */
  dueAtMs?(record: Received<T>): number;
  /** The runner awaits it before it steps the first record of newly assigned partitions. */
  onAssigned?(partitions: readonly TopicPartition[]): Promise<void>;
  /**
   * The runner awaits it after `onAssigned`, for each partition by itself, before it steps the partition's first record. A slow one
   * holds no other partition back. The runner calls it again when it rejects, and when a lost partition comes back. It should
   * resolve soon after `onRevoked`.
   */
  openPartition?(partition: TopicPartition): Promise<void>;
  onRevoked?(partitions: readonly TopicPartition[]): void;
  /** Called once for each stretch that is gone. The log has a line about it, too. */
  onRecordsLost?(lost: RecordsLost): void;
  /** The group takes the partitions of a member that says nothing for so long. 6 s by default, the broker's lower bound. */
  readonly sessionTimeoutMs?: number;
  /**
   * Session timeouts without an answer after which the partitions count as lost (`Ownership`); 1.5 by
   * default. With 1 nobody else has them before that, and a member that has left its group is not sure either
   * (decision 16); but the work stands still sooner while the coordinator is away.
   */
  readonly unsureAfterSessions?: number;
  /**
   * True: after a takeover everything from the group's commit on is stepped, also what was done behind an open record. For steps that count on
   * seeing again what came after a record that they hold. Unset, what is done is passed over, as its outcome is durable.
   */
  readonly stepsDoneAgain?: boolean;
  /**
   * True: members hear of a rebalance within half a second, at two heartbeats a second, so that records of a partition that moves wait less.
   * Unset: with their next heartbeat, within a third of the session timeout (decision 122).
   */
  readonly handsOverQuickly?: boolean;
  /** The time for which a rebalance waits for members to come back; 10 s by default. */
  readonly rebalanceTimeoutMs?: number;
  /**
   * A partition of which steps are under way moves to another member when they have ended, or so long after it should have. Unset: it moves at once,
   * and what is under way for more than a second is done twice.
   */
  readonly movesWithinMs?: number;
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
   * First offset of an assigned partition that `step` did not get yet: of the record that waits, or of the next one to be fetched.
   * Undefined when the partition is not assigned, or nothing of it was fetched since its assignment.
   */
  position(partition: TopicPartition): number | undefined;
  /** An earlier owner has done the record, as the group's commit says: `step` does not get it. False also where that is not known yet. */
  wasDone(record: Pick<RawRecord, "topic" | "partition" | "offset" | "timestampMs">): boolean;
  /**
   * The caller begins to work on a record of the partition that `step` has not been given. A stop waits for it as for a step, and so does a hand-over of partitions. The
   * returned function says that the work has ended; it is called once, after `doneEarly` where that is called.
   */
  takenEarly(partition: TopicPartition): () => void;
  /**
   * Reports that the record's outcome is durable before `step` got it: `step` does not get it any more, and
   * commits mark it as done. Only for a record that `step` has not been given; without effect for a partition
   * that is not this member's.
   */
  doneEarly(record: Pick<RawRecord, "topic" | "partition" | "offset" | "timestampMs">): void;
  /** The hold on the partition in its present term. It ends when the partition is lost, and stays ended when the partition comes back. */
  ownership(partition: TopicPartition): Ownership;
  readonly outstanding: { readonly records: number; readonly bytes: number };
}

/** A table of V. Its listeners get an L of each value: the V itself, or some of it. */
export interface TableOptions<V, L = V> {
  readonly topic: string;
  decode(record: RawRecord): V | Promise<V>;
  /** Called with a record that can never be read. The table stays as it was. */
  onPoison?(record: RawRecord, error: Error): void;
  /**
   * Decodes what the listeners get. With it the table keeps values as bytes, and decodes a value only when somebody asks for it: a table
   * of a million takes a third of a gigabyte instead of a whole one, and loads faster. `decode` must be synchronous for a record
   * that this has decoded.
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
}

export type TableListener<V> = (key: string, value: V | undefined, before: V | undefined) => void;

/** A compacted topic held in memory, loaded to its end and then kept fresh. */
export interface Table<V, L = V> {
  /**
   * Resolves when the table has read everything up to the end offsets at the time of the call. While Kafka is away, or a partition
   * has no leader, the table logs that and goes on trying. Rejects for what no waiting heals, and with "closed" at the end.
   */
  load(): Promise<void>;
  /** Rejects when the table will never follow again: the process should end. */
  readonly failed: Promise<never>;
  readonly loaded: boolean;
  /** Rejects with "records_lost" where the topic holds nothing although it had records, or is half restored, of a table with `witnesses`. */
  look(): Promise<void>;
  get(key: string): V | undefined;
  entries(): IterableIterator<[string, V]>;
  readonly size: number;
  /** Kafka's time of the newest record read (Unix ms): it shows a table that has stopped following. Undefined before the first record. */
  readonly lastRecordAtMs: number | undefined;
  /** Calls the listener after each change, also during the load. `value` is undefined for a deletion, `before` for a new key. Returns the way to stop. */
  onChange(listener: TableListener<L>): () => void;
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

export interface ReadRangeOptions extends TopicPartition {
  /** First offset to read; what retention has already removed is skipped. */
  readonly fromOffset: number;
  /** First offset not to read; at most the end of the partition as it is at the call. */
  readonly toOffset: number;
  /** The next record waits for a returned promise. What it throws ends the reading. */
  onRecord(record: RawRecord): void | Promise<void>;
  /** Ends the reading, which rejects with the code "aborted" once a promise of `onRecord` that is under way has ended. */
  readonly signal?: AbortSignal;
}

/** A topic that is to be followed, and what is called meanwhile. */
export interface FollowedTopic {
  readonly topic: string;
  /** First offset to be read; what retention has removed is skipped. 0 unless given. Called for all partitions before anything else is. */
  from?(partition: number): number;
  /** Records of one partition, in order; none where all of a batch were removed. A promise holds back this partition alone; it must not reject. */
  onRecords(partition: number, records: readonly RawRecord[], nextOffset: number): void | Promise<void>;
  /** Everything that was written to the partition before this time (Unix ms, our clock) has been dealt with; at least once a second while nothing comes. */
  onReadUntil?(partition: number, nextOffset: number, atMs: number): void;
  /** The log ends before the place where the reading was to go on: it is read again from its beginning. */
  onCut?(cut: { readonly partition: number; readonly fromOffset: number; readonly endOffset: number }): void;
  /**
   * Interval at which records are asked for while they come, in ms: for records that are written all the time
   * and needed by nobody at once. 3 unless given.
   */
  readonly everyMs?: number | undefined;
}

/** A topic that is followed until it is closed. */
export interface Following {
  /** Rejects when the topic can never be followed any more, for what no waiting heals. */
  readonly failed: Promise<never>;
  /** Nothing is called any more. */
  close(): void;
}

export interface Kafka {
  producer(options?: ProducerOptions): Producer;
  /** Tries until Kafka has acknowledged: `send` rejects only when the producer is closed, or for what no trying again heals. */
  durableProducer(options?: Pick<ProducerOptions, "lingerMs">): Producer;
  runner<T>(options: RunnerOptions<T>): Runner;
  table<V extends L, L = V>(options: TableOptions<V, L>): Table<V, L>;
  /** Each try ends after `timeoutMs`. */
  tableWriter(options: TableWriterOptions): TableWriter;
  admin(): Admin;
  /** Follows a topic outside all consumer groups: all partitions, in one request to each broker with everything else that the process follows. */
  follow(topic: FollowedTopic): Following;
  /**
   * Reads one stretch of one partition, in order and outside all consumer groups. Waits while Kafka is away, until `close`; what
   * retention removes meanwhile is skipped. Rejects for a partition that does not exist.
   */
  readRange(options: ReadRangeOptions): Promise<void>;
  /** Closes what was not closed yet. */
  close(): Promise<void>;
}
