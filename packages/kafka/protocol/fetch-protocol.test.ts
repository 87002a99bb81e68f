import { createRequire } from "node:module";
import { beforeAll, describe, expect, test } from "@jest/globals";
import Fetch, { type FetchResponse } from "kafkajs/src/protocol/requests/fetch/index.js";
import { encodeByClient } from "../fixtures/client-record-batch.ts";
import { type DecodedMessage, installFetchProtocol } from "./fetch-protocol.ts";

const clientResponse: { decode(raw: Buffer): Promise<FetchResponse> } = createRequire(import.meta.url)(
  "kafkajs/src/protocol/requests/fetch/v11/response.js",
);

const GZIP = 1;
const OFFSET_OUT_OF_RANGE = 1;

beforeAll(() => {
  installFetchProtocol();
  installFetchProtocol();
});

function response(version = 11) {
  return Fetch.protocol({ version })({ topics: [], maxWaitTime: 1 }).response;
}

function int(size: 2 | 4 | 8, value: number): Buffer {
  const buffer = Buffer.alloc(size);
  if (size === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeIntBE(value, 0, size);
  return buffer;
}

interface AnswerPartition {
  readonly partition: number;
  readonly errorCode?: number;
  readonly aborted?: number;
  readonly set: Buffer;
}

/** A fetch answer of version 11 with one topic. */
function answer(partitions: readonly AnswerPartition[]): Buffer {
  const head = [
    int(4, 20),
    int(2, 0),
    int(4, 7),
    int(4, 1),
    int(2, 5),
    Buffer.from("topic"),
    int(4, partitions.length),
  ];
  const bodies = partitions.flatMap(({ partition, errorCode = 0, aborted = 0, set }) => [
    int(4, partition),
    int(2, errorCode),
    ...[100, 90, 1].map((offset) => int(8, offset)),
    int(4, aborted),
    ...Array.from({ length: aborted * 2 }, (_, i) => int(8, i)),
    int(4, -1),
    int(4, set.length),
    set,
  ]);
  return Buffer.concat([...head, ...bodies]);
}

function batch(baseOffset: number, compression = 0): Promise<Buffer> {
  const records = ["a", "b"].map((key, offsetDelta) => ({
    key,
    value: key,
    offsetDelta,
    timestampDeltaMs: 0,
  }));
  return encodeByClient({ baseOffset, firstTimestampMs: 1_000, compression, records });
}

describe("fetch protocol", () => {
  test("a partition's records come as one message that goes on behind the last of them", async () => {
    const { responses } = await response().decode(answer([{ partition: 3, set: await batch(40) }]));
    const [message] = responses[0]?.partitions[0]?.messages ?? [];
    const { offset, records } = message as DecodedMessage;
    expect(offset).toBe("41");
    expect(records.map(({ topic, partition, offset: at, key }) => [topic, partition, at, key])).toEqual([
      ["topic", 3, 40, "a"],
      ["topic", 3, 41, "b"],
    ]);
  });

  test("all but the messages is what the client's decoder reads", async () => {
    const raw = answer([
      { partition: 0, set: await batch(40) },
      { partition: 1, errorCode: OFFSET_OUT_OF_RANGE, set: Buffer.alloc(0) },
    ]);
    const withoutMessages = ({ responses, ...head }: FetchResponse): unknown => ({
      ...head,
      responses: responses.map(({ topicName, partitions }) => ({
        topicName,
        partitions: partitions.map((partition) => ({
          ...partition,
          messages: partition.messages.length > 0,
        })),
      })),
    });
    const [ours, theirs] = [await response().decode(raw), await clientResponse.decode(raw)];
    expect(withoutMessages(ours)).toEqual(withoutMessages(theirs));
  });

  test("an error of a partition is still the client's to handle", async () => {
    const { decode, parse } = response();
    const decoded = await decode(
      answer([{ partition: 1, errorCode: OFFSET_OUT_OF_RANGE, set: Buffer.alloc(0) }]),
    );
    await expect(parse(decoded)).rejects.toMatchObject({ name: "KafkaJSOffsetOutOfRange" });
  });

  test("an answer with what only the client can read is left to it as a whole", async () => {
    const sets: AnswerPartition[] = [
      { partition: 0, set: await batch(40, GZIP) },
      { partition: 0, aborted: 1, set: await batch(40) },
    ];
    for (const set of sets) {
      const { responses } = await response().decode(answer([set]));
      expect(responses[0]?.partitions[0]?.messages).toHaveLength(2);
    }
  });

  test("older brokers' answers are left to the client", () => {
    expect(response(4).decode.length).toBe(1);
    expect(response(11).decode).not.toBe(clientResponse.decode);
    expect(response(10).decode).not.toBe(response(11).decode);
  });
});
