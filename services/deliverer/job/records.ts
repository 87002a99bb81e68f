import { userIn } from "#contract";
import type { OutgoingRecord, RawRecord, Received, TopicPartition } from "#kafka";
import type { Serde } from "#serde";
import { type DeadLetter, type DeliveryJob, deliveryKey, rawDeadLetter, type TopicMap } from "#topics";
import type { Dead } from "./plan.ts";
import type { Waiting } from "./waiting.ts";

/** The place of a record. */
type Origin = TopicPartition & { readonly offset: number };

/** The records that verdicts become in Kafka. */
export interface DeliveryRecords {
  waiting(waiting: Pick<Waiting, "tier" | "job">): OutgoingRecord;
  dead(dead: Dead, origin: Origin): OutgoingRecord;
  /**
   * Makes a dead letter of a record that could not be read, or whose handling failed: its bytes as they are.
   */
  raw(record: RawRecord | Received<DeliveryJob>, error: { readonly message: string }): OutgoingRecord;
}

export interface RecordsOptions {
  readonly topics: TopicMap;
  readonly serde: Pick<Serde, "encode">;
  readonly nowMs: () => number;
}

export function createRecords({ topics, serde, nowMs }: RecordsOptions): DeliveryRecords {
  const deadLetter = (letter: DeadLetter): OutgoingRecord => ({
    topic: topics.deadLetters.name,
    key: letter.destinationId,
    value: serde.encode(topics.deadLetters, letter),
  });
  return {
    waiting({ tier, job }) {
      const topic = topics.deliveryRetries[tier];
      if (topic === undefined) throw new RangeError(`there is no retry topic ${tier}`);
      return { topic: topic.name, key: deliveryKey(job), value: serde.encode(topic, job) };
    },
    dead({ reason, message, job }, origin) {
      const { destinationId, shard, sourceId, messageId, type, receivedAtMs, attempts, firstAttemptAtMs } =
        job;
      return deadLetter({
        id: job.jobId,
        reason,
        message,
        deadAtMs: nowMs(),
        destinationId,
        shard,
        replayId: job.replayId,
        sourceId,
        messageId,
        ...userIn(job),
        type,
        receivedAtMs,
        attempts,
        firstAttemptAtMs,
        outcomes: job.outcomes,
        origin: originOf(origin),
        body: job.body,
      });
    },
    raw(record, error) {
      const call = "decoded" in record ? record.decoded : undefined;
      const destinationId = destinationOf(record);
      return deadLetter(rawDeadLetter(record, { error, deadAtMs: nowMs(), destinationId, call }));
    },
  };
}

function originOf({ topic, partition, offset }: Origin): string {
  return `${topic}-${partition}-${offset}`;
}

/** The key still tells the destination: it is written before the value, as `destinationId:shard`. */
function destinationOf({ key }: RawRecord): string | null {
  const end = key?.lastIndexOf(":") ?? -1;
  return key !== null && end > 0 ? key.slice(0, end) : null;
}
