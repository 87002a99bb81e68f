export { isTooShort } from "./admin/topics.ts";
export type {
  Admin,
  EnsureTopicsOptions,
  PartitionLag,
  PartitionOffsets,
  TopicDifference,
  TopicSpec,
} from "./admin-types.ts";
export type {
  Bounds,
  Cluster,
  ClusterAdmin,
  FetchClient,
  Fetched,
  NewTopic,
  PartitionOutcome,
  ProduceBatch,
  ProduceClient,
  TopicShape,
} from "./cluster.ts";
export { fromClientError, KafkaError, type KafkaErrorCode } from "./errors.ts";
export { createKafka, createKafkaOn, type KafkaDependencies } from "./kafka.ts";
export { partitionOfKey } from "./producing/partitioner.ts";
export { clientCluster } from "./protocol/client-cluster.ts";
export type {
  FetchedBatch,
  GroupAssigner,
  GroupAssignment,
  Join,
  JoinedMember,
  PartitionOffset,
  Session,
  SessionHandlers,
  SessionOptions,
} from "./session.ts";
export type {
  Claim,
  Kafka,
  KafkaLogger,
  KafkaSettings,
  OutgoingRecord,
  Ownership,
  Producer,
  ProducerOptions,
  RawRecord,
  ReadRangeOptions,
  Received,
  RecordHeaders,
  Runner,
  RunnerOptions,
  Settle,
  Step,
  Table,
  TableOptions,
  TopicPartition,
} from "./types.ts";
