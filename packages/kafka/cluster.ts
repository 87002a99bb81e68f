import type { PartitionOffsets } from "./admin-types.ts";
import type { KafkaError } from "./errors.ts";
import type { CommittedOffset, NewSession } from "./session.ts";
import type { OutgoingRecord, RawRecord, TopicPartition } from "./types.ts";

/** The broker id that Kafka gives where nobody leads a partition. */
export const NO_LEADER = -1;

/**
 * The seam between our code and a client that speaks with brokers. Each method is one try; trying again,
 * waiting and giving up are ours. `fromClientError` reads what a method rejects with.
 */
export interface Cluster {
  readonly newSession: NewSession;
  /** Each producer has connections of its own. */
  newProduceClient(): ProduceClient;
  readonly admin: ClusterAdmin;
  readonly fetchClient: FetchClient;
  readonly pollClient: PollClient;
  /** An id that no producer has had (KIP-98), in decimal; asked of the leader of `near`. One try. */
  newProducerId(near: TopicPartition): Promise<string>;
  close(): Promise<void>;
}

/** A topic to be created. */
export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  /** The topic's settings under the broker's names, as "retention.ms". */
  readonly settings: Readonly<Record<string, string>>;
}

export interface TopicShape {
  /** Broker id by partition; -1 where nobody leads. */
  readonly leaders: readonly number[];
  readonly replicationFactor: number;
}

/** The commit of a group in a partition. */
export interface Commit {
  readonly offset: number;
  /** Undefined, or "": none. */
  readonly metadata: string | undefined;
}

/** One try at each; rejects with what the client threw. */
export interface ClusterAdmin {
  listTopics(): Promise<string[]>;
  /** Creates topics. One that exists already is left as it is. */
  createTopics(topics: readonly NewTopic[]): Promise<void>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  /** Reads shapes by topic; an unknown topic is an error, or missing. */
  shapes(topics: readonly string[]): Promise<ReadonlyMap<string, TopicShape>>;
  /** Reads settings by topic, under the broker's names. */
  settings(topics: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
  /** Changes one setting of a topic; what else the topic was given stays. Not for two at once: the later may undo the earlier. */
  alterSetting(topic: string, setting: string, value: string): Promise<void>;
  /** Reads the offsets of the partitions that have a leader, in any order. */
  offsets(topic: string): Promise<PartitionOffsets[]>;
  /** Finds, of the partitions that have a leader, the first offset at or after the time (Unix ms); the end where there is none. */
  offsetsAt(topic: string, timestampMs: number): Promise<{ partition: number; offset: number }[]>;
  /** Reads the commits by partition; a partition without a commit is left out. */
  commits(groupId: string, topic: string): Promise<Map<number, Commit>>;
  /** Counts the members of the groups. A group that nobody has heard of has none. */
  memberCount(groupIds: readonly string[]): Promise<number>;
  /** Commits as nobody's member. False: the group has a member, and nothing is committed. */
  commitUnlessJoined(groupId: string, places: readonly CommittedOffset[]): Promise<boolean>;
  /** The next call makes new connections; calls that are under way end on the old ones. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The producer of a batch. A leader refuses a batch whose epoch is lower than one that it has seen of the
 * same id. It recognises a batch that is sent again.
 */
export interface BatchProducer {
  /** The producer id in decimal. */
  readonly id: string;
  readonly epoch: number;
  /** The sequence of the first record: 0 in a new epoch, then one more for each record before it. */
  readonly sequence: number;
}

/** The records of one partition in a request, in order. */
export interface ProduceBatch extends TopicPartition {
  readonly records: readonly { readonly record: OutgoingRecord }[];
  /** Nobody's unless given: the leader then takes every batch. */
  readonly producer?: BatchProducer;
}

/** The result of a produce request in one partition. */
export interface PartitionOutcome extends TopicPartition {
  readonly error: KafkaError | undefined;
}

/** One try at writing. */
export interface ProduceClient {
  /**
   * Sends the batches and returns the brokers' answers; a partition that is missing was not written (fact 1).
   * Rejects when there was no answer.
   */
  send(batches: readonly ProduceBatch[]): Promise<readonly PartitionOutcome[]>;
  /** The next send makes new connections; requests that are under way end on the old ones. */
  reset(): void;
  close(): Promise<void>;
}

/** Offsets between which a partition can be read. */
export interface Bounds {
  readonly low: number;
  /** The end of what can be read: the first offset of an open transaction, if there is one. */
  readonly high: number;
}

/** A leader's answer to a fetch. */
export type Fetched =
  | {
      readonly kind: "records";
      readonly records: readonly RawRecord[];
      /** The offset at which to go on: behind the last batch, also when records of it were removed. */
      readonly nextOffset: number;
    }
  | { readonly kind: "nothing" }
  | { readonly kind: "out_of_range" };

/** One try at reading a partition, without a consumer group (fact 15). Everything rejects with what the client threw. */
export interface FetchClient {
  /** Undefined when the topic has no such partition. */
  bounds(partition: TopicPartition): Promise<Bounds | undefined>;
  fetch(partition: TopicPartition, offset: number): Promise<Fetched>;
  /** Learns the leaders again after a failure, over new connections where the old ones no longer work. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** A poll's request for one partition. */
export interface Wanted extends TopicPartition {
  /** First offset to read. */
  readonly offset: number;
}

/**
 * The end of what could be read: the next offset to be given, except records that the replicas do not have
 * yet.
 */
interface ReadTo {
  readonly end: number;
}

/** A poll's answer for one partition. */
export type Polled = TopicPartition &
  (
    | (Extract<Fetched, { kind: "records" }> & ReadTo)
    | ({ readonly kind: "nothing" } & ReadTo)
    | { readonly kind: "out_of_range" }
    | { readonly kind: "refused"; readonly error: KafkaError }
  );

/** How long a poll waits at its broker. */
export interface PollWait {
  readonly maxMs: number;
  /** Aborted, the poll brings nothing: another one shall ask for more. */
  readonly signal?: AbortSignal;
}

/** One try at reading many partitions of one broker in one request, without a consumer group. Everything rejects with what the client threw. */
export interface PollClient {
  /** Broker ids by partition; -1 where nobody leads. */
  leaders(topic: string): Promise<readonly number[]>;
  /**
   * Answered as soon as one of the partitions has records, or when the wait is over. One at a time for each broker: it answers one after the
   * other.
   */
  poll(broker: number, wanted: readonly Wanted[], wait: PollWait): Promise<readonly Polled[]>;
  /** Learns the leaders again after a failure, over new connections where the old ones no longer work. */
  renew(): Promise<void>;
  /** Ends what waits at the brokers, too. */
  close(): Promise<void>;
}
