import { afterEach, expect, jest, test } from "@jest/globals";
import BrokerPool from "kafkajs/src/cluster/brokerPool.js";
import Cluster from "kafkajs/src/cluster/index.js";
import Metadata from "kafkajs/src/protocol/requests/metadata/index.js";
import { patchMetadata } from "./metadata-patch.ts";

interface Partition {
  readonly partitionId: number;
  readonly leader: number;
  readonly partitionErrorCode: number;
}

/** A pool as the client's admin creates it: without an age. Its broker answers so, and the client reads the answer. */
function newPool(partitionMetadata: () => Partition[]) {
  patchMetadata();
  let asked = 0;
  const broker = {
    metadata(topics: readonly string[]) {
      asked += 1;
      const topic = { topicErrorCode: 0, topic: "t", partitionMetadata: partitionMetadata() };
      const { response } = Metadata.protocol({ version: 6 })({ topics });
      return response.parse(Object.assign({ topicMetadata: [topic] }, { brokers: [] }));
    },
  };
  const connectionPoolBuilder = { build: async () => ({ host: "h", port: 1 }) };
  const logger = { namespace: () => logger };
  const pool = new BrokerPool({ connectionPoolBuilder, logger });
  Object.assign(pool, { seedBroker: { connectionPool: {} }, findConnectedBroker: async () => broker });
  const [elapsed, clock] = [jest.spyOn(performance, "now"), jest.spyOn(Date, "now")];
  /** Somebody sets the clock back all the time: that makes no answer younger. */
  const askedBy = async (elapsedMs: number) => {
    elapsed.mockReturnValue(elapsedMs);
    clock.mockReturnValue(-elapsedMs);
    await pool.refreshMetadataIfNecessary(["t"]);
    return asked;
  };
  return { askedBy, pool };
}

afterEach(() => void jest.restoreAllMocks());

test("what the client's admin knows of topics is believed, and not asked for before each request", async () => {
  const { askedBy } = newPool(() => []);
  expect([await askedBy(0), await askedBy(1_000), await askedBy(299_000)]).toEqual([1, 1, 1]);
  expect(await askedBy(301_000)).toBe(2);
});

test("a partition that nobody leads costs the others nothing, and is asked for again soon, until it is led", async () => {
  const away = { partitionId: 1, leader: -1, partitionErrorCode: 5 };
  const partitions = [{ partitionId: 0, leader: 1, partitionErrorCode: 0 }, away];
  const { askedBy, pool } = newPool(() => partitions);
  expect([await askedBy(0), await askedBy(1_000), await askedBy(1_001)]).toEqual([1, 1, 2]);
  const known = pool.metadata?.topicMetadata[0]?.partitionMetadata ?? [];
  expect(known.map(({ leader }) => leader)).toEqual([1, -1]);
  partitions[1] = { partitionId: 1, leader: 2, partitionErrorCode: 0 };
  expect([await askedBy(2_002), await askedBy(300_000)]).toEqual([3, 3]);
});

test("a broker where a request waits is asked for metadata only where all are such", async () => {
  const { pool } = newPool(() => []);
  const [busy, idle] = [1, 0].map((size) => ({
    isConnected: () => true,
    connectionPool: { pool: [{ requestQueue: { inflight: { size } } }] },
  }));
  const { findConnectedBroker } = BrokerPool.prototype;
  Object.assign(pool, { findConnectedBroker, brokers: { 1: busy, 2: idle } });
  for (let tries = 0; tries < 20; tries += 1) expect(await pool.findConnectedBroker()).toBe(idle);
  Object.assign(pool, { brokers: { 1: busy } });
  expect(await pool.findConnectedBroker()).toBe(busy);
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
