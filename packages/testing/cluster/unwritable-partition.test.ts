import { expect, test } from "@jest/globals";
import { Bench } from "./fixtures/bench.ts";

const PARTITIONS = 2;
const RECORDS = 100;

test("a partition that takes no writes holds back what it is read from, and nothing else; writable again, it gets everything", async () => {
  let isWritable = false;
  const bench = new Bench(1, {
    faults: {
      decide: ({ api, partitions = [] }) =>
        !isWritable && api === "produce" && partitions.some(({ topic }) => topic === "out")
          ? { kind: "refuse", error: "NOT_ENOUGH_REPLICAS", only: ({ partition }) => partition === 0 }
          : { kind: "pass" },
    },
  });
  bench.topics(["in", "out"], PARTITIONS);
  const { kafka } = bench.process("one");
  const runner = kafka.runner<string>({
    groupId: "g",
    topics: ["in"],
    producer: kafka.durableProducer(),
    decode: ({ value }) => String(value),
    step: ({ key, value }, settle) => settle({ produce: [{ topic: "out", key, value }] }),
    deadLetter: () => [],
    maxOutstandingRecords: 20,
    maxOutstandingBytes: 10_000_000,
    maxUnwrittenRecords: 5,
  });
  await bench.settled(runner.start());
  const writer = bench.process("writer").kafka.producer();
  const records = Array.from({ length: RECORDS }, (_, index) => ({
    topic: "in",
    key: `k${index}`,
    value: Buffer.from("v"),
  }));
  // The second hundred comes when the partition has held back what it can.
  for (let times = 0; times < 2; times += 1) {
    await bench.settled(writer.send(records));
    await bench.pass(30_000);
  }
  const counts = (topic: string) => bench.cluster.records(topic).map(({ length }) => length);
  const [, others] = counts("in");
  expect([counts("out"), runner.outstanding.records]).toEqual([[0, others], 5]);
  isWritable = true;
  await bench.pass(60_000);
  expect([counts("out"), runner.outstanding.records]).toEqual([counts("in"), 0]);
});
