import type kafkajs from "kafkajs";
import type { Host } from "#host";
import { encodeRecordBatch } from "./encode-record-batch.ts";
import { type EncodedMessage, outcomesIn, type PartitionOutcome } from "./produce-protocol.ts";
import type { OutgoingRecord, TopicPartition } from "./types.ts";

/** How long the leader waits for the in-sync replicas; shorter than the client's request timeout. */
const ACK_TIMEOUT_MS = 10_000;

/** All in-sync replicas, and not idempotent: concurrent idempotent sends lose records after a lost response (fact 2). */
const ALL_IN_SYNC_REPLICAS = -1;

const NO_BYTES = Buffer.alloc(0);

/** What one request carries of one partition, in order. */
export interface ProduceBatch extends TopicPartition {
  readonly records: readonly { readonly record: OutgoingRecord }[];
}

/** One try at writing. */
export interface ProduceClient {
  /** What the brokers answered; a partition that is missing was not written (fact 1). Rejects when there was no answer. */
  send(batches: readonly ProduceBatch[]): Promise<readonly PartitionOutcome[]>;
  /** Throws the connections away; the next send makes new ones. */
  reset(): void;
  close(): Promise<void>;
}

/** The partition was chosen before the first try; the client's partitioner only hands it on (fact 11). */
const createPartitioner: kafkajs.ICustomPartitioner = () => {
  return ({ message }) => {
    if (message.partition === undefined) throw new TypeError("a record without a partition");
    return message.partition;
  };
};

function toTopicMessages(batches: readonly ProduceBatch[], nowMs: number): kafkajs.TopicMessages[] {
  const byTopic = Map.groupBy(batches, ({ topic }) => topic);
  return Array.from(byTopic, ([topic, ofTopic]) => ({
    topic,
    messages: ofTopic.map(({ partition, records }): EncodedMessage => {
      const encodedBatch = encodeRecordBatch(
        records.map(({ record }) => record),
        nowMs,
      );
      return { partition, value: NO_BYTES, encodedBatch };
    }),
  }));
}

async function connect(client: kafkajs.Kafka): Promise<kafkajs.Producer> {
  const producer = client.producer({
    idempotent: false,
    allowAutoTopicCreation: false,
    createPartitioner,
    // The only back-off is our own; and the client's retry within one send is what loses records (fact 1).
    retry: { retries: 0 },
  });
  await producer.connect();
  return producer;
}

export function createProduceClient(client: kafkajs.Kafka, host: Pick<Host, "now">): ProduceClient {
  let connected: Promise<kafkajs.Producer> | undefined;

  const discard = (): Promise<void> => {
    const old = connected;
    connected = undefined;
    if (old === undefined) return Promise.resolve();
    return old.then((producer) => producer.disconnect()).catch(() => undefined);
  };

  return {
    async send(batches) {
      connected ??= connect(client);
      const producer = await connected.catch((thrown: unknown) => {
        connected = undefined;
        throw thrown;
      });
      try {
        const written = await producer.sendBatch({
          acks: ALL_IN_SYNC_REPLICAS,
          timeout: ACK_TIMEOUT_MS,
          topicMessages: toTopicMessages(batches, host.now()),
        });
        return written.map(({ topicName, partition }) => ({ topic: topicName, partition, error: undefined }));
      } catch (thrown) {
        const outcomes = outcomesIn(thrown);
        if (outcomes === undefined) throw thrown;
        return outcomes;
      }
    },
    reset() {
      void discard();
    },
    close: discard,
  };
}
