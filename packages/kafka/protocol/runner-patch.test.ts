import { beforeAll, expect, test } from "@jest/globals";
import createFetchManager, { type FetchManager } from "kafkajs/src/consumer/fetchManager.js";
import Runner, { type RunnerInternals } from "kafkajs/src/consumer/runner.js";
import { patchRunner } from "./runner-patch.ts";

beforeAll(patchRunner);

const silent = { debug: () => undefined, info: () => undefined };
const logger: { namespace(): object } = { ...silent, namespace: () => logger };

/** Fetches that are asked for without the patch before the event loop gets its next turn. */
const ENDLESS = 1_000;

test("a consumer that is stopped while its fetchers are replaced ends, and the event loop has its turns", async () => {
  let brokers = [1];
  let asked = 0;
  const runner = {
    running: true,
    logger: silent,
    consumerGroup: { groupId: "group", memberId: "member" },
    fetchManager: undefined as FetchManager | undefined,
  };
  const fetch = (nodeId: number): Promise<readonly unknown[]> => {
    asked += 1;
    if (asked > ENDLESS) throw new Error("the event loop had no turn");
    // The first fetch finds the brokers changed, and the consumer stopped by the time at which the new fetchers are there.
    if (asked > 1) return Runner.prototype.fetch.call(runner as unknown as RunnerInternals, nodeId);
    brokers = [1, 2];
    runner.running = false;
    return Promise.resolve([]);
  };
  const handler = (): Promise<void> => Promise.resolve();
  runner.fetchManager = createFetchManager({ logger, getNodeIds: () => brokers, fetch, handler });
  await runner.fetchManager.start();
  expect(asked).toBeLessThan(10);
});

test("a consumer that runs fetches as the client does", async () => {
  const asked: number[] = [];
  const runner = {
    running: true,
    logger: silent,
    instrumentationEmitter: { emit: () => undefined },
    heartbeat: async () => undefined,
    consumerGroup: {
      groupId: "group",
      memberId: "member",
      async fetch(nodeId: number) {
        asked.push(nodeId);
        return [];
      },
    },
  };
  await Runner.prototype.fetch.call(runner as unknown as RunnerInternals, 7);
  expect(asked).toEqual([7]);
});
