import kafkajsErrors from "kafkajs/src/protocol/error.js";
import Produce, {
  type ProduceArguments,
  type ProduceResponse,
  type ProduceVersion,
} from "kafkajs/src/protocol/requests/produce/index.js";
import type { PartitionOutcome } from "../cluster.ts";
import { fromClientError } from "../errors.ts";
import { isPatched } from "./patched.ts";
import { countProduced } from "./request-counts.ts";

const SUCCESS = 0;

/** One partition's whole batch, disguised as the one message that the client believes to send. */
export interface EncodedMessage {
  readonly partition: number;
  /** A value that the client checks for; the broker never sees it. */
  readonly value: Buffer;
  readonly encodedBatch: Buffer;
  /** The number of records in the batch. */
  readonly records: number;
}

/**
 * Lets the client send batches that are encoded already, and tell what became of each partition. Its own request encodes message
 * by message and groups them in quadratic time (facts 5 and 6), and its own answer keeps one partition's error and forgets that
 * the others were written. Ordinary messages go the client's way. Safe to call again.
 */
export function installProduceProtocol(): void {
  if (isPatched(Produce, "produce")) return;
  const original = Produce.protocol;
  Produce.protocol = ({ version }) => withEncodedBatches(original({ version }));
}

function withEncodedBatches(build: ProduceVersion): ProduceVersion {
  return (produce) => {
    const { request, response } = build(produce);
    if (!isEncoded(produce)) return { request, response };
    return {
      request: { ...request, encode: async () => toPayload(encodeRequest(produce)) },
      response: { ...response, parse: async (data) => parseOutcomes(data, response.parse) },
    };
  };
}

function isEncoded({ topicData }: ProduceArguments): boolean {
  return topicData.every(({ partitions }) =>
    partitions.every(({ messages }) => messages.length === 1 && encodedOf(messages) !== undefined),
  );
}

function encodedOf(messages: readonly unknown[]): Buffer | undefined {
  const [message] = messages;
  return (message as Partial<EncodedMessage> | undefined)?.encodedBatch;
}

/** Wraps the bytes in what the client takes for one of its encoders. */
function toPayload(buffer: Buffer): { buf: Buffer; buffer: Buffer } {
  return { buf: buffer, buffer };
}

/** transactional_id acks timeout [topic [partition record_set]]: the layout of versions 3 to 7. */
function encodeRequest({ acks, timeout, topicData }: ProduceArguments): Buffer {
  const parts: Buffer[] = [int16(-1), int16(acks), int32(timeout), int32(topicData.length)];
  for (const { topic, partitions } of topicData) {
    const name = Buffer.from(topic);
    parts.push(int16(name.length), name, int32(partitions.length));
    let count = 0;
    for (const { partition, messages } of partitions) {
      const { encodedBatch, records } = messages[0] as EncodedMessage;
      parts.push(int32(partition), int32(encodedBatch.length), encodedBatch);
      count += records;
    }
    countProduced(topic, count);
  }
  return Buffer.concat(parts);
}

function int16(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeInt32BE(value);
  return buffer;
}

/** The client learns of a failure, because it renews its metadata then; the error carries the whole answer. */
async function parseOutcomes(
  data: ProduceResponse,
  parse: (data: ProduceResponse) => Promise<ProduceResponse>,
): Promise<ProduceResponse> {
  try {
    return await parse(data);
  } catch (thrown) {
    throw Object.assign(thrown as Error, { [OUTCOMES]: outcomesOf(data) });
  }
}

const OUTCOMES = Symbol("what became of each partition");

function outcomesOf({ topics }: ProduceResponse): PartitionOutcome[] {
  return topics.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partition, errorCode }) => ({
      topic: topicName,
      partition,
      error:
        errorCode === SUCCESS ? undefined : fromClientError(kafkajsErrors.createErrorFromCode(errorCode)),
    })),
  );
}

/** The answer that an error thrown by a produce request carries, if it came to an answer. */
export function outcomesIn(thrown: unknown): readonly PartitionOutcome[] | undefined {
  let error: unknown = thrown;
  for (let depth = 0; depth < 10 && typeof error === "object" && error !== null; depth += 1) {
    const outcomes = (error as { [OUTCOMES]?: readonly PartitionOutcome[] })[OUTCOMES];
    if (outcomes !== undefined) return outcomes;
    error = (error as { cause?: unknown }).cause;
  }
  return undefined;
}
