// Partitions lose their only copy: a stack of three brokers, one of which is killed.
import { afterAll, beforeAll, test } from "@jest/globals";
import { type RunningService, startService } from "#runtime";
import type { Stack } from "#stack";
import { followTopic } from "#support/follow-topic";
import { scratchFolder } from "#support/scratch-folder";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";
import { until } from "#support/until";
import { newPrefix, openWire, settingsOn, type Wire } from "#support/wire";
import { allTopics, callKey, topicMap } from "#topics";
import { createCallsLog } from "./calls-log.ts";
import { call, destination } from "./fixtures/calls.ts";
import { webhookRouter } from "./service.ts";

/** More than a router has room for when each third of them is held up. */
const CALLS = 7_000;

const named = { prefix: newPrefix(), retryDelaysMs: [1_000] };
const topics = topicMap(named);
/** Stands for the calls topic of a deployment without copies. */
const lone = topicMap({ ...named, prefix: newPrefix() });
let stack: Stack;
let wire: Wire;
let router: RunningService;

beforeAll(async () => {
  stack = await takeStack({ brokers: 3 });
  wire = openWire(stack, allTopics(topics));
  const once = { partitions: 3, replicationFactor: 1, minInsyncReplicas: 1 };
  await wire.kafka.admin().ensureTopics([topics.routedCalls, lone.calls], once);
  await wire.kafka.admin().ensureTopics(allTopics(topics), { ...once, replicationFactor: 2 });
  await wire.serde.register();
  router = startService(webhookRouter, {
    environment: {
      ...settingsOn(stack, named),
      HOOKLINE_METRICS_PORT: "0",
      HOOKLINE_METRICS_HOST: "127.0.0.1",
      HOOKLINE_DATA_DIR: scratchFolder(),
    },
    logTo: { write: () => undefined },
  });
  await router.ready;
  await wire.write(topics.destinationConfig, ["dst_1", destination("dst_1")]);
  await stack.broker(0).kill();
}, TURN_TIMEOUT_MS);

afterAll(async () => {
  await stack.broker(0).start();
  await router.stop();
  await wire.kafka.admin().deleteTopics([lone.calls, ...allTopics(topics)].map(({ name }) => name));
  await wire.close();
  await stack.stop();
}, 180_000);

test("the other partitions of calls can be asked where they begin and end, and what is at a time", async () => {
  const log = createCallsLog({ ...wire, admin: wire.kafka.admin(), topics: lone, groupId: "g" });
  const ask = (partition: number) => Promise.all([log.bounds(partition), log.offsetAt(partition, 0)]);
  const isAnswered = async () => {
    const answers = await Promise.allSettled([0, 1, 2].map(ask));
    return answers.filter(({ status }) => status === "fulfilled").length === 2;
  };
  await until(isAnswered, { timeoutMs: 60_000, what: "the answers of two partitions" });
}, 90_000);

test("calls are routed while a partition of routed-calls takes nothing", async () => {
  const { name } = topics.deliveryJobs;
  const jobs = await followTopic(wire, name, ({ offset }) => offset);
  const calls = Array.from({ length: CALLS }, (_, index) => call({ userId: `u${index}` }));
  await wire.write(topics.calls, ...calls.map((each) => [callKey(each.sourceId, each), each] as const));
  await until(() => jobs.seen.length >= CALLS, {
    timeoutMs: 90_000,
    what: () => `${CALLS} jobs, of ${jobs.seen.length}`,
  });
  await jobs.stop();
}, 180_000);
