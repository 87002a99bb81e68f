// The package's own interface: nothing outside sees a type of the client underneath.
/** Settings for reaching the cluster. */
export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly tls: boolean;
  /** Shown to brokers that ask for it; PEM. Only with `tls`. */
  readonly clientCertificate?: {
    readonly certificate: string;
    readonly key: string;
    /** The paths of both, which are read again for each connection. */
    readonly files?: { readonly certificate: string; readonly key: string };
  };
  readonly sasl?: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
    readonly username: string;
    readonly password: string;
    /** The path of a file that has it, which is read again for each login. */
    readonly passwordFile?: string | undefined;
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
  /** Topics whose records are of use wherever they are: one that its partition does not take within 5 s goes to another, without its key. */
  readonly anyPartition?: readonly string[];
}

/** What a write rests on. */
export interface Hold {
  /** False: what is to be written may be another process's to write by now. */
  readonly isHeld: boolean;
}

export interface Producer {
  /**
   * Resolves when every record is on all in-sync replicas (acks=all); records of one call to one partition keep their
   * order. Rejects with a KafkaError once `deliveryTimeoutMs` is over. While the hold is not held nothing is sent: records wait, and new ones are
   * refused with the code "aborted".
   */
  send(records: readonly OutgoingRecord[], hold?: Hold): Promise<void>;
  /**
   * What rests on a hold that is not held now fails with the code "aborted", and is not sent again. Some of it may have been written, and what a
   * request carries already may still be.
   */
  giveUpLost(): void;
  /** Records that were given to `send` and are not acknowledged yet. */
  readonly backlog: {
    readonly records: number;
    readonly bytes: number;
    /** When the oldest of them was given, on the clock of `Host.elapsed`. */
    readonly oldestElapsedMs: number | undefined;
  };
  /** Sends nothing any more: what is not acknowledged fails, as others do now what it was of. What a request carries already may still be written. */
  giveUp(): void;
  /** Sends what is queued, waits for the acknowledgements (8 s at most; what is open then rejects), disconnects. */
  close(): Promise<void>;
}

export interface ReadRangeOptions extends TopicPartition {
  /** First offset to read; what retention has already removed is skipped. */
  readonly fromOffset: number;
  /** First offset not to read; at most the end of the partition as it is at the call. */
  readonly toOffset: number;
  /** The log reached so far a moment ago: its ends are asked for only where it does not any more. */
  readonly areEndsKnown?: boolean;
  /** The next record waits for a returned promise. What it throws ends the reading. */
  onRecord(record: RawRecord): void | Promise<void>;
  /** Called with how many offsets of the stretch retention has removed before they were read. */
  onRemoved?(offsets: number): void;
  /** Ends the reading, which rejects with the code "aborted" once a promise of `onRecord` that is under way has ended. */
  readonly signal?: AbortSignal;
}

/** A topic that is to be followed, and what is called meanwhile. */
export interface FollowedTopic {
  readonly topic: string;
  /** Whether a partition is followed; each is unless given. Called for all partitions before any of them is read. */
  takes?(partition: number): boolean;
  /** First offset to be read; what retention has removed is skipped. 0 unless given. Called for all partitions that are followed before anything else of them is. */
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
