import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createCertificate } from "#support/certificates";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { destination, type Settings } from "./fixtures/jobs.ts";
import { type DelivererUnderTest, newJob, startDeliverer } from "./fixtures/kafka.ts";

const SECRET = "s3cr3t-that-stays-inside";
/** Of the process; a destination has a longer one of its own, so that a busy machine ends no window before the last attempt. */
const WINDOW_MS = 4_000;
const LONG_WINDOW_MS = 120_000;
const DELAYS_MS = [200, 400, 800];

let deliverer: DelivererUnderTest;
let receiver: Receiver;
let destinations = 0;

beforeAll(async () => {
  receiver = await startReceiver({ secret: SECRET });
  deliverer = await startDeliverer({
    retryDelaysMs: DELAYS_MS,
    settings: { HOOKLINE_RETRY_WINDOW: `${WINDOW_MS}ms` },
  });
}, 180_000);

afterAll(async () => {
  await deliverer.stop();
  await receiver.close();
}, 180_000);

/** Configures a destination of this test's own; gives its id. */
async function setUp(settings: Settings = {}, id?: string): Promise<string> {
  destinations += 1;
  const ownId = id ?? `d${destinations}`;
  const own = { id: ownId, secret: SECRET, retryWindowMs: LONG_WINDOW_MS, ...settings };
  await deliverer.configure(ownId, destination(own));
  return ownId;
}

function untilDead(destinationId: string, count = 1) {
  return until(
    async () => {
      const found = await deliverer.deadLetters(destinationId);
      return found.length >= count && found;
    },
    { timeoutMs: 60_000, what: `${count} dead letters of ${destinationId}` },
  );
}

test("a job is posted with its exact bytes, signed, and is not sent again", async () => {
  const headers = { "X-Team": "growth" };
  const id = await setUp({ urls: [receiver.url("/once")], headers });
  const job = newJob(id);
  await deliverer.emit(job);
  const [request] = await receiver.untilReceived("/once", 1);
  expect(request).toMatchObject({
    method: "POST",
    rawBody: job.body,
    signature: "valid",
    headers: { "user-agent": "Hookline/1.0", "content-type": "application/json", "x-team": "growth" },
  });
  // Another one goes the whole way through the retry topics meanwhile: what were sent again would have come before it.
  const later = await setUp({ urls: [receiver.url("/after-once")] });
  receiver.script("/after-once", { status: 503 }, { status: 503 }, { status: 503 }, { status: 200 });
  await deliverer.emit(newJob(later));
  await receiver.untilReceived("/after-once", 4);
  expect(receiver.requestsTo("/once")).toHaveLength(1);
});

test("a job that fails is tried again, and is through with the first success", async () => {
  const id = await setUp({ urls: [receiver.url("/again")] });
  receiver.script("/again", { status: 503 }, { behaviour: "hang" }, { behaviour: "reset" }, { status: 200 });
  const startedAtMs = Date.now();
  await deliverer.emit(newJob(id));
  const requests = await receiver.untilReceived("/again", 4);
  const afterMs = requests.map(({ receivedAtMs }) => receivedAtMs - startedAtMs);
  expect(afterMs[1]).toBeGreaterThanOrEqual(200);
  expect(requests.map(({ signature }) => signature)).toEqual(Array(4).fill("valid"));
  const line = await until(
    () =>
      deliverer.service.logs.find(
        ({ msg, destinationId }) => msg === "webhook timed out" && destinationId === id,
      ),
    { timeoutMs: 60_000, what: "the timeout's log line" },
  );
  expect(line).toMatchObject({ level: "warn", reason: "timeout" });
});

test("a job that always fails is tried until its window is over, then is a dead letter", async () => {
  const id = await setUp({ urls: [receiver.url("/window")], retryWindowMs: null });
  receiver.script("/window", { status: 500 });
  await deliverer.emit(newJob(id));
  const [letter] = await untilDead(id);
  const requests = receiver.requestsTo("/window");
  expect(letter).toMatchObject({ reason: "window_over", attempts: requests.length });
  expect(letter?.outcomes).toMatchObject([{ url: receiver.url("/window"), reason: "http_5xx", status: 500 }]);
  const waitedMs = requests
    .slice(1)
    .map(({ receivedAtMs }, at) => receivedAtMs - (requests[at]?.receivedAtMs ?? 0));
  // A busy machine wakes a job late, so fewer attempts fit; the window decides when there is room for none.
  expect(waitedMs.slice(0, -1).filter((ms, at) => ms < (DELAYS_MS[at] ?? 800))).toEqual([]);
  expect(requests.length).toBeLessThanOrEqual(7);
  const lastedMs = (letter?.deadAtMs ?? 0) - (letter?.firstAttemptAtMs ?? 0);
  expect(lastedMs).toBeGreaterThan(WINDOW_MS * 0.99 - 200);
});

