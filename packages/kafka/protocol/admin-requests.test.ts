// Tests what is asked of the client's admin, and what its answers become. client-admin.test.ts and
// admin/*.test.ts ask a broker.
import { beforeEach, describe, expect, test } from "@jest/globals";
import kafkajs from "kafkajs";
import { systemHost } from "#host";
import type { ClusterAdmin } from "../cluster.ts";
import { createClientAdmin } from "./client-admin.ts";

const TOPIC = kafkajs.ConfigResourceTypes.TOPIC;

/** Requests that were made, by name. */
let asked: [string, ...unknown[]][];
/** The answers. */
let answers: Record<string, unknown>;
let opened: number;
let closed: number;
/** Of the topic's partitions, as the client learned them. */
let partitions: { readonly partitionId: number; readonly leader: number }[];
let admin: ClusterAdmin;

beforeEach(() => {
  [asked, answers, opened, closed] = [[], {}, 0, 0];
  partitions = [{ partitionId: 1, leader: 3 }];
  const cluster = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    addMultipleTargetTopics: async () => undefined,
    refreshMetadataIfNecessary: async () => undefined,
    findTopicPartitionMetadata: () => partitions,
    async fetchTopicsOffset(...given: unknown[]) {
      asked.push(["fetchTopicsOffset", ...given]);
      const answer = answers["fetchTopicsOffset"];
      return typeof answer === "function" ? answer(...given) : answer;
    },
  };
  const client = {
    consumer: ({ partitionAssigners: [assigner] = [] }: kafkajs.ConsumerConfig) =>
      assigner?.({
        cluster: cluster as unknown as kafkajs.Cluster,
      } as Parameters<kafkajs.PartitionAssigner>[0]),
    admin() {
      const own: Record<string, unknown> = {
        async connect() {
          opened += 1;
        },
        async disconnect() {
          closed += 1;
        },
      };
      return new Proxy(own, {
        get(known, name: string) {
          // It is no promise.
          if (name === "then") return undefined;
          const request = async (...given: unknown[]): Promise<unknown> => {
            asked.push([name, ...given]);
            return answers[name];
          };
          return known[name] ?? request;
        },
      });
    },
  };
  admin = createClientAdmin(client as unknown as kafkajs.Kafka, systemHost);
});

describe("of topics", () => {
  test("new ones are made with their settings, and waited for until they have leaders", async () => {
    const settings = { "cleanup.policy": "compact", "min.insync.replicas": "2" };
    await admin.createTopics([{ name: "t", partitions: 3, replicationFactor: 2, settings }]);
    const configEntries = [
      { name: "cleanup.policy", value: "compact" },
      { name: "min.insync.replicas", value: "2" },
    ];
    const topics = [{ topic: "t", numPartitions: 3, replicationFactor: 2, configEntries }];
    expect(asked).toEqual([["createTopics", { waitForLeaders: true, topics }]]);
  });

  test("their names are listed, and they are deleted", async () => {
    answers["listTopics"] = ["t", "u"];
    expect(await admin.listTopics()).toEqual(["t", "u"]);
    await admin.deleteTopics(["u"]);
    expect(asked.at(-1)).toEqual(["deleteTopics", { topics: ["u"] }]);
  });

  test("the leader of each partition is told in the order of partitions, -1 where there is none", async () => {
    const partitions = [
      { partitionId: 2, leader: 7, replicas: [7, 8] },
      { partitionId: 0, leader: 8, replicas: [7, 8] },
      { partitionId: 1, leader: -1, replicas: [7, 8] },
    ];
    answers["fetchTopicMetadata"] = {
      topics: [
        { name: "t", partitions },
        { name: "empty", partitions: [] },
      ],
    };
    expect([...(await admin.shapes(["t", "empty"]))]).toEqual([
      ["t", { leaders: [8, -1, 7], replicationFactor: 2 }],
      ["empty", { leaders: [], replicationFactor: 0 }],
    ]);
    expect(asked).toEqual([["fetchTopicMetadata", { topics: ["t", "empty"] }]]);
  });

  test("a partition that the answer leaves out has no leader", async () => {
    const partitions = [
      { partitionId: 1, leader: 7, replicas: [7] },
      { partitionId: 1, leader: 7, replicas: [7] },
    ];
    answers["fetchTopicMetadata"] = { topics: [{ name: "t", partitions }] };
    expect((await admin.shapes(["t"])).get("t")?.leaders).toEqual([-1, 7]);
  });
});

describe("of a topic's settings", () => {
  const entry = (configName: string, configValue: string, configSource: number) => ({
    configName,
    configValue,
    configSource,
  });

  test("all are told by name", async () => {
    const configEntries = [entry("retention.ms", "1", 1), entry("segment.ms", "2", 5)];
    answers["describeConfigs"] = { resources: [{ resourceName: "t", configEntries }] };
    expect([...(await admin.settings(["t"]))]).toEqual([["t", { "retention.ms": "1", "segment.ms": "2" }]]);
    const resources = [{ type: TOPIC, name: "t" }];
    expect(asked).toEqual([["describeConfigs", { includeSynonyms: false, resources }]]);
  });

  test("one is changed, and the others that it was given are sent along, or they would be taken away", async () => {
    const configEntries = [
      entry("retention.ms", "1", 1),
      entry("cleanup.policy", "compact", 1),
      entry("segment.ms", "2", 5),
    ];
    answers["describeConfigs"] = { resources: [{ resourceName: "t", configEntries }] };
    await admin.alterSetting("t", "retention.ms", "9");
    const sent = [
      { name: "cleanup.policy", value: "compact" },
      { name: "retention.ms", value: "9" },
    ];
    const resource = { type: TOPIC, name: "t" };
    expect(asked).toEqual([
      ["describeConfigs", { includeSynonyms: false, resources: [resource] }],
      ["alterConfigs", { validateOnly: false, resources: [{ ...resource, configEntries: sent }] }],
    ]);
  });

  test("one is changed also where none is told", async () => {
    answers["describeConfigs"] = { resources: [] };
    await admin.alterSetting("t", "retention.ms", "9");
    const configEntries = [{ name: "retention.ms", value: "9" }];
    expect(asked.at(-1)).toMatchObject(["alterConfigs", { resources: [{ configEntries }] }]);
  });
});

