// The broker that coordinates a group goes away: a stack of three brokers, one of which is stopped, or cut off and killed.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { withBareAdmin } from "#support/kafka-access";
import { startTcpProxy, type TcpProxy } from "#support/tcp-proxy";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";
import { until } from "#support/until";
import { names, record, runnerOptions, type ScratchKafka, scratchKafka } from "../fixtures/scratch-kafka.ts";
import type { Runner } from "../runner-types.ts";

const PARTITIONS = 6;
const COMMITS_TOPIC = "__consumer_offsets";

let stack: Awaited<ReturnType<typeof takeStack>>;
let proxies: TcpProxy[];
/** Reaches the brokers through the proxies. */
let members: ScratchKafka[];
/** Reaches them directly. */
let writer: ScratchKafka;

beforeAll(async () => {
  stack = await takeStack({ brokers: 3 });
  proxies = await Promise.all(
    (stack.detours[0] ?? []).map(({ target, port }) => startTcpProxy(target, port)),
  );
  const brokers = proxies.map(({ port }) => `127.0.0.1:${port}`);
  members = [scratchKafka(brokers), scratchKafka(brokers)];
  writer = scratchKafka(stack.brokers);
}, TURN_TIMEOUT_MS);

afterAll(async () => {
  for (const { kafka } of members) await kafka.close();
  await writer.close();
  for (const proxy of proxies) await proxy.close();
  await stack.stop();
}, 180_000);

/** Kafka keeps a group in the partition of commits that Java's hash of its name says (kafka.coordinator.group.Utils). */
function partitionOf(group: string, partitions: number): number {
  let hash = 0;
  for (const letter of group) hash = (Math.imul(31, hash) + letter.charCodeAt(0)) | 0;
  return (hash & 0x7fffffff) % partitions;
}

/** Its place among the stack's brokers, of which the first has the id 1. */
async function coordinatorOf(group: string): Promise<number> {
  const { topics } = await withBareAdmin(stack.brokers, (admin) =>
    admin.fetchTopicMetadata({ topics: [COMMITS_TOPIC] }),
  );
  const partitions = topics[0]?.partitions ?? [];
  const own = partitionOf(group, partitions.length);
  return (partitions.find(({ partitionId }) => partitionId === own)?.leader ?? 0) - 1;
}

/** Two members with three partitions each, and `reads`: it writes to all partitions, and waits until that is read. */
async function startGroup(name: string) {
  const topic = writer.prefix + name;
  const copies = { partitions: PARTITIONS, replicationFactor: 3, minInsyncReplicas: 1 };
  await writer.kafka.admin().ensureTopics([{ name: topic, cleanup: { policy: "compact" } }], copies);
  const seen = new Set<string>();
  const groupId = `${writer.prefix}${name}`;
  const runners = members.map(({ kafka }, index) =>
    kafka.runner(
      runnerOptions(members[index] as ScratchKafka, {
        groupId,
        topics: [topic],
        producer: kafka.producer(),
        step: ({ decoded }, settle) => {
          seen.add(decoded);
          settle({ produce: [] });
        },
      }),
    ),
  );
  for (const runner of runners) await runner.start();
  await until(() => runners.every(({ assigned }) => assigned.length === PARTITIONS / 2), {
    timeoutMs: 60_000,
    what: "both members to have their partitions",
  });
  const producer = writer.kafka.producer({ deliveryTimeoutMs: 60_000 });
  const reads = async (text: string): Promise<void> => {
    const all = names(`${text} `, 10 * PARTITIONS);
    await producer.send(all.map((value) => record(topic, value)));
    await until(() => all.every((value) => seen.has(value)), {
      timeoutMs: 60_000,
      what: `all that was written after ${text}`,
    });
  };
  return { groupId, runners, reads };
}

const generations = (runners: readonly Runner[]): number[] => runners.map(({ generation }) => generation);

test("a group goes on in its generation when its coordinator moves to another broker", async () => {
  const { groupId, runners, reads } = await startGroup("moves");
  await reads("the beginning");
  const before = generations(runners);
  const coordinator = await coordinatorOf(groupId);
  await stack.broker(coordinator).stop();
  await reads("the stop");
  await until(async () => (await coordinatorOf(groupId)) !== coordinator, {
    timeoutMs: 30_000,
    what: "another coordinator",
  });
  await reads("the move");
  expect(generations(runners)).toEqual(before);
  for (const runner of runners) await runner.stop(1_000);
  await stack.broker(coordinator).start();
}, 180_000);

test("a group goes on when its coordinator's machine is gone without a word", async () => {
  const { groupId, runners, reads } = await startGroup("silent");
  await reads("the beginning");
  const coordinator = await coordinatorOf(groupId);
  proxies[coordinator]?.cut("silent");
  await stack.broker(coordinator).kill();
  await reads("the cut");
  for (const runner of runners) await runner.stop(1_000);
  await stack.broker(coordinator).start();
  proxies[coordinator]?.mend();
}, 180_000);
