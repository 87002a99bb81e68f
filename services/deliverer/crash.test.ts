import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { partitionOfKey } from "#kafka";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { type DeliveryJob, deliveryKey } from "#topics";
import { destination } from "./fixtures/jobs.ts";
import { type DelivererUnderTest, newJob, startDeliverer } from "./fixtures/kafka.ts";

let deliverer: DelivererUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  // The process, or this one, may stand still for a moment: no request is to be over for that.
  const settings = { HOOKLINE_RESPONSE_DEADLINE: "60s" };
  deliverer = await startDeliverer({ retryDelaysMs: [300, 600], settings });
}, 180_000);

afterAll(async () => {
  await deliverer.stop();
  await receiver.close();
}, 180_000);

async function emitTo(path: string, count: number): Promise<string[]> {
  await deliverer.configure(path, destination({ id: path, urls: [receiver.url(path)] }));
  const jobs = Array.from({ length: count }, (_, index) => newJob(path, { shard: index % 4 }));
  await deliverer.emit(...jobs);
  return jobs.map(({ messageId }) => messageId);
}

const arrived = (path: string) => receiver.requestsTo(path).map(({ json }) => String(json["messageId"]));

test("killed in the middle of its work and started again, it delivers every job", async () => {
  receiver.script("/killed", ...Array(20).fill({ status: 503 }), { status: 200, delayMs: 50 });
  const messageIds = await emitTo("/killed", 400);
  await receiver.untilReceived("/killed", 150);
  await deliverer.service.kill();
  await deliverer.service.restart();
  const missing = () => {
    const found = new Set(arrived("/killed"));
    return messageIds.filter((messageId) => !found.has(messageId));
  };
  await until(() => missing().length === 0, {
    timeoutMs: 60_000,
    what: () => `${missing().length} jobs that did not arrive`,
  });
}, 180_000);

/** Ids of jobs of this destination whose records all lie in one partition of the two. */
function jobsIn(partition: number, destinationId: string, count: number): DeliveryJob[] {
  const shard = [0, 1, 2, 3].find(
    (each) => partitionOfKey(deliveryKey({ ...newJob(destinationId), shard: each }), 2) === partition,
  );
  if (shard === undefined) throw new Error(`no shard of ${destinationId} lies in partition ${partition}`);
  return Array.from({ length: count }, () => newJob(destinationId, { shard }));
}

test("killed while an endpoint does not answer, it sends again only what the quick one beside it got just before", async () => {
  receiver.script("/slow", { behaviour: "hang" }, { status: 200 });
  for (const path of ["/slow", "/quick"])
    await deliverer.configure(path, destination({ id: path, urls: [receiver.url(path)] }));
  await deliverer.emit(...jobsIn(0, "/slow", 1));
  await receiver.untilReceived("/slow", 1);
  const sent: string[] = [];
  const sendTen = async () => {
    const jobs = jobsIn(0, "/quick", 10);
    await deliverer.emit(...jobs);
    sent.push(...jobs.map(({ messageId }) => messageId));
    await receiver.untilReceived("/quick", sent.length);
  };
  for (let round = 0; round < 20; round += 1) await sendTen();
  const before = [...sent];
  await until(async () => (await deliverer.undone(0)) === 1, {
    timeoutMs: 60_000,
    what: "the commit of all but the slow one",
  });
  // The kill comes at once after the last answers, so that some are doubled.
  await sendTen();
  await deliverer.service.kill();
  await deliverer.service.restart();
  await receiver.untilReceived("/slow", 2);
  const [last] = jobsIn(0, "/quick", 1);
  if (last === undefined) throw new Error("no job");
  await deliverer.emit(last);
  await until(() => arrived("/quick").includes(last.messageId), { timeoutMs: 60_000, what: "the last job" });
  expect(new Set(arrived("/quick"))).toEqual(new Set([...sent, last.messageId]));
  const times = Map.groupBy(arrived("/quick"), (messageId) => messageId);
  expect(before.filter((messageId) => times.get(messageId)?.length !== 1)).toEqual([]);
}, 180_000);

test("when a second one comes, and goes, while an endpoint takes 4 s for each call, nothing is sent twice", async () => {
  receiver.script("/slowly", { status: 200, delayMs: 4_000 });
  const first = await emitTo("/slowly", 40);
  await receiver.untilReceived("/slowly", 1);
  const second = await deliverer.startSecond();
  try {
    const more = Array.from({ length: 40 }, (_, index) => newJob("/slowly", { shard: index % 4 }));
    await deliverer.emit(...more);
    const all = [...first, ...more.map(({ messageId }) => messageId)];
    const done = () => new Set(arrived("/slowly")).size >= all.length / 2;
    await until(done, { timeoutMs: 60_000, what: "half of the calls" });
    expect(await second.stop()).toBe(0);
    const allThere = () => new Set(arrived("/slowly")).size === all.length;
    await until(allThere, { timeoutMs: 60_000, what: "all calls" });
    expect(arrived("/slowly").sort()).toEqual(all.sort());
  } finally {
    await second.kill();
  }
}, 180_000);

test("stopped by SIGTERM it finishes what is in flight, and nothing is sent twice", async () => {
  receiver.script("/stopped", { status: 200, delayMs: 400 });
  const messageIds = await emitTo("/stopped", 60);
  await receiver.untilReceived("/stopped", 1);
  expect(await deliverer.service.stop()).toBe(0);
  await deliverer.service.restart();
  await until(() => new Set(arrived("/stopped")).size === messageIds.length, {
    timeoutMs: 60_000,
    what: "all jobs",
  });
  expect(arrived("/stopped").sort()).toEqual(messageIds.sort());
}, 180_000);

test("stopped while an endpoint hangs and calls wait for it, it ends in order, and every job is there afterwards", async () => {
  await deliverer.service.restart({ HOOKLINE_RESPONSE_DEADLINE: "5s" });
  receiver.script("/hanging", ...Array(8).fill({ behaviour: "hang" }), { status: 200 });
  const messageIds = await emitTo("/hanging", 200);
  await receiver.untilReceived("/hanging", 8);
  expect(await deliverer.service.stop()).toBe(0);
  await deliverer.service.restart();
  await until(() => new Set(arrived("/hanging")).size === messageIds.length, {
    timeoutMs: 60_000,
    what: "all jobs",
  });
}, 180_000);
