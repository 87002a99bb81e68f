// Types of topics, offsets and groups as administrative code sees them.

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

export interface ComparedTopics {
  readonly missing: readonly string[];
  readonly differing: readonly TopicDifference[];
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

/** A partition that has lost records, and how that shows. */
export interface LostPartition {
  readonly partition: number;
  readonly why: string;
}

/** What one process has seen of a compacted topic. */
export interface LogMemory {
  readonly hadRecords: boolean;
  /**
   * Returns what judges offsets. Call it before the offsets are asked for: the answer is older than what is
   * read meanwhile.
   */
  judge(): (found: readonly PartitionOffsets[]) => LostPartition[];
}

/** A compacted topic: no partition of it is ever empty again once it had records. */
export interface WitnessedTopic {
  readonly topic: string;
  /** Topics whose records show that this one had some. */
  readonly witnesses: readonly string[];
  /**
   * Memory of earlier looks, for callers that look repeatedly. Without it a loss shows only where nothing is
   * left.
   */
  readonly memory?: LogMemory;
}

/** The place of a group in a partition. */
export interface CommittedPlace {
  /** The offset at which the group goes on. */
  readonly offset: number;
  /** Whether a record behind that is done. */
  isDone(record: { readonly offset: number; readonly timestampMs: number }): boolean;
}

export interface Admin {
  /**
   * Creates missing topics and reports differences. Never shrinks, repartitions or changes an existing topic,
   * but for `raiseRetention`.
   */
  ensureTopics(specs: readonly TopicSpec[], options: EnsureTopicsOptions): Promise<EnsuredTopics>;
  /** Reports what `ensureTopics` would find, without a change. */
  compareTopics(specs: readonly TopicSpec[], options: EnsureTopicsOptions): Promise<ComparedTopics>;
  /** Names of all topics of the cluster that may be seen. */
  topicNames(): Promise<string[]>;
  /** With endless `tries` it waits until Kafka has the topic, or the client is closed. */
  partitionCount(topic: string, tries?: number): Promise<number>;
  /** Waits until every partition has a leader; where `partition` is given until that one has, and others without one are left out. */
  offsets(topic: string, partition?: number): Promise<PartitionOffsets[]>;
  /**
   * Whether the topic holds records. Rejects with "records_lost" where it, or a partition of it, holds none or less than it did, and while a table
   * of the same Kafka sees a restore of it that has not ended.
   */
  holdsRecords(topic: WitnessedTopic): Promise<boolean>;
  /** Finds per partition the first offset at or after the time; the end where there is none. Waits as `offsets` does. */
  offsetForTime(
    topic: string,
    timestampMs: number,
    partition?: number,
  ): Promise<{ partition: number; offset: number }[]>;
  /** Finds per partition the offset at which the group goes on. Partitions without a commit are left out. */
  committedOffsets(groupId: string, topic: string): Promise<ReadonlyMap<number, number>>;
  /** The same, with what the group has done behind these offsets. */
  committedPlaces(groupId: string, topic: string): Promise<ReadonlyMap<number, CommittedPlace>>;
  consumerLag(groupId: string, topic: string): Promise<PartitionLag[]>;
  deleteTopics(topics: readonly string[]): Promise<void>;
}
