import type { PartitionOffsets } from "./admin-types.ts";
import type { KafkaError } from "./errors.ts";
import type { NewSession } from "./session.ts";
import type { OutgoingRecord, RawRecord, TopicPartition } from "./types.ts";

/**
 * What this package needs of a cluster: the seam between our own code and whoever speaks with brokers. Everything behind it is one
 * try; trying again, waiting and giving up are ours. What a method rejects with is read by `fromClientError`.
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
  /** By the broker's names, as "retention.ms". */
  readonly settings: Readonly<Record<string, string>>;
}

export interface TopicShape {
  /** Broker id by partition; -1 where nobody leads. */
  readonly leaders: readonly number[];
  readonly replicationFactor: number;
}

/** What a group has committed of a partition. */
export interface Commit {
  readonly offset: number;
  /** Undefined, or "": none. */
  readonly metadata: string | undefined;
}

/** One try at each; rejects with what the client threw. */
export interface ClusterAdmin {
  listTopics(): Promise<string[]>;
  /** One that exists already is left as it is. */
  createTopics(topics: readonly NewTopic[]): Promise<void>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  /** By topic; a topic that is not there is an error, or missing. */
  shapes(topics: readonly string[]): Promise<ReadonlyMap<string, TopicShape>>;
  /** By topic, by the broker's names. */
  settings(topics: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
  /** Changes one setting of a topic; what else the topic was given stays. Not for two at once: the later may undo the earlier. */
  alterSetting(topic: string, setting: string, value: string): Promise<void>;
  /** Of the partitions that have a leader, in any order. */
  offsets(topic: string): Promise<PartitionOffsets[]>;
  /** Per partition the first offset at or after the time (Unix ms); the end where there is none. */
  offsetsAt(topic: string, timestampMs: number): Promise<{ partition: number; offset: number }[]>;
  /** By partition; one without a commit is not there. */
  committedOffsets(groupId: string, topic: string): Promise<Map<number, number>>;
  /** The same, with the texts that came with the offsets. */
  commits(groupId: string, topic: string): Promise<Map<number, Commit>>;
  deleteGroups(groupIds: readonly string[]): Promise<void>;
  /** The next call makes new connections; calls that are under way end on the old ones. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Whose batch it is. A leader refuses a batch of an id with a lower epoch than it has seen of that id, and takes a batch that is sent
 * again for the one that it has.
 */
export interface BatchProducer {
  /** In decimal. */
  readonly id: string;
  readonly epoch: number;
  /** Of the first record: 0 in a new epoch, then one more for each record before it. */
  readonly sequence: number;
}

/** What one request carries of one partition, in order. */
export interface ProduceBatch extends TopicPartition {
  readonly records: readonly { readonly record: OutgoingRecord }[];
  /** Nobody's unless given: the leader then takes every batch. */
  readonly producer?: BatchProducer;
}

/** What became of one partition of a produce request. */
export interface PartitionOutcome extends TopicPartition {
  readonly error: KafkaError | undefined;
}

/** One try at writing. */
export interface ProduceClient {
  /** What the brokers answered; a partition that is missing was not written (fact 1). Rejects when there was no answer. */
  send(batches: readonly ProduceBatch[]): Promise<readonly PartitionOutcome[]>;
  /** Throws the connections away; the next send makes new ones. */
  reset(): void;
  close(): Promise<void>;
}

/** Offsets between which a partition can be read. */
export interface Bounds {
  readonly low: number;
  /** Of a transaction that is open: its first. */
  readonly high: number;
}

/** What a leader answers. */
export type Fetched =
  | {
      readonly kind: "records";
      readonly records: readonly RawRecord[];
      /** Where to go on: behind the last batch, also when records of it were removed. */
      readonly nextOffset: number;
    }
  | { readonly kind: "nothing" }
  | { readonly kind: "out_of_range" };

/** One try at reading a partition, without a consumer group (fact 15). Everything rejects with what the client threw. */
export interface FetchClient {
  /** Undefined when the topic has no such partition. */
  bounds(partition: TopicPartition): Promise<Bounds | undefined>;
  fetch(partition: TopicPartition, offset: number): Promise<Fetched>;
  /** After a failure: learns the leaders again, over new connections where the old ones are of no use. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** What a poll asks of one partition. */
export interface Wanted extends TopicPartition {
  /** First offset to read. */
  readonly offset: number;
}

/** Where what could be read of the log ended: the next offset to be given, but for what the replicas do not have yet. */
interface ReadTo {
  readonly end: number;
}

/** What a poll brought of one partition. */
export type Polled = TopicPartition &
  (
    | (Extract<Fetched, { kind: "records" }> & ReadTo)
    | ({ readonly kind: "nothing" } & ReadTo)
    | { readonly kind: "out_of_range" }
    | { readonly kind: "refused"; readonly error: KafkaError }
  );

/** One try at reading many partitions of one broker in one request, without a consumer group. Everything rejects with what the client threw. */
export interface PollClient {
  /** Broker ids by partition; -1 where nobody leads. */
  leaders(topic: string): Promise<readonly number[]>;
  /**
   * Answered as soon as one of the partitions has records, or after `maxWaitMs`. One at a time for each broker: it answers one after the
   * other.
   */
  poll(broker: number, wanted: readonly Wanted[], maxWaitMs: number): Promise<readonly Polled[]>;
  /** After a failure: learns the leaders again, over new connections where the old ones are of no use. */
  renew(): Promise<void>;
  /** Ends what waits at the brokers, too. */
  close(): Promise<void>;
}
