export type { GroupAssigner, GroupAssignment, JoinedMember } from "./assigner-protocol.ts";
export { clientCluster } from "./client-cluster.ts";
export type { Cluster, ClusterAdmin, NewTopic, TopicShape } from "./cluster.ts";
export { fromClientError, KafkaError, type KafkaErrorCode } from "./errors.ts";
export type { Bounds, FetchClient, Fetched } from "./fetch-client.ts";
export { createKafka, createKafkaOn, type KafkaDependencies } from "./kafka.ts";
export { partitionOfKey } from "./partitioner.ts";
export type { ProduceBatch, ProduceClient } from "./produce-client.ts";
export type { PartitionOutcome } from "./produce-protocol.ts";
export type {
  FetchedBatch,
  Join,
  PartitionOffset,
  Session,
  SessionHandlers,
  SessionOptions,
} from "./session.ts";
export { isTooShort } from "./topics.ts";
export type {
  Admin,
  Claim,
  EnsureTopicsOptions,
  Kafka,
  KafkaLogger,
  KafkaSettings,
  OutgoingRecord,
  Ownership,
  PartitionLag,
  PartitionOffsets,
  Producer,
  ProducerOptions,
  RawRecord,
  ReadRangeOptions,
  Received,
  Runner,
  RunnerOptions,
  Settle,
  Step,
  Table,
  TableOptions,
  TopicDifference,
  TopicPartition,
  TopicSpec,
} from "./types.ts";
