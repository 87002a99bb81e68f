import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import type { Bounds, Polled } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { StubPollClient } from "../fixtures/stub-poll-client.ts";
import { record } from "../fixtures/stub-session.ts";
import type { FollowedTopic, Following } from "../types.ts";
import { Follower } from "./follower.ts";

let host: TestHost;
let client: StubPollClient;
let recorder: ReturnType<typeof recordingLogger>;
let bounds: Bounds | undefined;
let follower: Follower;
/** Partition and offset of each record, in the order in which they were told. */
let told: string[];

const away = new KafkaError("unavailable", "brokers are away", { canRetry: true });
const notLeader = new KafkaError("unavailable", "not the leader", { canRetry: true });

beforeEach(() => {
  host = new TestHost();
  client = new StubPollClient();
  recorder = recordingLogger();
  bounds = { low: 0, high: 0 };
  told = [];
  const range = { bounds: async () => bounds };
  follower = new Follower({ client, range, logger: recorder.logger, host });
});

afterEach(async () => {
  follower.close();
  await client.close();
});

function topic(more: Partial<FollowedTopic> = {}): FollowedTopic {
  return {
    topic: "t",
    onRecords: (partition, records) =>
      void told.push(...records.map(({ offset }) => `${partition}:${offset}`)),
    ...more,
  };
}

/** Asked for by now. */
async function followed(more?: Partial<FollowedTopic>): Promise<Following> {
  const following = follower.follow(topic(more));
  await host.advance(0);
  return following;
}

function brought(partition: number, ...offsets: number[]): Polled {
  const records = offsets.map((offset) => record(partition, offset));
  const nextOffset = (offsets.at(-1) ?? 0) + 1;
  return { topic: "t", partition, kind: "records", records, nextOffset, end: nextOffset };
}

/** Offsets of the newest poll, by partition. */
function asked(): Record<string, number> {
  const wanted = client.polls.at(-1)?.wanted ?? [];
  return Object.fromEntries(wanted.map((each) => [`${each.topic}-${each.partition}`, each.offset]));
}

async function answered(answer: readonly Polled[] | Error): Promise<void> {
  client.answer(answer);
  await host.advance(0);
  await host.advance(5);
}

