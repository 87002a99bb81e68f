import type kafkajs from "kafkajs";
import { EventLoopTurns, type Host, WorkInTurns } from "#host";
import type { PartitionOutcome, ProduceBatch, ProduceClient } from "../cluster.ts";
import { encodeRecordBatch } from "./encode-record-batch.ts";
import { type EncodedMessage, outcomesIn } from "./produce-protocol.ts";
import { ReplaceableConnection } from "./replaceable-connection.ts";

/** The longest wait of the leader for the in-sync replicas; shorter than the client's request timeout. */
const ACK_TIMEOUT_MS = 10_000;

/** All in-sync replicas. The client's own idempotence is off: its concurrent sends lose records after a lost response (fact 2). */
const ALL_IN_SYNC_REPLICAS = -1;

const NO_BYTES = Buffer.alloc(0);

/** The partition was chosen before the first try; the client's partitioner only hands it on (fact 11). */
const createPartitioner: kafkajs.ICustomPartitioner = () => {
  return ({ message }) => {
    if (message.partition === undefined) throw new TypeError("a record without a partition");
    return message.partition;
  };
};

function toMessage({ partition, records, producer }: ProduceBatch, nowMs: number): EncodedMessage {
  const encodedBatch = encodeRecordBatch(
    records.map(({ record }) => record),
    nowMs,
    producer,
  );
  return { partition, value: NO_BYTES, encodedBatch, records: records.length };
}

function toTopicMessages(
  batches: readonly ProduceBatch[],
  messages: ReadonlyMap<ProduceBatch, EncodedMessage>,
): kafkajs.TopicMessages[] {
  const byTopic = Map.groupBy(batches, ({ topic }) => topic);
  return Array.from(byTopic, ([topic, ofTopic]) => ({
    topic,
    messages: ofTopic.flatMap((batch) => messages.get(batch) ?? []),
  }));
}

function sizeOf({ records }: ProduceBatch): number {
  let bytes = 0;
  for (const { record } of records) bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0);
  return bytes;
}

/**
 * Encoded in one turn of the event loop: 900 KB, the most that one partition has in a request, take 1 to 4 ms. Four requests of 4 MB to
 * each broker, in one turn, would hold it for 60.
 */
const BYTES_A_TURN = 1_000_000;

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

export function createProduceClient(client: kafkajs.Kafka, host: Host): ProduceClient {
  const turns = new EventLoopTurns(host);
  const connection = new ReplaceableConnection<kafkajs.Producer>({
    name: "the produce client",
    open: () => connect(client),
    close: (producer) => producer.disconnect(),
  });

  async function encode(batches: readonly ProduceBatch[]): Promise<kafkajs.TopicMessages[]> {
    const messages = new Map<ProduceBatch, EncodedMessage>();
    const sizes = batches.map(sizeOf);
    const isLarge = sizes.reduce((sum, size) => sum + size, 0) > BYTES_A_TURN;
    const work = new WorkInTurns({ pause: () => turns.next(), bytesATurn: BYTES_A_TURN });
    for (const [index, batch] of batches.entries()) {
      const later = isLarge ? work.begin(sizes[index] ?? 0) : undefined;
      if (later !== undefined) await later;
      messages.set(batch, toMessage(batch, host.now()));
    }
    return toTopicMessages(batches, messages);
  }

  async function send(
    producer: kafkajs.Producer,
    batches: readonly ProduceBatch[],
  ): Promise<readonly PartitionOutcome[]> {
    const topicMessages = await encode(batches);
    try {
      const written = await producer.sendBatch({
        acks: ALL_IN_SYNC_REPLICAS,
        timeout: ACK_TIMEOUT_MS,
        topicMessages,
      });
      return written.map(({ topicName, partition }) => ({ topic: topicName, partition, error: undefined }));
    } catch (thrown) {
      const outcomes = outcomesIn(thrown);
      if (outcomes === undefined) throw thrown;
      return outcomes;
    }
  }

  return {
    // Nothing is encoded for brokers that are away.
    send: (batches) => connection.use((producer) => send(producer, batches)),
    reset: () => void connection.putAside(),
    close: () => connection.close(host),
  };
}
