// The records that calls become in Kafka.
import type { OutgoingRecord, RawRecord, Received } from "#kafka";
import type { Serde } from "#serde";
import { type Call, deliveryJob, deliveryKey, rawDeadLetter, type TopicMap } from "#topics";
import type { RoutedDestination } from "./destination-index.ts";

export interface RouterRecords {
  job(call: Call, destination: RoutedDestination): OutgoingRecord;
  /**
   * Makes a dead letter of a record that could not be read, or whose handling failed: its bytes as they are.
   */
  deadLetter(record: RawRecord | Received<Call>, error: Error): OutgoingRecord;
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
