// Waking with a real Kafka, a real process and real sockets.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { destination } from "../fixtures/jobs.ts";
import { type DelivererUnderTest, newJob, startDeliverer } from "../fixtures/kafka.ts";

const CALLS = 300;
/** Retry delays: a second wait is so long that nothing falls due within the test. */
const DELAYS_MS = [2_000, 900_000];
const WAIT = { timeoutMs: 60_000 };

let deliverer: DelivererUnderTest;
let receiver: Receiver;

// The first to ask for the stack waits until Kafka runs, which is not to count as the test's time.
beforeAll(async () => {
  receiver = await startReceiver();
  deliverer = await startDeliverer({ retryDelaysMs: DELAYS_MS });
}, 180_000);

afterAll(async () => {
  await deliverer.stop();
  await receiver.close();
}, 180_000);

/** Calls that have been put off twice, by a failure or without a request, so that they wait in the topic with the long delay. */
async function putOffTwice(running: DelivererUnderTest): Promise<boolean> {
  const verdicts = await Promise.all(
    ["divert", "wait"].map((verdict) => running.metric(`hookline_delivery_jobs_total{verdict="${verdict}"}`)),
  );
  return verdicts.reduce((sum, count) => sum + count, 0) >= 2 * CALLS;
}

describe("an endpoint that was down for a while", () => {
  test("gets its waiting calls once it is back, each once, long before they are due", async () => {
    const { requests, script, url } = receiver;
    script("/hook", { status: 500 });
    const running = deliverer;
    await running.configure("d", destination({ id: "d", urls: [url("/hook")] }));
    const waiting = Array.from({ length: CALLS }, (_, index) => newJob("d", { shard: index % 4 }));
    await running.emit(...waiting);
    await until(() => putOffTwice(running), { ...WAIT, what: "every call put off twice", pollMs: 200 });

    script("/hook", { status: 200 });
    const failed = requests.length;
    const arrived = () => requests.slice(failed).map(({ json }) => json["messageId"]);
    // Somebody has to come along and find the endpoint well again.
    await until(
      async () => {
        await running.emit(newJob("d"));
        const seen = new Set(arrived());
        return waiting.every(({ messageId }) => seen.has(messageId));
      },
      { ...WAIT, what: "every waiting call", pollMs: 500 },
    );
    expect(arrived()).toHaveLength(new Set(arrived()).size);
    // A pass counts what it took when it ends, a moment after the last of its calls has arrived.
    await until(async () => (await running.metric("hookline_delivery_woken_calls_total")) >= CALLS, {
      ...WAIT,
      what: "every waiting call counted as woken",
      pollMs: 100,
    });
  });
});
