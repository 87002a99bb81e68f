import { beforeEach, describe, expect, test } from "@jest/globals";
import { withBareAdmin } from "#support/kafka-access";
import { until } from "#support/until";
import {
  names,
  record,
  runnerOptions,
  type ScratchKafka,
  startRunner,
  useScratchKafka,
} from "../fixtures/scratch-kafka.ts";
import type { Producer } from "../types.ts";

// Producer and runner on a real Kafka.

let brokers: readonly string[];
let scratch: ScratchKafka;
let producer: Producer;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

beforeEach(async () => {
  producer = scratch.kafka.producer();
});

function soon<T>(condition: () => T | Promise<T>, what: string): Promise<unknown> {
  return until(condition, { timeoutMs: 60_000, what, pollMs: 10 });
}

async function lagOf(groupId: string, topic: string): Promise<number> {
  const lags = await scratch.kafka.admin().consumerLag(groupId, topic);
  return lags.reduce((sum, { lag }) => sum + lag, 0);
}

describe("pipeline", () => {
  test("every record goes through a step into the next topic, once, in the order of its key, and is committed", async () => {
    const [input = "", output = ""] = await scratch.topics(["in", "out"]);
    const seen: string[] = [];
    await startRunner(scratch, {
      topics: [input],
      producer,
      step: ({ key, value }, settle) => settle({ produce: [{ topic: output, key, value }] }),
    });
    await startRunner(scratch, {
      groupId: `${scratch.prefix}second`,
      topics: [output],
      producer,
      step: ({ decoded }, settle) => {
        seen.push(decoded);
        settle({ produce: [] });
      },
    });
    const sends = names("n", 2_000).map((value, i) => producer.send([record(input, `key-${i % 20}`, value)]));
    await Promise.all(sends);
    await soon(() => seen.length >= 2_000, "all records");
    expect(new Set(seen).size).toBe(2_000);
    for (let key = 0; key < 20; key += 1) {
      const ofKey = seen.map((value) => Number(value.slice(1))).filter((number) => number % 20 === key);
      expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
    }
    await soon(async () => (await lagOf(`${scratch.prefix}group`, input)) === 0, "the commits");
  });

  test("keys, values, tombstones and large compressed batches arrive as they were sent (fact 14)", async () => {
    const [topic = ""] = await scratch.topics(["in"], 1);
    const sent = names("body-", 600).map((name) =>
      record(topic, name, `${name} ${"compressible ".repeat(60)}`),
    );
    sent.push(record(topic, "ключ 🔑", null), record(topic, null, "keyless"));
    const got: { key: string | null; value: string | null }[] = [];
    await producer.send(sent);
    await startRunner(scratch, {
      topics: [topic],
      producer,
      decode: ({ value }) => (value === null ? "" : value.toString()),
      step: ({ key, value }, settle) => {
        got.push({ key, value: value === null ? null : value.toString() });
        settle({ produce: [] });
      },
    });
    await soon(() => got.length === sent.length, "all records");
    expect(got).toEqual(
      sent.map(({ key, value }) => ({ key, value: value === null ? null : value.toString() })),
    );
  });

  test("a record that takes seconds delays no other, not even of its own partition (fact 4)", async () => {
    const [topic = ""] = await scratch.topics(["in"], 1);
    const settled: string[] = [];
    let finishSlow: (() => void) | undefined;
    await startRunner(scratch, {
      topics: [topic],
      producer,
      step: ({ decoded }, settle) => {
        const finish = (): void => {
          settled.push(decoded);
          settle({ produce: [] });
        };
        if (decoded === "slow") finishSlow = finish;
        else finish();
      },
    });
    await producer.send([record(topic, "slow")]);
    await soon(() => finishSlow !== undefined, "the slow record");
    for (const name of names("fast-", 20)) await producer.send([record(topic, name)]);
    await soon(() => settled.length === 20, "the fast records");
    expect(settled).not.toContain("slow");
    finishSlow?.();
  });

  test("a record that is not due waits, without a rebalance, and is stepped within 300 ms of its time, unless the process stood still (fact 9)", async () => {
    const [topic = ""] = await scratch.topics(["in"], 1);
    const stepped: { late: number }[] = [];
    let assignments = 0;
    await startRunner(scratch, {
      topics: [topic],
      producer,
      sessionTimeoutMs: 6_000,
      dueAtMs: ({ decoded }) => Number(decoded),
      onAssigned: async () => {
        assignments += 1;
      },
      step: ({ decoded }, settle) => {
        stepped.push({ late: Date.now() - Number(decoded) });
        settle({ produce: [] });
      },
    });
    const dueMs = Date.now() + 8_000;
    let [tickedMs, longestStillMs] = [Date.now(), 0];
    const ticking = setInterval(() => {
      const nowMs = Date.now();
      if (nowMs > dueMs) longestStillMs = Math.max(longestStillMs, nowMs - tickedMs);
      tickedMs = nowMs;
    }, 10);
    await producer.send([record(topic, "a", String(dueMs)), record(topic, "b", String(dueMs + 100))]);
    await soon(() => stepped.length === 2, "the due records");
    // What held the last step up shows in the tick behind it.
    const beforeMs = tickedMs;
    await soon(() => tickedMs > beforeMs, "another tick");
    clearInterval(ticking);
    for (const { late } of stepped) {
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late - longestStillMs).toBeLessThan(300);
    }
    expect(assignments).toBe(1);
  });

  test("outstanding records stay within the bound, and pausing for it delays nothing by seconds (fact 9)", async () => {
    const [topic = ""] = await scratch.topics(["in"]);
    let most = 0;
    let done = 0;
    const doneAtMs: number[] = [];
    const runner = scratch.kafka.runner(
      runnerOptions(scratch, {
        topics: [topic],
        producer,
        maxOutstandingRecords: 50,
        step: (_, settle) => {
          most = Math.max(most, runner.outstanding.records);
          setTimeout(() => {
            done += 1;
            doneAtMs.push(performance.now());
            settle({ produce: [] });
          }, 2);
        },
      }),
    );
    await producer.send(names("k", 3_000).map((key) => record(topic, key, key.padEnd(1_000, "x"))));
    await runner.start();
    await soon(() => done === 3_000, "all records");
    expect(most).toBeLessThanOrEqual(50);
    // Partitions are paused and resumed several times on the way: with the client's own 5 s each would show.
    const gapsMs = doneAtMs.slice(1).map((atMs, at) => atMs - (doneAtMs[at] ?? 0));
    expect(Math.max(...gapsMs)).toBeLessThan(4_500);
  });

  test("a commit beyond the log's end leads back to its beginning: read twice, not lost (fact 8)", async () => {
    const [topic = ""] = await scratch.topics(["in"], 1);
    await producer.send(names("n-", 5).map((key) => record(topic, key)));
    const groupId = `${scratch.prefix}group`;
    await withBareAdmin(brokers, (admin) =>
      admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: "1000" }] }),
    );
    const seen: string[] = [];
    await startRunner(scratch, {
      topics: [topic],
      producer,
      step: ({ decoded }, settle) => {
        seen.push(decoded);
        settle({ produce: [] });
      },
    });
    await soon(() => seen.length === 5, "all records");
  });

  test("a record above the broker's limit is refused alone, with a code", async () => {
    const [topic = ""] = await scratch.topics(["in"], 1);
    const huge = {
      topic,
      key: "huge",
      value: Buffer.from(Array.from({ length: 1_200_000 }, () => Math.random() * 256)),
    };
    const results = await Promise.allSettled([
      producer.send([record(topic, "a")]),
      producer.send([huge]),
      producer.send([record(topic, "b")]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { code: "record_too_large", canRetry: false } });
  });

  test("sending to a topic that does not exist fails when its time is over, and creates nothing", async () => {
    const impatient = scratch.kafka.producer({ deliveryTimeoutMs: 1_000 });
    const topic = `${scratch.prefix}missing`;
    await expect(impatient.send([record(topic, "k")])).rejects.toMatchObject({ code: "delivery_timeout" });
    expect(await withBareAdmin(brokers, (admin) => admin.listTopics())).not.toContain(topic);
  });
});
