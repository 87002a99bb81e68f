import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { destination } from "./fixtures/jobs.ts";
import { type DelivererUnderTest, newJob, startDeliverer } from "./fixtures/kafka.ts";

let deliverer: DelivererUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  deliverer = await startDeliverer({ retryDelaysMs: [300, 600] });
}, 60_000);

afterAll(async () => {
  await deliverer.stop();
  await receiver.close();
}, 60_000);

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
    timeoutMs: 25_000,
    what: () => `${missing().length} jobs that did not arrive`,
  });
}, 60_000);

test("stopped by SIGTERM it finishes what is in flight, and nothing is sent twice", async () => {
  receiver.script("/stopped", { status: 200, delayMs: 400 });
  const messageIds = await emitTo("/stopped", 60);
  await receiver.untilReceived("/stopped", 1);
  expect(await deliverer.service.stop()).toBe(0);
  await deliverer.service.restart();
  await until(() => new Set(arrived("/stopped")).size === messageIds.length, {
    timeoutMs: 15_000,
    what: "all jobs",
  });
  expect(arrived("/stopped").sort()).toEqual(messageIds.sort());
}, 60_000);

test("stopped while an endpoint hangs and calls wait for it, it ends in order, and every job is there afterwards", async () => {
  receiver.script("/hanging", ...Array(8).fill({ behaviour: "hang" }), { status: 200 });
  const messageIds = await emitTo("/hanging", 200);
  await receiver.untilReceived("/hanging", 8);
  expect(await deliverer.service.stop()).toBe(0);
  await deliverer.service.restart();
  await until(() => new Set(arrived("/hanging")).size === messageIds.length, {
    timeoutMs: 20_000,
    what: "all jobs",
  });
}, 60_000);
