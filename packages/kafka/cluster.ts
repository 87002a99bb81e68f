import type { FetchClient } from "./fetch-client.ts";
import type { ProduceClient } from "./produce-client.ts";
import type { NewSession } from "./session.ts";
import type { PartitionOffsets } from "./types.ts";

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
  deleteGroups(groupIds: readonly string[]): Promise<void>;
  /** Throws the connections away; the next call makes new ones. */
  reset(): Promise<void>;
  close(): Promise<void>;
}
