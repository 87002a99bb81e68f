import { expect, jest, test } from "@jest/globals";
import BrokerPool from "kafkajs/src/cluster/brokerPool.js";
import Cluster from "kafkajs/src/cluster/index.js";
import { patchMetadata } from "./metadata-patch.ts";

test("what the client's admin knows of topics is believed, and not asked for before each request", async () => {
  patchMetadata();
  let asked = 0;
  const broker = {
    async metadata() {
      asked += 1;
      return { topicMetadata: [{ topic: "t" }], brokers: [] };
    },
  };
  const connectionPoolBuilder = { build: async () => ({ host: "h", port: 1 }) };
  const logger = { namespace: () => logger };
  // The client creates its admin's pool so: without an age.
  const pool = new BrokerPool({ connectionPoolBuilder, logger });
  Object.assign(pool, { seedBroker: { connectionPool: {} }, findConnectedBroker: async () => broker });
  const clock = jest.spyOn(Date, "now");
  for (const nowMs of [0, 1_000, 299_000]) {
    clock.mockReturnValue(nowMs);
    await pool.refreshMetadataIfNecessary(["t"]);
  }
  expect(asked).toBe(1);
  clock.mockReturnValue(301_000);
  await pool.refreshMetadataIfNecessary(["t"]);
  expect(asked).toBe(2);
  clock.mockRestore();
});

test("each client of a process patches it, and no request passes more than one patch", async () => {
  const client = Cluster.prototype.metadata;
  patchMetadata();
  patchMetadata();
  let depth = 0;
  let asked = 0;
  const cluster = Object.assign(Object.create(Cluster.prototype), {
    targetTopics: new Set(["t"]),
    brokerPool: { withBroker: async () => undefined },
    retrier: async () => {
      asked += 1;
      depth = (new Error().stack ?? "").split("metadataAsAnswered").length - 1;
      return { topicMetadata: [] };
    },
  });
  await cluster.metadata();
  expect([asked, depth]).toEqual([1, 1]);
  Cluster.prototype.metadata = client;
});
