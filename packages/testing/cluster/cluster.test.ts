import { describe, expect, test } from "@jest/globals";
import type { Kafka, OutgoingRecord, Runner } from "#kafka";
import { type Faults, PASS } from "./faults.ts";
import { Bench } from "./fixtures/bench.ts";

// The product's producer, runner, table and range reader on the simulated cluster.

function records(topic: string, from: number, to: number): OutgoingRecord[] {
  return Array.from({ length: to - from }, (_, i) => ({
    topic,
    key: `k${from + i}`,
    value: Buffer.from(`v${from + i}`),
  }));
}

/** Adds the values that it reads to `seen`. */
function runner(kafka: Kafka, seen: string[] = []): Runner {
  return kafka.runner<string>({
    groupId: "g",
    topics: ["in"],
    decode: ({ value }) => String(value),
    step: ({ decoded }, settle) => {
      seen.push(decoded);
      settle({ produce: [] });
    },
    deadLetter: () => [],
    maxOutstandingRecords: 1_000,
    maxOutstandingBytes: 10_000_000,
    handsOverQuickly: true,
    producer: kafka.producer(),
  });
}

function expectAllCommitted({ cluster }: Bench): void {
  const highs = cluster.bounds("in").map(({ high }, partition) => [partition, high] as const);
  expect(new Map(cluster.committed("g", "in"))).toEqual(new Map(highs));
}

describe("the product on the simulated cluster", () => {
  test("what is sent is read by one member, and committed", async () => {
    const bench = new Bench();
    bench.topics(["in"]);
    const { kafka } = bench.process("one");
    const seen: string[] = [];
    const reading = runner(kafka, seen);
    await bench.settled(reading.start());
    await bench.settled(kafka.producer().send(records("in", 0, 500)));
    await bench.pass(2_000);
    expect(new Set(seen).size).toBe(500);
    expect(seen).toHaveLength(500);
    expectAllCommitted(bench);
  });

  test("two members share the partitions, and one that is killed is missed after its session", async () => {
    const bench = new Bench();
    bench.topics(["in"]);
    const [one, two] = [bench.process("one"), bench.process("two")];
    const first = runner(one.kafka);
    const second = runner(two.kafka);
    await bench.settled(Promise.all([first.start(), second.start()]));
    await bench.pass(3_000);
    expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]);
    one.kill();
    await bench.pass(5_000);
    expect(second.assigned).toHaveLength(2);
    await bench.pass(3_000);
    expect(second.assigned).toHaveLength(4);
  });

  test("a member that is stopped while it joins leaves its group", async () => {
    const bench = new Bench();
    bench.topics(["in"]);
    const [one, two] = [bench.process("one"), bench.process("two")];
    const first = runner(one.kafka);
    await bench.settled(first.start());
    const second = runner(two.kafka);
    void second.start();
    while (bench.cluster.members("g").length < 2) await bench.pass(1);
    await bench.settled(second.stop(1_000));
    await bench.pass(2_000);
    expect(bench.cluster.members("g").map(({ process }) => process)).toEqual(["one"]);
    expect(first.assigned).toHaveLength(4);
  });

  test("a member whose assignment was lost on its way asks for it again, and reads on", async () => {
    const lost = new Set(["one"]);
    const faults: Faults = {
      decide: ({ api, process }) =>
        api === "sync" && isSecond && lost.delete(process)
          ? { kind: "lose_answer", noticedAfterMs: 1_000 }
          : PASS,
    };
    let isSecond = false;
    const bench = new Bench(1, { faults });
    bench.topics(["in"]);
    const [one, two] = [bench.process("one"), bench.process("two")];
    const seen: string[] = [];
    const first = runner(one.kafka, seen);
    await bench.settled(first.start());
    isSecond = true;
    const second = runner(two.kafka);
    await bench.settled(second.start());
    await bench.pass(15_000);
    expect(lost.size).toBe(0);
    expect(first.assigned.length + second.assigned.length).toBe(4);
    await bench.settled(two.kafka.producer().send(records("in", 0, 500)));
    await bench.pass(2_000);
    expect(seen.length).toBeGreaterThan(0);
    expectAllCommitted(bench);
  });

  test("a table is loaded and followed", async () => {
    const bench = new Bench();
    bench.topics(["config"], 2, { policy: "compact" });
    const { kafka } = bench.process("one");
    await bench.settled(kafka.producer().send(records("config", 0, 50)));
    const table = kafka.table<string>({ topic: "config", decode: ({ value }) => String(value) });
    await bench.settled(table.load());
    expect(table.size).toBe(50);
    await bench.settled(kafka.producer().send([{ topic: "config", key: "k1", value: null }]));
    await bench.pass(300);
    expect(table.size).toBe(49);
    await bench.settled(table.close());
    expect(bench.cluster.groups).toEqual([]);
  });

  test("a range is read over what retention removed", async () => {
    const bench = new Bench();
    bench.topics(["in"], 1);
    const { kafka } = bench.process("one");
    await bench.settled(kafka.producer().send(records("in", 0, 100)));
    bench.cluster.removeBefore({ topic: "in", partition: 0 }, 40);
    const offsets: number[] = [];
    await bench.settled(
      kafka.readRange({
        topic: "in",
        partition: 0,
        fromOffset: 10,
        toOffset: 90,
        onRecord: ({ offset }) => void offsets.push(offset),
      }),
    );
    expect([offsets[0], offsets.at(-1), offsets.length]).toEqual([40, 89, 50]);
  });

  test("after an unclean election what is written where others were lost is read, and committed", async () => {
    const bench = new Bench();
    bench.topics(["in"], 1);
    const { kafka } = bench.process("one");
    const seen: string[] = [];
    const reading = runner(kafka, seen);
    await bench.settled(reading.start());
    const producer = kafka.producer();
    await bench.settled(producer.send(records("in", 0, 10)));
    // Clocks are trusted to be 10 s apart: what was written before that is not read again.
    await bench.pass(15_000);
    await bench.settled(producer.send(records("in", 10, 20)));
    await bench.settled(producer.send(records("in", 20, 30)));
    await bench.pass(2_000);
    bench.cluster.electUncleanly({ topic: "in", partition: 0 }, 15);
    expect(bench.cluster.bounds("in")).toEqual([{ low: 0, high: 10 }]);
    await bench.pass(2_000);
    await bench.settled(producer.send(records("in", 30, 35)));
    await bench.pass(20_000);
    expect(seen.slice(30)).toEqual(["v30", "v31", "v32", "v33", "v34"]);
    expect(bench.cluster.committed("g", "in")).toEqual(new Map([[0, 15]]));
  });

  test("leaders move and brokers come and go: nothing that was acknowledged is missing", async () => {
    const bench = new Bench();
    bench.topics(["in"]);
    const { kafka } = bench.process("one");
    const seen: string[] = [];
    const reading = runner(kafka, seen);
    await bench.settled(reading.start());
    const producer = kafka.producer();
    for (let round = 0; round < 6; round += 1) {
      const sent = producer.send(records("in", round * 50, round * 50 + 50));
      bench.cluster.moveLeaders();
      if (round === 2) bench.cluster.takeBroker(1);
      if (round === 4) bench.cluster.bringBroker(1);
      await bench.settled(sent);
    }
    await bench.pass(20_000);
    expect(new Set(seen).size).toBe(300);
    expectAllCommitted(bench);
    await bench.settled(reading.stop(1_000));
    expect(bench.cluster.members("g")).toEqual([]);
  });
});