describe("what is followed", () => {
  test("is of a topic the partitions that are taken; each of it is asked about first", async () => {
    client.leading = [1, 1, 1, 1];
    const steps: string[] = [];
    const takes = (partition: number): boolean => {
      steps.push(`takes ${partition}`);
      return partition % 2 === 1;
    };
    await followed({ takes, from: (partition) => 10 * partition });
    expect(steps).toEqual(["takes 0", "takes 1", "takes 2", "takes 3"]);
    expect(asked()).toEqual({ "t-1": 10, "t-3": 30 });
  });

  test("is asked for in one request to each broker, of all topics, and goes on behind what was read", async () => {
    client.leading = [1, 2, 1];
    follower.follow(topic());
    await followed({ topic: "u", from: (partition) => 10 * partition });
    await answered([]);
    await answered([]);
    await answered([]);
    const last = new Map(client.polls.map(({ broker, wanted }) => [broker, wanted]));
    expect(last.get(1)?.map(({ topic: name, partition, offset }) => [name, partition, offset])).toEqual([
      ["t", 0, 0],
      ["t", 2, 0],
      ["u", 0, 0],
      ["u", 2, 20],
    ]);
    expect(last.get(2)?.map(({ offset }) => offset)).toEqual([0, 10]);
  });

  test("is told in order; a partition that is at work holds no other back", async () => {
    client.leading = [1, 1];
    const working = Promise.withResolvers<void>();
    await followed({
      onRecords: (partition, records) => {
        told.push(...records.map(({ offset }) => `${partition}:${offset}`));
        return partition === 0 ? working.promise : undefined;
      },
    });
    await answered([brought(0, 0, 1), brought(1, 0)]);
    await host.advance(100);
    expect(asked()).toEqual({ "t-1": 1 });
    await answered([brought(1, 1)]);
    expect(told).toEqual(["0:0", "0:1", "1:0", "1:1"]);
    working.resolve();
    await host.advance(0);
    await answered([]);
    await host.advance(100);
    expect(asked()).toEqual({ "t-0": 2, "t-1": 2 });
  });

  test("is asked for no more often than it wants while records come, and the others are", async () => {
    client.leading = [1];
    follower.follow(topic({ everyMs: 500 }));
    await followed({ topic: "u" });
    await answered([]);
    await answered([brought(0, 0)]);
    expect(asked()).toEqual({ "u-0": 0 });
    expect(client.polls.at(-1)?.maxWaitMs).toBeLessThanOrEqual(500);
    await answered([]);
    expect(asked()).toEqual({ "u-0": 0 });
    await host.advance(500);
    await answered([]);
    expect(asked()).toEqual({ "t-0": 1, "u-0": 0 });
  });

  test("waits at its broker for a quarter of the time since one was added, but 25 ms at least and five seconds at most; the next one that is added ends the wait", async () => {
    await followed();
    const waits = [client.polls.at(-1)?.maxWaitMs];
    for (const passMs of [20, 380, 1_601, 20_000]) {
      await host.advance(passMs);
      await answered([]);
      waits.push(client.polls.at(-1)?.maxWaitMs);
    }
    follower.follow(topic({ topic: "u" }));
    await host.advance(5);
    expect(asked()).toEqual({ "t-0": 0, "u-0": 0 });
    waits.push(client.polls.at(-1)?.maxWaitMs);
    // The answers themselves take some milliseconds.
    const around = waits.map((ms = 0) => Math.floor(ms / 25) * 25);
    expect(around).toEqual([25, 25, 100, 500, 5_000, 25]);
  });

  test("by two, of whom one is behind, is asked for once and told to each from its place on", async () => {
    const others: number[] = [];
    follower.follow(topic());
    await followed({
      from: () => 1,
      onRecords: (_, records) => void others.push(...records.map(({ offset }) => offset)),
    });
    await answered([]);
    await answered([]);
    expect(client.polls.at(-1)?.wanted).toEqual([{ topic: "t", partition: 0, offset: 0 }]);
    await answered([brought(0, 0, 1)]);
    expect([told, others]).toEqual([["0:0", "0:1"], [1]]);
  });

  test("is said to be read up to a time when it is dealt with, and nothing more was there", async () => {
    const reached: [number, number][] = [];
    const working = Promise.withResolvers<void>();
    await followed({
      onRecords: () => working.promise,
      onReadUntil: (_, nextOffset, atMs) => void reached.push([nextOffset, atMs]),
    });
    const beganAtMs = host.now();
    await answered([brought(0, 0)]);
    expect(reached).toEqual([]);
    working.resolve();
    await host.advance(0);
    expect(reached).toEqual([[1, beganAtMs]]);
    await host.advance(60);
    await answered([{ topic: "t", partition: 0, kind: "nothing", end: 3 }]);
    expect(reached).toHaveLength(1);
    await answered([{ topic: "t", partition: 0, kind: "nothing", end: 1 }]);
    expect(reached).toHaveLength(2);
  });

  test("that is closed is told nothing any more, and not asked for", async () => {
    const following = follower.follow(topic());
    await followed({ topic: "u" });
    await answered([]);
    following.close();
    await answered([brought(0, 0)]);
    await answered([]);
    expect(told).toEqual([]);
    expect(asked()).toEqual({ "u-0": 0 });
  });
});

