// Endpoints that hang beside one that is well, on real Kafka and real sockets.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { destination } from "./fixtures/jobs.ts";
import { type DelivererUnderTest, newJob, startDeliverer } from "./fixtures/kafka.ts";

const HANGING = ["/hanging-1", "/hanging-2", "/hanging-3"];
const PER_ENDPOINT = 200;

let deliverer: DelivererUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  deliverer = await startDeliverer({ retryDelaysMs: [500, 1_000, 2_000] });
}, 180_000);

afterAll(async () => {
  await deliverer.stop();
  await receiver.close();
}, 180_000);

const arrived = (path: string) =>
  new Set(receiver.requestsTo(path).map(({ json }) => String(json["messageId"])));

const diverted = async () => {
  const reasons = ["breaker_open", "stalled", "queue_slow", "crowded"];
  const counts = await Promise.all(
    reasons.map((reason) => deliverer.metric(`hookline_delivery_diverted_total{reason="${reason}"}`)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

test("endpoints that hang take nothing from one that is well; back again, they get everything", async () => {
  for (const path of HANGING) {
    receiver.script(path, { behaviour: "hang" });
    await deliverer.configure(path, destination({ id: path, urls: [receiver.url(path)] }));
  }
  await deliverer.configure("/well", destination({ id: "/well", urls: [receiver.url("/well")] }));
  const hanging = Array.from({ length: PER_ENDPOINT }, (_, index) =>
    HANGING.map((path) => newJob(path, { shard: index % 4 })),
  ).flat();
  await deliverer.emit(...hanging);
  await until(async () => (await diverted()) > 0, { timeoutMs: 60_000, what: "diverted calls" });
  const well = Array.from({ length: PER_ENDPOINT }, (_, index) => newJob("/well", { shard: index % 4 }));
  await deliverer.emit(...well);
  await until(() => arrived("/well").size === PER_ENDPOINT, {
    timeoutMs: 60_000,
    what: "all calls of the one that is well",
  });
  expect(receiver.requestsTo("/well")).toHaveLength(PER_ENDPOINT);
  // A breaker is open for each of them: of 600 calls most never were requests.
  const breakers = 'hookline_delivery_endpoints{breaker="open"}';
  await until(async () => (await deliverer.metric(breakers)) > 0, {
    timeoutMs: 60_000,
    what: "open breakers",
  });
  expect(HANGING.flatMap((path) => receiver.requestsTo(path)).length).toBeLessThan(hanging.length / 2);

  for (const path of HANGING) receiver.script(path, { status: 200 });
  for (const path of HANGING) {
    await until(() => arrived(path).size === PER_ENDPOINT, {
      timeoutMs: 60_000,
      what: () => `all calls of ${path}; ${arrived(path).size} came`,
    });
  }
  expect(await deliverer.deadLetters(HANGING[0] ?? "")).toEqual([]);
}, 180_000);

test("a destination's own rate is kept, and every call arrives (contract 4.4)", async () => {
  const config = destination({ id: "/limited", urls: [receiver.url("/limited")] });
  await deliverer.configure("/limited", { ...config, maxRequestsPerSecond: 20 });
  const emittedAtMs = Date.now();
  await deliverer.emit(...Array.from({ length: 80 }, () => newJob("/limited")));
  await until(() => arrived("/limited").size === 80, {
    timeoutMs: 60_000,
    what: "all calls of the limited one",
  });
  const lastAtMs = receiver.requestsTo("/limited").at(-1)?.receivedAtMs ?? 0;
  expect(lastAtMs - emittedAtMs).toBeGreaterThan(3_500);
  expect(receiver.requestsTo("/limited")).toHaveLength(80);
}, 180_000);
