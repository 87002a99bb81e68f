import { describe, expect, test } from "@jest/globals";
import type { RunnerOptions, Settle } from "#kafka";
import { Bench } from "./fixtures/bench.ts";

/** Longer than a member trusts its partitions, and than its group waits for it. */
const CUT_OFF_MS = 30_000;

const RECORD = { topic: "in", key: "k", value: Buffer.from("v") };

/** A member of the group, whose steps the test ends. */
function startMember(
  bench: Bench,
  name: string,
  options: Pick<RunnerOptions<string>, "unsureAfterSessions"> = {},
) {
  const { host, kafka } = bench.process(name);
  const steps: Settle[] = [];
  const producer = kafka.durableProducer();
  const runner = kafka.runner<string>({
    ...options,
    groupId: "g",
    topics: ["in"],
    producer,
    decode: ({ value }) => String(value),
    step: (_, settle) => void steps.push(settle),
    deadLetter: () => [],
    maxOutstandingRecords: 20,
    maxOutstandingBytes: 10_000_000,
  });
  void runner.start();
  return { host, producer, runner, steps };
}

async function soon(bench: Bench, condition: () => boolean): Promise<void> {
  for (let waits = 0; !condition() && waits < 6_000; waits += 1) await bench.pass(10);
  expect(condition()).toBe(true);
}

/** One member that has one record in hand. */
async function working(options: Parameters<typeof startMember>[2] = {}) {
  const bench = new Bench();
  bench.topics(["in", "out"], 1);
  const one = startMember(bench, "one", options);
  await bench.settled(bench.process("writer").kafka.producer().send([RECORD]));
  await soon(bench, () => one.steps.length === 1);
  const fails: Settle = (outcome) => one.steps.at(-1)?.(outcome);
  const written = () => bench.cluster.records("out").flat().length;
  return { bench, fail: () => fails({ produce: [{ ...RECORD, topic: "out" }] }), one, written };
}

describe("what a step came to before its member was cut off from Kafka", () => {
  test.each(["ends while the member trusts its partition", "ends when it does not any more"])(
    "is not written when another member has worked on the record meanwhile, where it %s",
    async (when) => {
      const { bench, fail, one, written } = await working();
      bench.cluster.cut("one");
      if (when === "ends while the member trusts its partition") fail();
      const other = startMember(bench, "other");
      await soon(bench, () => other.steps.length === 1);
      other.steps[0]?.({ produce: [] });
      await bench.pass(CUT_OFF_MS);
      if (when === "ends when it does not any more") fail();
      bench.cluster.heal("one");
      await soon(bench, () => one.runner.outstanding.records === 0);
      await bench.pass(CUT_OFF_MS);
      expect([written(), one.steps.length, one.producer.backlog.records]).toEqual([0, 1, 0]);
    },
  );

  test("is written when nobody else had the partition, and nothing is done again", async () => {
    const { bench, fail, one, written } = await working({ unsureAfterSessions: 0.3 });
    bench.cluster.cut("one");
    fail();
    await bench.pass(4_500);
    bench.cluster.heal("one");
    await soon(bench, () => one.runner.outstanding.records === 0);
    await bench.pass(CUT_OFF_MS);
    expect([written(), one.steps.length]).toEqual([1, 1]);
  });
});
