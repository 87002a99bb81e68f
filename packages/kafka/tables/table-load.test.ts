import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import type { ClusterAdmin } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { StubFollower } from "../fixtures/stub-follower.ts";
import { record } from "../fixtures/stub-session.ts";
import { TopicTable } from "./table.ts";

// A table's loading while things are not as they should be; on a real Kafka: table.test.ts.

/** The ends of the topic's two partitions; undefined has no leader. */
let highs: (number | undefined)[];
/** The starts of their logs. */
let lows: number[];
/** The error with which a request for offsets fails. */
let refusal: KafkaError | undefined;
let asked: number;
let follower: StubFollower;
let recorder: ReturnType<typeof recordingLogger>;
let table: TopicTable<string>;

const away = new KafkaError("unavailable", "brokers are away", { canRetry: true });

beforeEach(() => {
  highs = [0, 0];
  lows = [0, 0];
  refusal = undefined;
  asked = 0;
  follower = new StubFollower();
  recorder = recordingLogger();
  const parts = { follower, admin: { run }, logger: recorder.logger, host: systemHost };
  table = new TopicTable(parts, { topic: "t", decode: ({ value }) => String(value) });
});

afterEach(() => table.close());

/** One try of the admin's, over a client that leaves leaderless partitions out. */
async function run<R>(use: (admin: ClusterAdmin) => Promise<R>): Promise<R> {
  asked += 1;
  if (refusal !== undefined) throw refusal;
  const known = highs.flatMap((high, partition) =>
    high === undefined ? [] : [{ partition, low: lows[partition] ?? 0, high }],
  );
  const admin = {
    offsets: async () => known,
    shapes: async () => new Map([["t", { leaders: highs, replicationFactor: 1 }]]),
  };
  return use(admin as unknown as ClusterAdmin);
}

function arrives(partition: number, offset: number): void {
  void follower.arrive(record(partition, offset));
}

function askedTimes(times: number): Promise<unknown> {
  return until(() => asked >= times, { timeoutMs: 20_000, what: `question ${times}` });
}

describe("loading a table", () => {
  test("goes on while Kafka is away, and says so", async () => {
    refusal = away;
    const loading = table.load();
    await askedTimes(3);
    expect(table.loaded).toBe(false);
    expect(recorder.lines).toContainEqual(
      expect.objectContaining({ level: "warn", message: "a table cannot be loaded yet" }),
    );
    refusal = undefined;
    await loading;
    expect(table.loaded).toBe(true);
  });

  test("waits for a partition that has no leader, and for what stands in it", async () => {
    highs = [1, undefined];
    const loading = table.load();
    arrives(0, 0);
    await askedTimes(2);
    highs = [1, 1];
    await askedTimes(asked + 1);
    expect(table.loaded).toBe(false);
    arrives(1, 0);
    await loading;
    expect(table.size).toBe(2);
  });

  test("ends with what no waiting heals", async () => {
    refusal = new KafkaError("not_authorized", "who are you", { canRetry: false });
    const loading = table.load();
    loading.catch(() => undefined);
    await expect(loading).rejects.toBe(refusal);
    expect(asked).toBe(1);
  });

  test("waits for nothing in a partition from which everything was removed", async () => {
    [lows, highs] = [
      [7, 0],
      [7, 1],
    ];
    let isLoaded = false;
    const loading = table.load().then(() => {
      isLoaded = true;
    });
    await askedTimes(1);
    expect(isLoaded).toBe(false);
    arrives(1, 0);
    await loading;
  });

  test("waits for no record that its log has lost since", async () => {
    highs = [9, 0];
    const loading = table.load();
    arrives(0, 3);
    await askedTimes(1);
    highs = [2, 0];
    follower.topics[0]?.onCut?.({ partition: 0, fromOffset: 4, endOffset: 2 });
    arrives(0, 1);
    await loading;
  });

  test("waits for no record that was removed since", async () => {
    highs = [9, 0];
    const loading = table.load();
    await askedTimes(1);
    follower.topics[0]?.onReadUntil?.(0, 9, Date.now());
    await loading;
  });

  test("ends when the table can never follow again, and so does every later one", async () => {
    const loading = table.load();
    loading.catch(() => undefined);
    follower.fail(new KafkaError("consumer_dead", "who are you", { canRetry: false }));
    await expect(loading).rejects.toMatchObject({ code: "consumer_dead" });
    await expect(table.failed).rejects.toMatchObject({ code: "consumer_dead" });
    await expect(table.load()).rejects.toMatchObject({ code: "consumer_dead" });
  });

  test("ends when the table is closed, and cannot begin again", async () => {
    highs = [1, 0];
    const loading = table.load();
    loading.catch(() => undefined);
    await askedTimes(1);
    await table.close();
    await expect(loading).rejects.toMatchObject({ code: "closed", canRetry: false });
    await expect(table.load()).rejects.toMatchObject({ code: "closed" });
  });
});