test("of five webhooks one good one is enough (contract 3.2)", async () => {
  const paths = ["/five-1", "/five-2", "/five-3", "/five-4", "/five-5"];
  const id = await setUp({ urls: paths.map((path) => receiver.url(path)) });
  for (const path of paths.slice(1)) receiver.script(path, { status: 503 });
  await deliverer.emit(newJob(id));
  for (const path of paths) await receiver.untilReceived(path, 1);
  // A second job, answered after the first one's retries would have come, shows that there are none.
  receiver.script("/after-five", { status: 503 }, { status: 503 }, { status: 200 });
  const later = await setUp({ urls: [receiver.url("/after-five")] });
  await deliverer.emit(newJob(later));
  await receiver.untilReceived("/after-five", 3);
  for (const path of paths) expect(receiver.requestsTo(path)).toHaveLength(1);
});

describe("a change while calls wait (contract 3.6)", () => {
  test("sends them to the new URL with the new secret", async () => {
    const id = await setUp({ urls: [receiver.url("/old")], secret: "an older secret" });
    receiver.script("/old", { status: 503 });
    await deliverer.emit(newJob(id));
    const [first] = await receiver.untilReceived("/old", 1);
    await setUp({ urls: [receiver.url("/new")], version: 2 }, id);
    const [second] = await receiver.untilReceived("/new", 1);
    expect([first?.signature, second?.signature]).toEqual(["invalid", "valid"]);
  });

  test("ends them as destination_gone when the destination is deleted", async () => {
    const id = await setUp({ urls: [receiver.url("/deleted")] });
    receiver.script("/deleted", { status: 503 });
    const jobs = [newJob(id), newJob(id), newJob(id)];
    await deliverer.emit(...jobs);
    await receiver.untilReceived("/deleted", 3);
    await deliverer.configure(id, undefined);
    const letters = await untilDead(id, 3);
    expect(letters.map(({ reason }) => reason)).toEqual(Array(3).fill("destination_gone"));
    expect(letters.map(({ messageId }) => messageId).sort()).toEqual(
      jobs.map(({ messageId }) => messageId).sort(),
    );
  });
});

test("a job that overtakes its destination's configuration waits for it", async () => {
  const id = `late-${Date.now()}`;
  await Promise.all([
    deliverer.emit(newJob(id)),
    deliverer.configure(id, destination({ id, urls: [receiver.url("/late")], secret: SECRET })),
  ]);
  await receiver.untilReceived("/late", 1);
});

test("a job that was emitted twice is sent once", async () => {
  const id = await setUp({ urls: [receiver.url("/double")] });
  receiver.script("/double", { status: 200, delayMs: 100 });
  const job = newJob(id);
  await deliverer.emit(job, job);
  await deliverer.emit(job, newJob(id));
  await receiver.untilReceived("/double", 2);
  expect(receiver.requestsTo("/double").map(({ json }) => json["messageId"])).toContain(job.messageId);
  expect(receiver.requestsTo("/double")).toHaveLength(2);
});

test("a self-signed certificate is an error, no request, and a dead letter at once (contract 2.7)", async () => {
  const tls = createCertificate({ commonName: "localhost", hosts: ["localhost", "127.0.0.1"] });
  const secure = await startReceiver({ tls });
  try {
    const id = await setUp({ urls: [secure.url("/tls")] });
    await deliverer.emit(newJob(id));
    const [letter] = await untilDead(id);
    expect(letter).toMatchObject({ reason: "permanent", attempts: 1, outcomes: [{ reason: "self_signed" }] });
    expect(secure.requests).toEqual([]);
    expect(deliverer.service.logs).toContainEqual(
      expect.objectContaining({ level: "error", reason: "self_signed" }),
    );
  } finally {
    await secure.close();
  }
});

test("a record that is no job is a dead letter with its raw bytes, and the partition goes on", async () => {
  const id = await setUp({ urls: [receiver.url("/poison")] });
  const bytes = Buffer.from("no Avro at all");
  await deliverer.emitRaw(`${id}:0`, bytes);
  await deliverer.emit(newJob(id));
  await receiver.untilReceived("/poison", 1);
  const [letter] = await untilDead(id);
  expect(letter).toMatchObject({ reason: "undecodable", destinationId: id, body: bytes });
});

test("outcomes are counted, and no line of the log holds a secret", async () => {
  const id = await setUp({
    urls: [receiver.url("/count")],
    headers: { "X-Token": "t0ken-that-stays-inside" },
  });
  receiver.script("/count", { status: 404 });
  const series = 'hookline_delivery_attempts_total{outcome="http_4xx",attempt="first"}';
  const before = await deliverer.metric(series);
  await deliverer.emit(newJob(id));
  await untilDead(id);
  expect(await deliverer.metric(series)).toBe(before + 1);
  expect(await deliverer.metric('hookline_dead_letters_total{reason="permanent"}')).toBeGreaterThan(0);
  const log = JSON.stringify(deliverer.service.logs);
  for (const secret of [SECRET, "t0ken-that-stays-inside", "/count"]) expect(log).not.toContain(secret);
});
