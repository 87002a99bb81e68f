import { describe, expect, test } from "@jest/globals";
import type { ClusterRequest, Decision, Faults } from "./faults.ts";
import { Bench } from "./fixtures/bench.ts";

// What a decision makes of a request, seen through the product's own client code.

/** Decides the first requests of one kind, then lets everything pass. */
class First implements Faults {
  readonly #api: ClusterRequest["api"];
  readonly #decisions: Decision[];
  asked = 0;

  constructor(api: ClusterRequest["api"], decisions: readonly Decision[]) {
    this.#api = api;
    this.#decisions = [...decisions];
  }

  decide({ api }: ClusterRequest): Decision {
    if (api !== this.#api) return { kind: "pass" };
    this.asked += 1;
    return this.#decisions.shift() ?? { kind: "pass" };
  }
}

const RECORD = { topic: "in", key: "k", value: Buffer.from("v") };

function benchWith(faults: Faults, partitions = 1): Bench {
  const bench = new Bench(1, { faults });
  bench.topics(["in"], partitions);
  return bench;
}

function written(bench: Bench): number {
  return bench.cluster.records("in").flat().length;
}

describe("a write", () => {
  test.each<[string, Decision, number]>([
    ["that is lost is not there, and is written by the next try", { kind: "lose_request" }, 1],
    ["whose answer is lost is there, and once more by the next try", { kind: "lose_answer" }, 2],
    ["that is refused is written by the next try", { kind: "refuse", error: "NOT_LEADER_FOR_PARTITION" }, 1],
    ["that is late is there once", { kind: "delay", requestMs: 2_000 }, 1],
    [
      "that the answer leaves out is written by the next try (fact 1)",
      { kind: "leave_out", only: () => true },
      1,
    ],
  ])("%s", async (_, decision, times) => {
    const bench = benchWith(new First("produce", [decision]));
    const { kafka } = bench.process("one");
    await bench.settled(kafka.producer().send([RECORD]));
    expect(written(bench)).toBe(times);
  });

  test("of a process that is killed with it under way never settles; what a broker had done stays", async () => {
    const bench = benchWith(new First("produce", []));
    const one = bench.process("one");
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    one.kafka.producer().send([RECORD]).then(settled, settled);
    while (written(bench) === 0) await bench.pass(1);
    one.kill();
    await bench.pass(60_000);
    expect({ isSettled, written: written(bench) }).toEqual({ isSettled: false, written: 1 });
  });

  test("that is late does not arrive once its connection has broken", async () => {
    const bench = new Bench(1, {
      brokers: 1,
      faults: new First("produce", [{ kind: "delay", requestMs: 14_000 }]),
    });
    bench.topics(["in"], 1);
    const sent = bench.process("one").kafka.producer().send([RECORD]);
    await bench.pass(1_000);
    bench.cluster.takeBroker(1);
    await bench.pass(1_000);
    bench.cluster.bringBroker(1);
    await bench.settled(sent);
    await bench.pass(30_000);
    expect(written(bench)).toBe(1);
  });

  test("of a process that is cut off waits until it is not", async () => {
    const bench = benchWith(new First("produce", []));
    const { kafka } = bench.process("one");
    const producer = kafka.producer();
    await bench.settled(producer.send([RECORD]));
    bench.cluster.cut("one");
    const sent = producer.send([RECORD]);
    await bench.pass(10_000);
    expect(written(bench)).toBe(1);
    bench.cluster.heal("one");
    await bench.settled(sent);
    expect(written(bench)).toBe(2);
  });
});

describe("a commit", () => {
  test.each<[string, Decision, number]>([
    ["that is lost was not made", { kind: "lose_request", noticedAfterMs: 500 }, 0],
    ["whose answer is lost was made", { kind: "lose_answer", noticedAfterMs: 500 }, 1],
  ])("%s, and is tried again", async (_, decision, madeBefore) => {
    const bench = benchWith(new First("commit", [decision]));
    const { kafka } = bench.process("one");
    const producer = kafka.producer();
    const reading = kafka.runner<string>({
      groupId: "g",
      topics: ["in"],
      producer,
      decode: ({ value }) => String(value),
      step: (_record, settle) => settle({ produce: [] }),
      deadLetter: () => [],
      maxOutstandingRecords: 10,
      maxOutstandingBytes: 1_000_000,
    });
    await bench.settled(reading.start());
    await bench.settled(producer.send([RECORD]));
    await bench.pass(400);
    expect(bench.cluster.commits).toHaveLength(madeBefore);
    await bench.pass(4_000);
    expect(bench.cluster.commits.at(-1)).toMatchObject({ offset: 1, process: "one", isOwner: true });
  });
});