describe("of offsets", () => {
  test("the log's ends, of all topics that are asked for in one turn by two requests, and the first at a time, are numbers", async () => {
    answers["fetchTopicsOffset"] = ["t", "u"].map((topic) => ({
      topic,
      partitions: [{ partition: 1, offset: "12" }],
    }));
    const ends = [{ partition: 1, low: 12, high: 12 }];
    expect(await Promise.all([admin.offsets("t"), admin.offsets("u")])).toEqual([ends, ends]);
    const of = (fromBeginning: boolean) =>
      ["t", "u"].map((topic) => ({ topic, partitions: [{ partition: 1 }], fromBeginning }));
    expect(asked).toEqual([
      ["fetchTopicsOffset", of(false)],
      ["fetchTopicsOffset", of(true)],
    ]);
  });

  test("the ends of a partition that nobody leads are not asked for, and the others' are told", async () => {
    partitions.push({ partitionId: 2, leader: -1 });
    answers["fetchTopicsOffset"] = [{ topic: "t", partitions: [{ partition: 1, offset: "12" }] }];
    expect(await admin.offsets("t")).toEqual([{ partition: 1, low: 12, high: 12 }]);
    expect(asked[0]).toMatchObject(["fetchTopicsOffset", [{ partitions: [{ partition: 1 }] }]]);
  });

  test("the first at a time is the end where there is none, and a topic is asked for several times one after the other", async () => {
    const times: unknown[] = [];
    answers["fetchTopicsOffset"] = (wanted: { topic: string; fromTimestamp?: number }[]) => {
      times.push(wanted.map(({ topic, fromTimestamp = "end" }) => `${topic} ${fromTimestamp}`).join());
      return wanted.map(({ topic, fromTimestamp }) => {
        const offset = fromTimestamp === undefined ? "12" : topic === "u" ? "-1" : "7";
        return { topic, partitions: [{ partition: 1, offset }] };
      });
    };
    const at = (topic: string, timestampMs: number) => admin.offsetsAt(topic, timestampMs);
    expect(await Promise.all([at("t", 5_000), at("u", 6_000)])).toEqual([
      [{ partition: 1, offset: 7 }],
      [{ partition: 1, offset: 12 }],
    ]);
    expect(times.splice(0)).toEqual(["t end,u end", "t 5000,u 6000"]);
    expect(await Promise.all([at("t", 1), at("t", 2)])).toEqual([
      [{ partition: 1, offset: 7 }],
      [{ partition: 1, offset: 7 }],
    ]);
    expect(times).toEqual(["t end", "t 1", "t end", "t 2"]);
  });

  test("a group's commits in several topics that are asked for in one turn are one request", async () => {
    answers["fetchOffsets"] = ["t", "u"].map((topic) => ({
      topic,
      partitions: [{ partition: 0, offset: topic === "t" ? "4" : "5" }],
    }));
    const [t, u] = await Promise.all([admin.commits("g", "t"), admin.commits("g", "u")]);
    expect([t.get(0)?.offset, u.get(0)?.offset]).toEqual([4, 5]);
    expect(asked).toEqual([["fetchOffsets", { groupId: "g", topics: ["t", "u"] }]]);
  });

  test("a group's commits are told by partition, with the texts that came with them; one without a commit is not there", async () => {
    const partitions = [
      { partition: 0, offset: "0", metadata: "text" },
      { partition: 1, offset: "-1", metadata: "" },
      { partition: 2, offset: "9", metadata: null },
    ];
    answers["fetchOffsets"] = [{ topic: "t", partitions }];
    expect([...(await admin.commits("g", "t"))]).toEqual([
      [0, { offset: 0, metadata: "text" }],
      [2, { offset: 9, metadata: undefined }],
    ]);
    expect(asked).toEqual([["fetchOffsets", { groupId: "g", topics: ["t"] }]]);
  });

  test("a group's commits are unknown, not none, when the client has lost sight of the partitions", async () => {
    const unknown = expect.objectContaining({ code: "unavailable", canRetry: true });
    for (const answer of [[], [{ topic: "t", partitions: [] }]]) {
      answers["fetchOffsets"] = answer;
      await expect(admin.commits("g", "t")).rejects.toEqual(unknown);
    }
  });
});

test("one connection serves all, until it is put aside; what is closed is asked no more", async () => {
  await admin.listTopics();
  await admin.offsets("t").catch(() => undefined);
  expect([opened, closed]).toEqual([1, 0]);
  await admin.reset();
  await admin.listTopics();
  expect([opened, closed]).toEqual([2, 1]);
  await admin.close();
  expect(closed).toBe(2);
  await expect(admin.listTopics()).rejects.toMatchObject({ code: "closed" });
});
