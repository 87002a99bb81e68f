import kafkajs from "kafkajs";
import type { PartitionBatch } from "./accumulator.ts";
import type { TopicPartition } from "./types.ts";

const { CompressionTypes } = kafkajs;

/** How long the leader waits for the in-sync replicas; shorter than the client's request timeout. */
const ACK_TIMEOUT_MS = 10_000;

/** A compressed batch of less than this saves next to nothing and costs a compressor's set-up. */
const COMPRESS_FROM_BYTES = 2_048;

/** All in-sync replicas, and not idempotent: concurrent idempotent sends lose records after a lost response (fact 2). */
const ALL_IN_SYNC_REPLICAS = -1;

/** One try at writing. The accumulator's batches go out in one request per broker. */
export interface ProduceClient {
  /** Resolves to the partitions that were really written (fact 1); rejects with whatever the client throws. */
  send(batches: readonly PartitionBatch[]): Promise<readonly TopicPartition[]>;
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

function toTopicMessages(batches: readonly PartitionBatch[]): kafkajs.TopicMessages[] {
  const byTopic = new Map<string, kafkajs.Message[]>();
  for (const { topic, partition, records } of batches) {
    let messages = byTopic.get(topic);
    if (messages === undefined) {
      messages = [];
      byTopic.set(topic, messages);
    }
    for (const { record } of records) messages.push({ key: record.key, value: record.value, partition });
  }
  return Array.from(byTopic, ([topic, messages]) => ({ topic, messages }));
}

function isWorthCompressing(batches: readonly PartitionBatch[]): boolean {
  let sizeBytes = 0;
  for (const batch of batches) sizeBytes += batch.sizeBytes;
  return sizeBytes / batches.length >= COMPRESS_FROM_BYTES;
}

export function createProduceClient(client: kafkajs.Kafka): ProduceClient {
  let connected: Promise<kafkajs.Producer> | undefined;

  const connect = async (): Promise<kafkajs.Producer> => {
    const producer = client.producer({
      idempotent: false,
      allowAutoTopicCreation: false,
      createPartitioner,
      // The accumulator's back-off is the only one, and it also decides what a retry carries.
      retry: { retries: 0 },
    });
    await producer.connect();
    return producer;
  };

  const discard = (): Promise<void> => {
    const old = connected;
    connected = undefined;
    return old === undefined
      ? Promise.resolve()
      : old.then((producer) => producer.disconnect()).catch(() => undefined);
  };

  return {
    async send(batches) {
      connected ??= connect();
      const producer = await connected.catch((thrown: unknown) => {
        connected = undefined;
        throw thrown;
      });
      const results = await producer.sendBatch({
        acks: ALL_IN_SYNC_REPLICAS,
        timeout: ACK_TIMEOUT_MS,
        compression: isWorthCompressing(batches) ? CompressionTypes.ZSTD : CompressionTypes.None,
        topicMessages: toTopicMessages(batches),
      });
      return results.map(({ topicName, partition }) => ({ topic: topicName, partition }));
    },
    reset() {
      void discard();
    },
    close: discard,
  };
}
