import { describe, expect, test } from "@jest/globals";
import { until } from "#support/until";
import type { TopicSpec } from "../admin-types.ts";
import {
  names,
  record,
  type ScratchKafka,
  scratchKafka,
  useScratchKafka,
} from "../fixtures/scratch-kafka.ts";

const ONE_BROKER = { partitions: 2, replicationFactor: 1, minInsyncReplicas: 1 };

let brokers: readonly string[];
let scratch: ScratchKafka;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

describe("admin", () => {
  test("topics are created as described; a second time nothing is created and nothing differs", async () => {
    const specs: TopicSpec[] = [
      { name: `${scratch.prefix}events`, cleanup: { policy: "delete", retentionMs: 7_200_000 } },
      { name: `${scratch.prefix}config`, cleanup: { policy: "compact" } },
    ];
    const admin = scratch.kafka.admin();
    expect(await admin.ensureTopics(specs, ONE_BROKER)).toEqual({
      created: specs.map(({ name }) => name),
      differing: [],
      raised: [],
    });
    expect(await admin.ensureTopics(specs, ONE_BROKER)).toEqual({ created: [], differing: [], raised: [] });
    expect(await admin.partitionCount(`${scratch.prefix}events`)).toBe(2);
    await admin.deleteTopics(specs.map(({ name }) => name));
  });

  test("a topic that is otherwise than described is reported setting by setting, and left alone", async () => {
    const [topic = ""] = await scratch.topics(["events"], 3, { policy: "delete", retentionMs: 3_600_000 });
    const spec: TopicSpec = { name: topic, cleanup: { policy: "delete", retentionMs: 7_200_000 } };
    const admin = scratch.kafka.admin();
    for (let time = 0; time < 2; time += 1) {
      const { differing } = await admin.ensureTopics([spec], ONE_BROKER);
      expect(differing).toEqual([
        { topic, setting: "retention.ms", wanted: "7200000", found: "3600000" },
        { topic, setting: "partitions", wanted: "2", found: "3" },
      ]);
    }
  });

  test("a retention that is too short is raised where that is asked for, and nothing else is changed", async () => {
    const given = { policy: "delete", retentionMs: 3_600_000 } as const;
    const [topic = ""] = await scratch.topics(["events"], 3, given);
    const retained = (retentionMs: number): TopicSpec[] => [
      { name: topic, cleanup: { ...given, retentionMs } },
    ];
    const admin = scratch.kafka.admin();
    const raising = { ...ONE_BROKER, raiseRetention: true };
    const partitions = { topic, setting: "partitions", wanted: "2", found: "3" };
    const shorter = { topic, setting: "retention.ms", wanted: "60000", found: "3600000" };
    expect(await admin.ensureTopics(retained(60_000), raising)).toEqual({
      created: [],
      differing: [shorter, partitions],
      raised: [],
    });
    const longer = { topic, setting: "retention.ms", wanted: "7200000", found: "3600000" };
    expect(await admin.ensureTopics(retained(7_200_000), raising)).toEqual({
      created: [],
      differing: [partitions],
      raised: [longer],
    });
    const differing = async () => (await admin.ensureTopics(retained(7_200_000), ONE_BROKER)).differing;
    await until(async () => (await differing()).length === 1, {
      timeoutMs: 10_000,
      what: "the longer retention",
    });
    expect(await differing()).toEqual([partitions]);
  });

  test("two processes that create the same topics at once both succeed", async () => {
    const specs: TopicSpec[] = names(`${scratch.prefix}n`, 3).map((name) => ({
      name,
      cleanup: { policy: "compact" },
    }));
    const other = scratchKafka(brokers);
    const results = await Promise.all(
      [scratch, other].map(({ kafka }) => kafka.admin().ensureTopics(specs, ONE_BROKER)),
    );
    for (const { differing } of results) expect(differing).toEqual([]);
    await other.close();
    await scratch.kafka.admin().deleteTopics(specs.map(({ name }) => name));
  });

  test("offsets tell each partition's first and next record, also by time", async () => {
    const [topic = ""] = await scratch.topics(["events"], 1);
    const producer = scratch.kafka.producer();
    await producer.send(names("a", 3).map((key) => record(topic, key)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const betweenMs = Date.now();
    await producer.send(names("b", 2).map((key) => record(topic, key)));
    const admin = scratch.kafka.admin();
    expect(await admin.offsets(topic)).toEqual([{ partition: 0, low: 0, high: 5 }]);
    expect(await admin.offsetForTime(topic, betweenMs)).toEqual([{ partition: 0, offset: 3 }]);
    expect(await admin.offsetForTime(topic, Date.now() + 60_000)).toEqual([{ partition: 0, offset: 5 }]);
  });

  test("the lag of a group that never committed is everything", async () => {
    const [topic = ""] = await scratch.topics(["events"], 1);
    await scratch.kafka.producer().send(names("a", 3).map((key) => record(topic, key)));
    expect(await scratch.kafka.admin().consumerLag(`${scratch.prefix}nobody`, topic)).toEqual([
      { partition: 0, lag: 3 },
    ]);
  });

  test("a missing topic is an error with a code", async () => {
    await expect(scratch.kafka.admin().partitionCount(`${scratch.prefix}missing`)).rejects.toMatchObject({
      code: "unknown_topic",
    });
  });
});
