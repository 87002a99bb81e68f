// What calls become in Kafka.
import { deliveryJobId } from "#contract";
import type { OutgoingRecord, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import {
  type Call,
  type DeadLetter,
  type DeliveryJob,
  type DestinationConfig,
  deliveryKey,
  shardOf,
  shardWidthOf,
  type TopicMap,
} from "#topics";

export interface RouterRecords {
  job(call: Call, destination: DestinationConfig): OutgoingRecord;
  /** For a record that could not be read, or whose handling failed: its bytes as they are. */
  deadLetter(record: RawRecord, error: Error): OutgoingRecord;
}

export type RejectionReason = "undecodable" | "handler_failed";

/** Errors of the serde say by `canRetry: false` that the bytes are bad. */
export function rejectionReason(error: object): RejectionReason {
  return "canRetry" in error && error.canRetry === false ? "undecodable" : "handler_failed";
}

/**
 * The same call and destination give the same job, byte for byte, whenever and wherever it is made: the deliverer
 * recognises one that a crash made twice (if the destination's width changed in between, in another process, which does not). One
 * user's calls share a shard, so they keep their order.
 */
export function deliveryJob(call: Call, destination: DestinationConfig): DeliveryJob {
  const destinationId = destination.id;
  const { messageId, sourceId, type, receivedAtMs, body } = call;
  return {
    jobId: deliveryJobId(messageId, destinationId, sourceId),
    destinationId,
    shard: shardOf(call.userId ?? call.anonymousId ?? "", shardWidthOf(destination)),
    messageId,
    sourceId,
    type,
    receivedAtMs,
    attempts: 0,
    diverts: 0,
    replayId: null,
    firstAttemptAtMs: null,
    dueAtMs: 0,
    visibleAtMs: 0,
    outcomes: [],
    body,
  };
}

export function rawDeadLetter(record: RawRecord, error: Error, deadAtMs: number): DeadLetter {
  const origin = `${record.topic}-${record.partition}-${record.offset}`;
  return {
    id: origin,
    shard: 0,
    replayId: null,
    reason: rejectionReason(error),
    message: error.message,
    deadAtMs,
    destinationId: null,
    sourceId: null,
    messageId: null,
    type: null,
    receivedAtMs: null,
    attempts: 0,
    firstAttemptAtMs: null,
    outcomes: [],
    origin,
    body: record.value ?? Buffer.alloc(0),
  };
}

export function createRecords(options: {
  readonly topics: Pick<TopicMap, "deliveryJobs" | "deadLetters">;
  readonly serde: Pick<Serde, "encode">;
  nowMs(): number;
}): RouterRecords {
  const { serde, topics } = options;
  return {
    job(call, destination) {
      const job = deliveryJob(call, destination);
      return {
        topic: topics.deliveryJobs.name,
        key: deliveryKey(job),
        value: serde.encode(topics.deliveryJobs, job),
      };
    },
    deadLetter(record, error) {
      const letter = rawDeadLetter(record, error, options.nowMs());
      return { topic: topics.deadLetters.name, key: null, value: serde.encode(topics.deadLetters, letter) };
    },
  };
}
