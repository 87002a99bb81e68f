// Jobs that wait in retry topics while the process that read them goes, with a real Kafka, a real process and real sockets.
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver } from "#support/receiver";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { destination } from "./fixtures/jobs.ts";
import { type DelivererUnderTest, newJob, startDeliverer } from "./fixtures/kafka.ts";

let deliverer: DelivererUnderTest | undefined;
let receiver: Receiver | undefined;

// The first to ask for the stack waits until Kafka runs, which is not to count as a test's time.
beforeAll(async () => {
  await useStack();
}, 180_000);

afterEach(async () => {
  await deliverer?.stop();
  await receiver?.close();
}, 180_000);

async function setUp(retryDelaysMs: readonly number[], settings: Readonly<Record<string, string>> = {}) {
  const endpoint = await startReceiver();
  receiver = endpoint;
  const running = await startDeliverer({ retryDelaysMs, settings });
  deliverer = running;
  await running.configure("d", destination({ id: "d", urls: [endpoint.url("/hook")] }));
  const arrivals = (messageId: string) =>
    endpoint.requestsTo("/hook").filter(({ json }) => json["messageId"] === messageId).length;
  return { arrivals, endpoint, running };
}

test("a job whose request hangs, while a pass delivers what waits behind it, is there for the next process after a kill", async () => {
  const delayMs = 8_000;
  const { arrivals, endpoint, running } = await setUp([delayMs, 3_600_000], {
    HOOKLINE_RESPONSE_DEADLINE: "120s",
  });
  // Each fails once; of the first two one hangs when it is due, the other shows that the endpoint is well, and the third is woken by that.
  endpoint.script("/hook", ...Array(3).fill({ status: 503 }), { behaviour: "hang" }, { status: 200 });
  const [one, other, woken] = [newJob("d"), newJob("d"), newJob("d")];
  for (const [index, job] of [one, other, woken].entries()) {
    if (job === woken) await pause(delayMs / 2);
    await running.emit(job);
    await endpoint.untilReceived("/hook", index + 1);
  }
  const pass = () => running.service.logs.find(({ msg }) => msg === "waiting calls were woken");
  expect(await until(pass, { timeoutMs: 60_000, what: "the end of the pass" })).toMatchObject({ taken: 1 });
  expect([one, other, woken].map(({ messageId }) => arrivals(messageId))).toEqual([2, 2, 2]);
  // They are due at nearly the same time: on a busy machine either may be the fourth request.
  const hung = String(endpoint.requestsTo("/hook")[3]?.json["messageId"]);
  expect([one, other].map(({ messageId }) => messageId)).toContain(hung);
  await running.service.kill();
  await running.service.restart();
  await until(() => arrivals(hung) === 3, { timeoutMs: 60_000, what: "the job that hung" });
}, 180_000);

test("a job that waits for a delay that was taken out of the configuration comes out of its topic all the same", async () => {
  const { arrivals, endpoint, running } = await setUp([300, 4_000]);
  endpoint.script("/hook", { status: 503 }, { status: 503 }, { status: 200 });
  const job = newJob("d");
  await running.emit(job);
  await endpoint.untilReceived("/hook", 2);
  expect(await running.service.stop()).toBe(0);
  await running.service.restart({ HOOKLINE_RETRY_DELAYS: "300ms" });
  await until(() => arrivals(job.messageId) === 3, { timeoutMs: 60_000, what: "the job that waited" });
  expect(running.service.logs).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining("no longer configured"), level: "warn" }),
  );
}, 180_000);
