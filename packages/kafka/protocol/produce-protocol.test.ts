import { beforeAll, describe, expect, test } from "@jest/globals";
import Produce, { type ProduceArguments } from "kafkajs/src/protocol/requests/produce/index.js";
import { encodeRecordBatch } from "./encode-record-batch.ts";
import { type EncodedMessage, installProduceProtocol, outcomesIn } from "./produce-protocol.ts";
import { producedTo } from "./request-counts.ts";

beforeAll(() => {
  installProduceProtocol();
  installProduceProtocol();
});

const batch = encodeRecordBatch([{ key: "k", value: Buffer.from("v") }], 0);

function exchange(messages: readonly unknown[]) {
  const topicData = [{ topic: "t", partitions: [{ partition: 3, messages }] }];
  return Produce.protocol({ version: 7 })({ acks: -1, timeout: 500, topicData });
}

function encoded(): EncodedMessage {
  return { partition: 3, value: Buffer.alloc(0), encodedBatch: batch, records: 1 };
}

describe("produce protocol", () => {
  test("an encoded batch goes out as it is, behind the request's head", async () => {
    const { buffer } = (await exchange([encoded()]).request.encode()) as { buffer: Buffer };
    const head = "ffff" + "ffff" + "000001f4" + "00000001" + "0001" + "74" + "00000001" + "00000003";
    expect(buffer.toString("hex")).toBe(
      head + batch.length.toString(16).padStart(8, "0") + batch.toString("hex"),
    );
  });

  test("a request is counted for each topic that it carries, with the topic's records", async () => {
    const messages = [{ ...encoded(), records: 3 }];
    const partitions = [0, 1].map((partition) => ({ partition, messages }));
    const topicData = ["counted-a", "counted-b"].map((topic) => ({ topic, partitions }));
    const { request } = Produce.protocol({ version: 7 })({ acks: -1, timeout: 500, topicData });
    expect(producedTo("counted-a")).toEqual({ requests: 0, records: 0 });
    await request.encode();
    await request.encode();
    expect(producedTo("counted-a")).toEqual({ requests: 2, records: 12 });
    expect(producedTo("counted-b")).toEqual({ requests: 2, records: 12 });
  });

  test("ordinary messages still go the client's way", async () => {
    const { buffer } = (await exchange([{ key: "k", value: "v" }]).request.encode()) as { buffer: Buffer };
    expect(buffer.includes("k")).toBe(true);
    expect(buffer.includes(batch)).toBe(false);
  });

  test("a failed request tells what became of each of its partitions", async () => {
    const { response } = exchange([encoded()]);
    const answer = {
      topics: [
        {
          topicName: "t",
          partitions: [
            { partition: 0, errorCode: 0 },
            { partition: 1, errorCode: 6 },
            { partition: 2, errorCode: 10 },
          ],
        },
      ],
    };
    const thrown = await response.parse(answer).catch((error: unknown) => error);
    expect(outcomesIn(new Error("wrapped", { cause: thrown }))).toEqual([
      { topic: "t", partition: 0, error: undefined },
      { topic: "t", partition: 1, error: expect.objectContaining({ canRetry: true }) },
      {
        topic: "t",
        partition: 2,
        error: expect.objectContaining({ code: "record_too_large", canRetry: false }),
      },
    ]);
  });

  test("messages of which not every one is an encoded batch go the client's way", async () => {
    const ordinary = { key: "k", value: "v" };
    for (const messages of [
      [encoded(), ordinary],
      [encoded(), encoded()],
    ]) {
      const { buffer } = (await exchange(messages).request.encode()) as { buffer: Buffer };
      expect(buffer.includes(batch)).toBe(false);
    }
    const partitions = [encoded(), ordinary].map((message, partition) => ({
      partition,
      messages: [message],
    }));
    const [one, other] = partitions.map((partition) => ({ topic: "t", partitions: [partition] }));
    for (const topicData of [[{ topic: "t", partitions }], [one, { ...other, topic: "u" }]]) {
      const { request } = Produce.protocol({ version: 7 })({
        acks: -1,
        timeout: 500,
        topicData,
      } as ProduceArguments);
      const { buffer } = (await request.encode()) as { buffer: Buffer };
      expect(buffer.includes(batch)).toBe(false);
    }
  });

  test("the outcomes of an error are looked for in the tenth of its causes, and not without end", async () => {
    const answer = { topics: [{ topicName: "t", partitions: [{ partition: 0, errorCode: 6 }] }] };
    const thrown = await exchange([encoded()])
      .response.parse(answer)
      .catch((error: unknown) => error);
    const wrapped = (times: number) =>
      Array.from({ length: times }).reduce((cause) => new Error("wrapped", { cause }), thrown);
    expect([outcomesIn(wrapped(9))?.length, outcomesIn(wrapped(10))]).toEqual([1, undefined]);
    const endless = new Error("its own cause");
    endless.cause = endless;
    expect(outcomesIn(endless)).toBeUndefined();
  });

  test("an error without an answer has no outcomes", () => {
    expect(outcomesIn(new Error("connection lost"))).toBeUndefined();
    expect(outcomesIn(undefined)).toBeUndefined();
  });
});
