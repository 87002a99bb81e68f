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
let admin: ClusterAdmin;

beforeEach(() => {
  [asked, answers, opened, closed] = [[], {}, 0, 0];
  const client = {
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
  test("the log's ends, and the first at a time, are numbers", async () => {
    answers["fetchTopicOffsets"] = [{ partition: 1, low: "3", high: "12", offset: "12" }];
    answers["fetchTopicOffsetsByTimestamp"] = [{ partition: 1, offset: "7" }];
    expect(await admin.offsets("t")).toEqual([{ partition: 1, low: 3, high: 12 }]);
    expect(await admin.offsetsAt("t", 5_000)).toEqual([{ partition: 1, offset: 7 }]);
    expect(asked).toEqual([
      ["fetchTopicOffsets", "t"],
      ["fetchTopicOffsetsByTimestamp", "t", 5_000],
    ]);
  });

  test("a group's commits are told by partition; one without a commit is not there", async () => {
    const partitions = [
      { partition: 0, offset: "0" },
      { partition: 1, offset: "-1" },
      { partition: 2, offset: "9" },
    ];
    answers["fetchOffsets"] = [{ topic: "t", partitions }];
    expect([...(await admin.committedOffsets("g", "t"))]).toEqual([
      [0, 0],
      [2, 9],
    ]);
    expect(asked).toEqual([["fetchOffsets", { groupId: "g", topics: ["t"] }]]);
  });

  test("a group's commits are told with the texts that came with them", async () => {
    const partitions = [
      { partition: 0, offset: "7", metadata: "text" },
      { partition: 1, offset: "-1", metadata: "" },
      { partition: 2, offset: "9", metadata: null },
    ];
    answers["fetchOffsets"] = [{ topic: "t", partitions }];
    expect([...(await admin.commits("g", "t"))]).toEqual([
      [0, { offset: 7, metadata: "text" }],
      [2, { offset: 9, metadata: undefined }],
    ]);
  });

  test("a group's commits are unknown, not none, when the client has lost sight of the partitions", async () => {
    const unknown = expect.objectContaining({ code: "unavailable", canRetry: true });
    for (const answer of [[], [{ topic: "t", partitions: [] }]]) {
      answers["fetchOffsets"] = answer;
      await expect(admin.committedOffsets("g", "t")).rejects.toEqual(unknown);
    }
  });
});

test("groups are deleted", async () => {
  await admin.deleteGroups(["g", "h"]);
  expect(asked).toEqual([["deleteGroups", ["g", "h"]]]);
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
