// A partition has fewer copies than min.insync.replicas, and one none: a stack of three brokers, one of which may be stopped.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { withBareAdmin } from "#support/kafka-access";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";
import { until } from "#support/until";
import { record, type ScratchKafka, scratchKafka } from "../fixtures/scratch-kafka.ts";

let stack: Awaited<ReturnType<typeof takeStack>>;
let scratch: ScratchKafka;

beforeAll(async () => {
  stack = await takeStack({ brokers: 3 });
  scratch = scratchKafka(stack.brokers);
}, TURN_TIMEOUT_MS);

afterAll(async () => {
  await scratch.close();
  await stack.stop();
}, 180_000);

/** Three topics of one partition each: two led by the second broker, of which one needs its copy at the first, and one at the first alone. */
async function createTopics(): Promise<{ few: string; other: string; none: string }> {
  const [few, other, none] = ["few", "other", "none"].map((name) => scratch.prefix + name) as [
    ...[string, string, string],
  ];
  await withBareAdmin(stack.brokers, async (admin) => {
    const { brokers } = await admin.describeCluster();
    const idOf = (address = "") => brokers.find(({ port }) => address.endsWith(`:${port}`))?.nodeId ?? -1;
    const [away, leader] = [idOf(stack.brokers[0]), idOf(stack.brokers[1])];
    const topicOf = (topic: string, replicas: number[]) => ({
      topic,
      replicaAssignment: [{ partition: 0, replicas }],
      configEntries: [{ name: "min.insync.replicas", value: String(replicas.length) }],
    });
    await admin.createTopics({
      topics: [topicOf(few, [leader, away]), topicOf(other, [leader]), topicOf(none, [away])],
    });
  });
  return { few, other, none };
}

test("they hold up no other partition of the leader, and are written when the copies are back", async () => {
  const { few, other, none } = await createTopics();
  const producer = scratch.kafka.producer({ deliveryTimeoutMs: Number.POSITIVE_INFINITY });
  const write = (topic: string) => producer.send([record(topic, "x")]);
  await Promise.all([few, other, none].map(write));
  await stack.broker(0).kill();
  const waiting = [few, none].map(write);
  const refused = (times: number) =>
    scratch.lines.some(({ fields }) => {
      const { failures, error } = fields as { failures?: number; error?: string };
      return failures === times && error?.includes("in-sync replicas");
    });
  const writeUntilRefused = async (times: number): Promise<number> => {
    let taken = 0;
    for (; !refused(times); taken += 1) await write(other);
    return taken;
  };
  await until(() => refused(2) || refused(4), { timeoutMs: 60_000, what: "the copy to count as away" });
  // A leader that is left alone takes one of the others with each try, so a dozen.
  expect(await writeUntilRefused(16)).toBeGreaterThan(32);
  await stack.broker(0).start();
  await Promise.all(waiting);
  await producer.close();
  await withBareAdmin(stack.brokers, (admin) => admin.deleteTopics({ topics: [few, other, none] }));
}, 240_000);
