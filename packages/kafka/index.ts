export { SeenLog } from "./admin/seen-log.ts";
export { isTooShort } from "./admin/topics.ts";
export type {
  Admin,
  CommittedPlace,
  EnsureTopicsOptions,
  PartitionLag,
  PartitionOffsets,
  TopicDifference,
  TopicSpec,
  WitnessedTopic,
} from "./admin-types.ts";
export type {
  BatchProducer,
  Bounds,
  Cluster,
  ClusterAdmin,
  Commit,
  FetchClient,
  Fetched,
  NewTopic,
  PartitionOutcome,
  PollClient,
  Polled,
  ProduceBatch,
  ProduceClient,
  TopicShape,
  Wanted,
} from "./cluster.ts";
export { type DoneRun, decodeDoneAhead } from "./consuming/done-ahead.ts";
export { fromClientError, KafkaError, type KafkaErrorCode } from "./errors.ts";
export { createKafka, createKafkaOn, type KafkaDependencies } from "./kafka.ts";
export { partitionOfKey } from "./producing/partitioner.ts";
export { clientCluster } from "./protocol/client-cluster.ts";
export { KAFKA_APIS, producedTo, requestsSent } from "./protocol/request-counts.ts";
export type {
  CommittedOffset,
  FetchedBatch,
  GroupAssigner,
  GroupAssignment,
  Join,
  JoinedMember,
  LogCut,
  MemberAssignment,
  PartitionOffset,
  Session,
  SessionHandlers,
  SessionOptions,
} from "./session.ts";
export {
  halfRestored,
  isRestoreMark,
  markRecords,
  type OpenRestore,
  OpenRestores,
  restoreMarks,
} from "./tables/open-restores.ts";
export type {
  Claim,
  FollowedTopic,
  Following,
  Haste,
  Kafka,
  KafkaLogger,
  KafkaSettings,
  OutgoingRecord,
  Ownership,
  PartitionWriter,
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
  TableListener,
  TableOptions,
  TableWriter,
  TableWriterOptions,
  TopicPartition,
} from "./types.ts";
