import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { groupIds, removeRecordsBefore } from "#support/kafka-access";
import { names, record, type ScratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";

let brokers: readonly string[];
let scratch: ScratchKafka;
let topic: string;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

beforeEach(async () => {
  [topic = ""] = await scratch.topics(["log"], 2);
  await scratch.kafka.producer().send(names("k", 1_000).map((key) => record(topic, key)));
});

async function offsetsOf(fromOffset: number, toOffset: number): Promise<number[]> {
  const offsets: number[] = [];
  await scratch.kafka.readRange({
    topic,
    partition: 1,
    fromOffset,
    toOffset,
    onRecord: ({ partition, offset }) => {
      expect(partition).toBe(1);
      offsets.push(offset);
    },
  });
  return offsets;
}

describe("reading a range", () => {
  test("exactly the records asked for are read, in order, of one partition", async () => {
    expect(await offsetsOf(100, 300)).toEqual(Array.from({ length: 200 }, (_, i) => 100 + i));
  });

  test("a range that ends behind the log ends with the log", async () => {
    const [, second] = await scratch.kafka.admin().offsets(topic);
    expect(await offsetsOf(0, 1_000_000)).toHaveLength(second?.high ?? 0);
  });

  test("an empty range reads nothing", async () => {
    expect(await offsetsOf(50, 50)).toEqual([]);
    expect(await offsetsOf(1_000_000, 2_000_000)).toEqual([]);
  });

  test("the reader's promise is waited for, and its error ends the reading", async () => {
    let isBusy = false;
    const read: number[] = [];
    const onRecord = async ({ offset }: { offset: number }): Promise<void> => {
      expect(isBusy).toBe(false);
      isBusy = true;
      await new Promise((resolve) => setImmediate(resolve));
      isBusy = false;
      read.push(offset);
      if (offset === 20) throw new Error("enough");
    };
    const reading = scratch.kafka.readRange({ topic, partition: 0, fromOffset: 0, toOffset: 100, onRecord });
    await expect(reading).rejects.toThrow("enough");
    expect(read.at(-1)).toBe(20);
  });

  test("no consumer group is made (fact 15)", async () => {
    const during = Promise.withResolvers<string[]>();
    await scratch.kafka.readRange({
      topic,
      partition: 0,
      fromOffset: 0,
      toOffset: 1,
      onRecord: async () => during.resolve(await groupIds(brokers, scratch.prefix)),
    });
    expect(await during.promise).toEqual([]);
    expect(await groupIds(brokers, scratch.prefix)).toEqual([]);
  });

  test("what is removed while it is read is skipped, and more is read than one answer holds", async () => {
    const [large = ""] = await scratch.topics(["large"], 1);
    const producer = scratch.kafka.producer();
    // Two of them are more than one answer, and they are written one by one into batches of their own.
    for (let left = 8; left > 0; left -= 1)
      await producer.send([{ topic: large, key: "k", value: randomBytes(600_000) }]);
    const read: number[] = [];
    const onRecord = async ({ offset }: { offset: number }): Promise<void> => {
      read.push(offset);
      if (offset !== 0) return;
      await removeRecordsBefore(brokers, { topic: large, partition: 0 }, 6);
    };
    await scratch.kafka.readRange({ topic: large, partition: 0, fromOffset: 0, toOffset: 8, onRecord });
    expect(read).toEqual([0, 6, 7]);
  });
});
