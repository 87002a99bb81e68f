export { KafkaError, type KafkaErrorCode } from "./errors.ts";
export { createKafka, type KafkaDependencies } from "./kafka.ts";
export { partitionOfKey } from "./partitioner.ts";
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
