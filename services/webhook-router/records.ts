// The records that calls become in Kafka.
import { deliveryJobId } from "#contract";
import type { OutgoingRecord, RawRecord, Received } from "#kafka";
import type { Serde } from "#serde";
import {
  type Call,
  type DeliveryJob,
  type DestinationConfig,
  deliveryKey,
  rawDeadLetter,
  shardOf,
  shardWidthOf,
  type TopicMap,
  untriedJob,
} from "#topics";

export interface RouterRecords {
  job(call: Call, destination: DestinationConfig): OutgoingRecord;
  /**
   * Makes a dead letter of a record that could not be read, or whose handling failed: its bytes as they are.
   */
  deadLetter(record: RawRecord | Received<Call>, error: Error): OutgoingRecord;
}

/**
 * The same call and destination give the same job, byte for byte, whenever and wherever it is made: the deliverer
 * recognises one that a crash made twice (if the destination's width changed in between, in another process, which does not). One
 * user's calls share a shard, so they keep their order.
 */
export function deliveryJob(call: Call, destination: DestinationConfig): DeliveryJob {
  const destinationId = destination.id;
  const { messageId, sourceId, userId, anonymousId, type, receivedAtMs, body } = call;
  return untriedJob({
    jobId: deliveryJobId(call, destinationId),
    destinationId,
    shard: shardOf(userId ?? anonymousId ?? "", shardWidthOf(destination)),
    messageId,
    sourceId,
    userId,
    anonymousId,
    type,
    receivedAtMs,
    replayId: null,
    body,
  });
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
      const call = "decoded" in record ? record.decoded : undefined;
      const letter = rawDeadLetter(record, { error, deadAtMs: options.nowMs(), destinationId: null, call });
      return { topic: topics.deadLetters.name, key: null, value: serde.encode(topics.deadLetters, letter) };
    },
  };
}
