// Tests what the admin makes of a cluster's answers. That a cluster answers so is tested in admin.test.ts.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import type { Admin, TopicSpec } from "../admin-types.ts";
import { encodeDoneAhead } from "../consuming/done-ahead.ts";
import { KafkaError } from "../errors.ts";
import { StubAdmin } from "../fixtures/stub-admin.ts";
import { createAdmin } from "./admin.ts";
import { AdminClient } from "./admin-client.ts";
import { isTooShort } from "./topics.ts";

const EVENTS: TopicSpec = { name: "events", cleanup: { policy: "delete", retentionMs: 7_200_000 } };
const CONFIG: TopicSpec = { name: "config", cleanup: { policy: "compact" } };
const SHAPE = { partitions: 2, replicationFactor: 3, minInsyncReplicas: 2 };
const NOTHING = { created: [], differing: [], raised: [] };

let host: TestHost;
let cluster: StubAdmin;
let client: AdminClient;
let admin: Admin;

beforeEach(() => {
  host = new TestHost();
  cluster = new StubAdmin();
  client = new AdminClient(cluster, host);
  admin = createAdmin(client);
});

const passing = () => new KafkaError("unavailable", "away", { canRetry: true });

describe("topics that are asked for", () => {
  test("are created where they are missing, as they are described", async () => {
    expect(await admin.ensureTopics([EVENTS], SHAPE)).toEqual({ ...NOTHING, created: ["events"] });
    expect(await admin.ensureTopics([EVENTS, CONFIG], SHAPE)).toEqual({ ...NOTHING, created: ["config"] });
    expect(await admin.ensureTopics([EVENTS, CONFIG], SHAPE)).toEqual(NOTHING);
    expect([...cluster.topics.values()]).toEqual([
      {
        name: "events",
        partitions: 2,
        replicationFactor: 3,
        settings: {
          "cleanup.policy": "delete",
          "compression.type": "producer",
          "min.insync.replicas": "2",
          "retention.ms": "7200000",
        },
      },
      {
        name: "config",
        partitions: 2,
        replicationFactor: 3,
        settings: {
          "cleanup.policy": "compact",
          "compression.type": "producer",
          "min.insync.replicas": "2",
          "delete.retention.ms": "604800000",
        },
      },
    ]);
  });

  test("are compacted no sooner than is asked for", async () => {
    const cleanup = { policy: "compact", minCompactionLagMs: 60_000 } as const;
    await admin.ensureTopics([{ name: "changelog", cleanup }], SHAPE);
    expect(cluster.topics.get("changelog")?.settings["min.compaction.lag.ms"]).toBe("60000");
  });

  test("that are there otherwise are reported, setting by setting, and stay so", async () => {
    await admin.ensureTopics([EVENTS], { partitions: 3, replicationFactor: 1, minInsyncReplicas: 1 });
    const before = cluster.topics.get("events");
    const differing = [
      ["min.insync.replicas", "2", "1"],
      ["partitions", "2", "3"],
      ["replication factor", "3", "1"],
    ].map(([setting, wanted, found]) => ({ topic: "events", setting, wanted, found }));
    expect(await admin.ensureTopics([EVENTS], SHAPE)).toEqual({ ...NOTHING, differing });
    expect(cluster.topics.get("events")).toEqual(before);
  });

  test("are compared without a change, whether they are there or not", async () => {
    await admin.ensureTopics([EVENTS], SHAPE);
    const wanted = { ...SHAPE, partitions: 4 };
    expect(await admin.compareTopics([EVENTS, CONFIG], wanted)).toEqual({
      missing: ["config"],
      differing: [{ topic: "events", setting: "partitions", wanted: "4", found: "2" }],
    });
    const callsBefore = cluster.calls;
    expect(await admin.compareTopics([CONFIG], SHAPE)).toEqual({ missing: ["config"], differing: [] });
    // Nothing is asked of no topics: a broker may understand all of them.
    expect(cluster.calls).toBe(callsBefore + 1);
    expect([...cluster.topics.keys()]).toEqual(["events"]);
  });

  test("of whose settings nothing is known differ by all of them", async () => {
    await admin.ensureTopics([CONFIG], SHAPE);
    cluster.topics.set("config", { name: "config", partitions: 2, replicationFactor: 3, settings: {} });
    const { differing } = await admin.ensureTopics([CONFIG], SHAPE);
    expect(differing.map(({ found }) => found)).toEqual(new Array(4).fill("unknown"));
  });

  test("keep their records for as long as is asked for, where a shorter time may be raised", async () => {
    const shorter = { ...EVENTS, cleanup: { policy: "delete", retentionMs: 60_000 } } as const;
    await admin.ensureTopics([shorter], { ...SHAPE, partitions: 3 });
    const retention = { topic: "events", setting: "retention.ms", wanted: "7200000", found: "60000" };
    const partitions = { topic: "events", setting: "partitions", wanted: "2", found: "3" };
    expect(await admin.ensureTopics([EVENTS], { ...SHAPE, raiseRetention: false })).toEqual({
      ...NOTHING,
      differing: [retention, partitions],
    });
    expect(await admin.ensureTopics([EVENTS], { ...SHAPE, raiseRetention: true })).toEqual({
      ...NOTHING,
      differing: [partitions],
      raised: [retention],
    });
    expect(cluster.topics.get("events")?.settings["retention.ms"]).toBe("7200000");
  });

  test("are too short for what is asked, unless they keep records for ever", () => {
    const isShort = (found: string, setting = "retention.ms") =>
      isTooShort({ topic: "t", setting, wanted: "10", found });
    expect(["9", "10", "11", "0", "-1", "unknown"].map((found) => isShort(found))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(isShort("9", "partitions")).toBe(false);
  });
});

test("partitions are asked for a few times, or until Kafka has the topic", async () => {
  const refused = expect(admin.partitionCount("events")).rejects.toMatchObject({ code: "unknown_topic" });
  await host.advance(10_000);
  await refused;
  cluster.failures.push(...Array.from({ length: 6 }, passing));
  const waited = admin.partitionCount("events", Number.POSITIVE_INFINITY);
  await host.advance(60_000);
  await admin.ensureTopics([EVENTS], SHAPE);
  await host.advance(1_000);
  expect(await waited).toBe(2);
});

describe("offsets", () => {
  beforeEach(() => admin.ensureTopics([EVENTS], SHAPE));

  test("are those of every partition, in order", async () => {
    cluster.known = [
      { partition: 1, low: 5, high: 9 },
      { partition: 0, low: 0, high: 3 },
    ];
    const offsets = await admin.offsets("events");
    expect(offsets.map(({ partition }) => partition)).toEqual([0, 1]);
    expect(await admin.partitionCount("events")).toBe(2);
    const atTime = [1, 0].map((partition) => ({ partition, offset: 7 }));
    expect(await admin.offsetForTime("events", 7)).toEqual(atTime);
  });

  test("of a partition without a leader are waited for", async () => {
    cluster.known = [{ partition: 1, low: 5, high: 9 }];
    const offsets = admin.offsets("events");
    const atTime = admin.offsetForTime("events", 7);
    await host.advance(50);
    cluster.known.push({ partition: 0, low: 0, high: 3 });
    await host.advance(1_000);
    expect(await offsets).toHaveLength(2);
    expect(await atTime).toHaveLength(2);
  });

  test("of one partition do not wait for another without a leader", async () => {
    cluster.known = [{ partition: 1, low: 5, high: 9 }];
    expect(await admin.offsets("events", 1)).toEqual(cluster.known);
    expect(await admin.offsetForTime("events", 7, 1)).toEqual([{ partition: 1, offset: 7 }]);
    const waiting = expect(admin.offsets("events", 0)).rejects.toMatchObject({ code: "unavailable" });
    await host.advance(60_000);
    await waiting;
  });

  test("give a group's lag, which is never more than what is there, nor less than nothing", async () => {
    cluster.known = [0, 1, 2, 3].map((partition) => ({ partition, low: 5, high: 9 }));
    cluster.committed.set(0, 7).set(1, 2).set(3, 12);
    expect([...(await admin.committedOffsets("g", "events"))]).toEqual([
      [0, 7],
      [1, 2],
      [3, 12],
    ]);
    expect(await admin.consumerLag("g", "events")).toEqual([
      { partition: 0, lag: 2 },
      { partition: 1, lag: 4 },
      { partition: 2, lag: 4 },
      { partition: 3, lag: 0 },
    ]);
  });

  test("say which records a group has done behind its place", async () => {
    cluster.committed.set(0, 7).set(1, 2);
    const done = { runs: [{ from: 8, to: 10 }], newestAtMs: 1_000 };
    cluster.metadata.set(0, encodeDoneAhead(done, 7, 4_096) ?? "").set(1, "another program's");
    const places = await admin.committedPlaces("g", "events");
    const isDone = (partition: number, offset: number, timestampMs = 1_000) =>
      places.get(partition)?.isDone({ offset, timestampMs });
    expect([...places].map(([partition, { offset }]) => [partition, offset])).toEqual([
      [0, 7],
      [1, 2],
    ]);
    expect([7, 8, 9, 10].map((offset) => isDone(0, offset))).toEqual([false, true, true, false]);
    expect([isDone(0, 8, 1_001), isDone(1, 8), isDone(2, 8)]).toEqual([false, false, undefined]);
  });

  test("of a topic that is not there are none: it has no partitions, which may pass", async () => {
    const count = admin.partitionCount("none");
    const refused = expect(count).rejects.toMatchObject({ code: "unknown_topic", canRetry: true });
    await host.advance(10_000);
    await refused;
  });
});

describe("a request of the admin", () => {
  test("that fails for now is made again, four times at most, over new connections", async () => {
    cluster.failures.push(passing(), passing(), passing());
    const names = admin.topicNames();
    await host.advance(2_000);
    expect(await names).toEqual([]);
    expect([cluster.calls, cluster.resets]).toEqual([4, 3]);
    cluster.failures.push(passing(), passing(), passing(), passing());
    const refused = expect(admin.topicNames()).rejects.toMatchObject({ code: "unavailable" });
    await host.advance(2_000);
    await refused;
    expect(cluster.calls).toBe(8);
  });

  test("waits ever longer in between, from a tenth of a second on", async () => {
    cluster.failures.push(passing(), passing(), passing());
    const names = admin.topicNames();
    const calls: number[] = [];
    for (const ms of [99, 1, 199, 1, 399, 1]) {
      await host.advance(ms);
      calls.push(cluster.calls);
    }
    expect(calls).toEqual([1, 2, 2, 3, 3, 4]);
    await names;
  });

  test("about a topic that is gone leaves no connection that asks for it again", async () => {
    cluster.failures.push(new KafkaError("unknown_topic", "gone", { canRetry: true }));
    const names = admin.topicNames();
    await host.advance(1_000);
    await names;
    expect([cluster.calls, cluster.resets]).toEqual([2, 1]);
  });

  test("that can never succeed is made once; its connections are none the worse", async () => {
    cluster.failures.push(new KafkaError("not_authorized", "no", { canRetry: false }));
    await expect(admin.topicNames()).rejects.toMatchObject({ code: "not_authorized" });
    expect([cluster.calls, cluster.resets]).toEqual([1, 0]);
  });

  test("that fails for what nobody knows is made once, and the next one over new connections", async () => {
    cluster.failures.push(new KafkaError("request_failed", "?", { canRetry: false }));
    await expect(admin.topicNames()).rejects.toMatchObject({ code: "request_failed" });
    expect([cluster.calls, cluster.resets]).toEqual([1, 1]);
  });

  test("is not made any more after the end", async () => {
    cluster.failures.push(passing());
    const refused = expect(admin.topicNames()).rejects.toMatchObject({ code: "closed", canRetry: false });
    await host.advance(0);
    client.close();
    await host.advance(2_000);
    await refused;
    await expect(admin.deleteTopics(["t"])).rejects.toMatchObject({ code: "closed" });
    expect(cluster.calls).toBe(1);
  });
});
