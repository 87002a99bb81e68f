import { expect, test } from "@jest/globals";
import ConsumerGroup from "kafkajs/src/consumer/consumerGroup.js";
import OffsetManager from "kafkajs/src/consumer/offsetManager/index.js";
import errors from "kafkajs/src/errors.js";
import { installClientGroup } from "./client-group-patch.ts";

test("a place without a commit, in a partition that nobody leads, is found when it is led; the others are found before", async () => {
  installClientGroup();
  const places: Record<string, Record<number, string>> = {};
  const leaders = [1, -1, -1];
  const lookedFor: number[][] = [];
  const cluster = {
    committedOffsets: () => places,
    findTopicPartitionMetadata: () => leaders.map((leader, partitionId) => ({ leader, partitionId })),
    async fetchTopicsOffset([{ partitions }]: [{ partitions: { partition: number }[] }]) {
      lookedFor.push(partitions.map(({ partition }) => partition));
      return [{ topic: "t", partitions: partitions.map((each) => ({ ...each, offset: "20" })) }];
    },
  };
  const coordinator = {
    isConnected: () => true,
    offsetFetch: async ({ topics: [asked] }: { topics: { partitions: { partition: number }[] }[] }) => {
      const offsetOf = (partition: number) => (partition === 2 ? "7" : "-1");
      const partitions = asked?.partitions.map((each) => ({ ...each, offset: offsetOf(each.partition) }));
      return { responses: [{ topic: "t", partitions }] };
    },
  };
  const manager = new OffsetManager({
    ...{ cluster, coordinator, groupId: "g", memberAssignment: { t: [0, 1, 2] } },
    topicConfigurations: { t: { fromBeginning: true } },
  });
  await manager.resolveOffsets();
  expect(places).toEqual({ t: { 0: "20", 2: "7" } });
  leaders[1] = 1;
  await manager.resolveOffsets();
  expect(places).toEqual({ t: { 0: "20", 1: "20", 2: "7" } });
  expect(lookedFor).toEqual([[0], [1]]);
});

test("a broker that cannot be reached ends the reading from no other one, as a refusal does", async () => {
  installClientGroup();
  const refused = new errors.KafkaJSConnectionError("refused", { broker: "h:1", code: "ECONNREFUSED" });
  await expect(ConsumerGroup.prototype.recoverFromFetch(refused)).resolves.toBeUndefined();
  const other = new Error("other");
  await expect(ConsumerGroup.prototype.recoverFromFetch(other)).rejects.toBe(other);
});