describe("following goes on", () => {
  test("after a failure, where it was, when the leaders are known again", async () => {
    await followed();
    await answered([brought(0, 0)]);
    await answered(away);
    expect(client.renewals).toBe(0);
    await host.advance(100);
    expect(client.renewals).toBe(1);
    expect(asked()).toEqual({ "t-0": 1 });
    expect(recorder.lines).toContainEqual(
      expect.objectContaining({ level: "warn", message: "a topic cannot be followed yet" }),
    );
  });

  test("with one line in 30 s for all topics of a broker that is away", async () => {
    for (const name of ["t", "u", "v"]) follower.follow(topic({ topic: name }));
    await host.advance(0);
    await answered([]);
    client.leading = away;
    await answered(away);
    await host.advance(29_000);
    expect(recorder.lines).toMatchObject([{ fields: { failures: 1 } }]);
    await host.advance(71_000);
    expect(recorder.lines).toMatchObject([{ fields: { failures: 1 } }, { fields: { failures: 64 } }]);
  });

  test("at another broker, for the partition alone that has moved", async () => {
    client.leading = [1, 1];
    await followed();
    client.leading = [1, 2];
    await answered([brought(0, 0), { topic: "t", partition: 1, kind: "refused", error: notLeader }]);
    await host.advance(100);
    const brokers = client.polls.filter(({ wanted }) => wanted.some(({ partition }) => partition === 1));
    expect(brokers.map(({ broker }) => broker)).toEqual([1, 2]);
    expect(told).toEqual(["0:0"]);
  });

  test("once the topic is there", async () => {
    client.leading = new KafkaError("unknown_topic", "not there", { canRetry: true });
    await followed();
    client.leading = [];
    await host.advance(100);
    expect(client.polls).toEqual([]);
    client.leading = [1];
    await host.advance(200);
    expect(asked()).toEqual({ "t-0": 0 });
  });

  test("once a partition has a leader; the others are read meanwhile", async () => {
    client.leading = [1, -1];
    await followed();
    expect(asked()).toEqual({ "t-0": 0 });
    client.leading = [1, 2];
    await host.advance(200);
    expect(client.polls.at(-1)).toMatchObject({ broker: 2, wanted: [{ partition: 1 }] });
  });

  test("behind what retention has removed", async () => {
    await followed();
    bounds = { low: 7, high: 9 };
    await answered([{ topic: "t", partition: 0, kind: "out_of_range" }]);
    await host.advance(60);
    expect(asked()).toEqual({ "t-0": 7 });
  });

  test("from the beginning of a log that ends before what was read, and that is told", async () => {
    const cuts: unknown[] = [];
    await followed({ from: () => 20, onCut: (cut) => void cuts.push(cut) });
    bounds = { low: 2, high: 12 };
    await answered([{ topic: "t", partition: 0, kind: "out_of_range" }]);
    await host.advance(60);
    expect(asked()).toEqual({ "t-0": 2 });
    expect(cuts).toEqual([{ partition: 0, fromOffset: 20, endOffset: 12 }]);
  });

  test("where it was, when a leader has just become one", async () => {
    const cuts: unknown[] = [];
    await followed({ from: () => 5, onCut: (cut) => void cuts.push(cut) });
    bounds = { low: 0, high: 9 };
    await answered([{ topic: "t", partition: 0, kind: "out_of_range" }]);
    await host.advance(150);
    expect([asked(), cuts, client.polls.length]).toEqual([{ "t-0": 5 }, [], 2]);
  });

  test("until it is refused for good", async () => {
    const following = await followed();
    const error = new KafkaError("not_authorized", "who are you", { canRetry: false });
    await answered([{ topic: "t", partition: 0, kind: "refused", error }]);
    await expect(following.failed).rejects.toMatchObject({ code: "consumer_dead", cause: error });
    await host.advance(10_000);
    expect(client.polls).toHaveLength(1);
  });

  test("more and more rarely where its leader refuses a partition", async () => {
    const refusal: Polled = { topic: "t", partition: 0, kind: "refused", error: notLeader };
    client.answers.push(...new Array<[Polled]>(40).fill([refusal]));
    follower.follow(topic());
    for (let ms = 0; ms < 5_000; ms += 50) await host.advance(50);
    // The polls come after 50, 100, 200, 400 and 800 ms, then each second.
    expect(client.polls.length).toBe(9);
    expect(client.renewals).toBe(8);
  });

  test("more and more rarely where the topic was created again with fewer partitions, which is said", async () => {
    client.leading = [1, 1];
    await followed();
    await answered([]);
    client.leading = [1];
    await answered([{ topic: "t", partition: 1, kind: "refused", error: notLeader }]);
    for (let ms = 0; ms < 60_000; ms += 50) await host.advance(50);
    expect(client.renewals).toBeLessThan(70);
    expect(recorder.lines.at(-1)?.fields).toMatchObject({ error: "t has no partition 1 any more" });
    client.leading = [1, 1];
    await host.advance(1_100);
    await answered([]);
    expect(asked()).toEqual({ "t-0": 0, "t-1": 0 });
  });

  test("no more when it is closed, without a word", async () => {
    await followed();
    follower.close();
    await host.advance(0);
    await host.advance(10_000);
    expect([client.polls.length, recorder.lines]).toEqual([1, []]);
  });
});
