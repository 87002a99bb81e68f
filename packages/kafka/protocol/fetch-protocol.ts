import Fetch, {
  type FetchedPartition,
  type FetchResponse,
  type FetchVersion,
} from "kafkajs/src/protocol/requests/fetch/index.js";
import type { RawRecord } from "../types.ts";
import { decodeRecordSet } from "./decode-record-batch.ts";
import { isPatched } from "./patched.ts";

/** The version that every broker since Kafka 2.3 speaks; older ones go the client's way. */
const VERSION = 11;

/** All of one partition's fetched records, disguised as the one message that the client believes to hand on. */
export interface DecodedMessage {
  /** The offset of the last record: where the client goes on. */
  readonly offset: string;
  readonly key: null;
  readonly value: null;
  readonly isControlRecord: false;
  readonly records: readonly RawRecord[];
}

/**
 * Reads fetch answers in one pass into records as they are used here; the client builds a dozen objects and several big integers
 * for each. What only the client can read (see decodeRecordSet) is left to it. Safe to call again.
 */
export function installFetchProtocol(): void {
  if (isPatched(Fetch, "fetch")) return;
  const original = Fetch.protocol;
  Fetch.protocol = ({ version }) =>
    version === VERSION ? withOwnDecoding(original({ version })) : original({ version });
}

function withOwnDecoding(build: FetchVersion): FetchVersion {
  return (fetch) => {
    const made = build(fetch);
    const { response } = made;
    const decode = async (raw: Buffer): Promise<FetchResponse> => decodeAnswer(raw) ?? response.decode(raw);
    return { ...made, response: { ...response, decode } };
  };
}

/** throttle_time error_code session_id [topic [partition_header record_set]], or undefined where the client has to read it. */
function decodeAnswer(raw: Buffer): FetchResponse | undefined {
  const reader = new AnswerReader(raw);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses: { topicName: string; partitions: FetchedPartition[] }[] = [];
  for (let topics = reader.int32(); topics > 0; topics -= 1) {
    const topicName = reader.string();
    const partitions: FetchedPartition[] = [];
    for (let left = reader.int32(); left > 0; left -= 1) {
      const partition = decodePartition(reader, topicName);
      if (partition === undefined) return undefined;
      partitions.push(partition);
    }
    responses.push({ topicName, partitions });
  }
  // The broker has not throttled; it expects the client to (KIP-219), as the client's own decoder says too.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

function decodePartition(reader: AnswerReader, topic: string): FetchedPartition | undefined {
  const partition = reader.int32();
  const header = {
    partition,
    errorCode: reader.int16(),
    highWatermark: reader.int64(),
    lastStableOffset: reader.int64(),
    lastStartOffset: reader.int64(),
  };
  if (reader.int32() > 0) return undefined; // aborted transactions
  const preferredReadReplica = reader.int32();
  const set = reader.bytes();
  const messages = set.length === 0 ? [] : decodeMessages(set, topic, partition);
  return messages === undefined
    ? undefined
    : { ...header, abortedTransactions: [], preferredReadReplica, messages };
}

function decodeMessages(set: Buffer, topic: string, partition: number): DecodedMessage[] | undefined {
  const decoded = decodeRecordSet(set, { topic, partition });
  if (decoded === undefined) return undefined;
  const { records, lastOffset } = decoded;
  if (lastOffset === undefined) return [];
  return [{ offset: String(lastOffset), key: null, value: null, isControlRecord: false, records }];
}

class AnswerReader {
  readonly #raw: Buffer;
  #at = 0;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  int16(): number {
    this.#at += 2;
    return this.#raw.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#raw.readInt32BE(this.#at - 4);
  }

  /** Reads an int64 as text, as the client keeps them. */
  int64(): string {
    this.#at += 8;
    return String(this.#raw.readBigInt64BE(this.#at - 8));
  }

  string(): string {
    const size = this.int16();
    this.#at += size;
    return this.#raw.toString("utf8", this.#at - size, this.#at);
  }

  /** Null counts as none. */
  bytes(): Buffer {
    const size = Math.max(0, this.int32());
    this.#at += size;
    return this.#raw.subarray(this.#at - size, this.#at);
  }
}
