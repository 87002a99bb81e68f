// Partitions lose their only copy: a stack of three brokers, one of which is killed.
import { afterAll, beforeAll, test } from "@jest/globals";
import type { Stack } from "#stack";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";
import { until } from "#support/until";
import { openScratchWire, type ScratchWire } from "#support/wire";
import { createCallsLog } from "./calls-log.ts";

let stack: Stack;
let wire: ScratchWire;

beforeAll(async () => {
  stack = await takeStack({ brokers: 3 });
  wire = await openScratchWire(stack, { partitions: 3, topicsOf: ({ calls }) => [calls] });
  await stack.broker(0).kill();
}, TURN_TIMEOUT_MS);

afterAll(async () => {
  await stack.broker(0).start();
  await wire.close();
  await stack.stop();
}, 180_000);

test("the other partitions of calls can be asked where they begin and end, and what is at a time", async () => {
  const log = createCallsLog({ ...wire, admin: wire.kafka.admin(), groupId: "g" });
  const ask = (partition: number) => Promise.all([log.bounds(partition), log.offsetAt(partition, 0)]);
  const isAnswered = async () => {
    const answers = await Promise.allSettled([0, 1, 2].map(ask));
    return answers.filter(({ status }) => status === "fulfilled").length === 2;
  };
  await until(isAnswered, { timeoutMs: 60_000, what: "the answers of two partitions" });
}, 90_000);
