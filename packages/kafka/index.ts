export { atPartition } from "./admin/offsets.ts";
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
  PollWait,
  ProduceBatch,
  ProduceClient,
  TopicShape,
  Wanted,
} from "./cluster.ts";
export { type DoneRun, decodeDoneAhead } from "./consuming/done-ahead.ts";
export { shareOf } from "./consuming/runner.ts";
export { fromClientError, KafkaError, type KafkaErrorCode } from "./errors.ts";
export type { Kafka } from "./interface.ts";
export { createKafka, createKafkaOn, type KafkaDependencies } from "./kafka.ts";
export { partitionOfKey } from "./producing/partitioner.ts";
export { clientCluster } from "./protocol/client-cluster.ts";
export {
  countInto,
  countsOfThread,
  KAFKA_APIS,
  producedTo,
  requestsSent,
} from "./protocol/request-counts.ts";
export type {
  Claim,
  Haste,
  Ownership,
  Runner,
  RunnerOptions,
  Settle,
  Share,
  SharedRunnerOptions,
  Step,
} from "./runner-types.ts";
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
export type {
  PartitionWriter,
  Table,
  TableListener,
  TableOptions,
  TableValues,
  TableWriter,
  TableWriterOptions,
  TermWriter,
  WriterTerm,
} from "./table-types.ts";
export {
  halfRestored,
  isRestoreMark,
  markRecords,
  type OpenRestore,
  OpenRestores,
  restoreMarks,
} from "./tables/open-restores.ts";
export type {
  FollowedTopic,
  Following,
  Hold,
  KafkaLogger,
  KafkaSettings,
  OutgoingRecord,
  Producer,
  ProducerOptions,
  RawRecord,
  ReadRangeOptions,
  Received,
  RecordHeaders,
  TopicPartition,
} from "./types.ts";
