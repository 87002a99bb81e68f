import { beforeEach, describe, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import { systemHost } from "#host";
import type { ProduceBatch, ProduceClient } from "../cluster.ts";
import { decodeRecordSet } from "./decode-record-batch.ts";
import { createProduceClient } from "./produce-client.ts";
import type { EncodedMessage } from "./produce-protocol.ts";

const TURN_BYTES = 1_000_000;

/** The content of each request: the records' keys by partition. */
let sent: { partition: number; keys: (string | null)[] }[][];
let immediates: (() => void)[];
let connections: number;
/** Those that were sent by, in the order of the requests, and those that were closed. */
let senders: number[];
let closed: number[];
/** Awaited by each connection before it is there. */
let opening: Promise<void> | undefined;
/** The configurations of the client's producers. */
let configs: (kafkajs.ProducerConfig | undefined)[];
let client: ProduceClient;

beforeEach(() => {
  sent = [];
  immediates = [];
  connections = 0;
  [senders, closed, configs, opening] = [[], [], [], undefined];
  const host = {
    ...systemHost,
    now: () => 1_700_000_000_000,
    setImmediate(work: () => void) {
      immediates.push(work);
      return { clear: () => undefined };
    },
  };
  client = createProduceClient({ producer: connect } as unknown as kafkajs.Kafka, host);
});

function connect(config?: kafkajs.ProducerConfig): Partial<kafkajs.Producer> {
  connections += 1;
  const number = connections;
  configs.push(config);
  let isOpen = true;
  return {
    connect: async () => opening,
    async disconnect() {
      isOpen = false;
      closed.push(number);
      throw new Error("it is gone already");
    },
    async sendBatch({ topicMessages = [] }) {
      if (!isOpen) throw new Error("sent by what was disconnected");
      senders.push(number);
      const messages = topicMessages.flatMap((topic) => topic.messages as unknown as EncodedMessage[]);
      sent.push(
        messages.map(({ partition, encodedBatch }) => ({ partition, keys: keysIn(encodedBatch, partition) })),
      );
      return [];
    },
  };
}

const keysIn = (batch: Buffer, partition: number) =>
  decodeRecordSet(batch, { topic: "t", partition })?.records.map(({ key }) => key) ?? [];

/** Runs what waits for this turn of the event loop, and what follows from it. */
async function runTurn(): Promise<void> {
  const due = immediates;
  immediates = [];
  for (const work of due) work();
  await new Promise(setImmediate);
}

/** A batch of that many records of that size, in one partition. */
function batchOf(partition: number, count: number, sizeBytes: number): ProduceBatch {
  const records = Array.from({ length: count }, (_, index) => ({
    record: { topic: "t", key: `${partition}-${index}`, value: Buffer.alloc(sizeBytes) },
  }));
  return { topic: "t", partition, records };
}

const keysOf = ({ partition, records }: ProduceBatch) => ({
  partition,
  keys: records.map(({ record }) => record.key),
});

describe("a request's batches are encoded", () => {
  test("at once where one turn of the event loop has room for them", async () => {
    const batches = [batchOf(0, 10, TURN_BYTES / 20 - 10), batchOf(1, 10, TURN_BYTES / 20 - 10)];
    await client.send(batches);
    expect(sent).toEqual([batches.map(keysOf)]);
    expect(immediates).toHaveLength(0);
  });

  test("a megabyte a turn where there are more, all requests together, each in its order", async () => {
    const first = [0, 1, 2, 3].map((partition) => batchOf(partition, 3, 300_000));
    const second = [4, 5, 6].map((partition) => batchOf(partition, 2, 200_000));
    const done = Promise.all([client.send(first), client.send(second)]);
    await new Promise(setImmediate);
    let turns = 0;
    for (; sent.length < 2 && turns < 20; turns += 1) await runTurn();
    await done;
    // 900 KB each of the first; twice 400 KB, and once, of the second.
    expect(turns).toBe(4 + 2);
    expect(sent).toEqual(expect.arrayContaining([first.map(keysOf), second.map(keysOf)]));
  });

  test("in turns also where their keys are what is large", async () => {
    const records = Array.from({ length: 3 }, () => ({
      record: { topic: "t", key: "k".repeat(200_000), value: null },
    }));
    const batches = [0, 1].map((partition) => ({ topic: "t", partition, records }));
    const done = client.send(batches);
    await new Promise(setImmediate);
    let turns = 0;
    for (; sent.length < 1 && turns < 20; turns += 1) await runTurn();
    await done;
    expect(turns).toBe(2);
  });

  test("and sent by the connection of before when it was put aside meanwhile, which is closed then", async () => {
    const batches = [0, 1].map((partition) => batchOf(partition, 3, 300_000));
    const done = client.send(batches);
    await new Promise(setImmediate);
    await runTurn();
    client.reset();
    expect(closed).toEqual([]);
    await runTurn();
    await done;
    expect(sent).toEqual([batches.map(keysOf)]);
    await client.send([batchOf(0, 1, 10)]);
    expect([senders, closed]).toEqual([[1, 2], [1]]);
  });
});

test("a connection that could not be opened in time leaves none behind that nobody closes", async () => {
  const slow = Promise.withResolvers<void>();
  opening = slow.promise;
  const first = client.send([batchOf(0, 1, 10)]);
  await new Promise(setImmediate);
  client.reset();
  opening = undefined;
  await client.send([batchOf(1, 1, 10)]);
  slow.reject(new Error("nobody answers"));
  await expect(first).rejects.toThrow("nobody answers");
  await client.send([batchOf(2, 1, 10)]);
  await client.close();
  expect([connections, closed]).toEqual([2, [2]]);
});

test("the client repeats nothing by itself, numbers nothing, and makes no topics (facts 1 and 2)", async () => {
  await client.send([batchOf(0, 1, 10)]);
  expect(configs).toMatchObject([
    { idempotent: false, allowAutoTopicCreation: false, retry: { retries: 0 } },
  ]);
  const choose = configs[0]?.createPartitioner?.();
  const message = { key: null, value: null };
  const choice = { topic: "t", partitionMetadata: [], message };
  expect(choose?.({ ...choice, message: { ...message, partition: 3 } })).toBe(3);
  expect(() => choose?.(choice)).toThrow("a record without a partition");
});

test("closed, it opens nothing any more", async () => {
  await client.send([batchOf(0, 1, 10)]);
  await client.close();
  await expect(client.send([batchOf(0, 1, 10)])).rejects.toMatchObject({ code: "closed" });
  expect([connections, closed]).toEqual([1, [1]]);
});
