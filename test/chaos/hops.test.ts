// A call that is due later than the longest retry delay hops from retry topic to retry topic. The deliverer is killed
// in the middle of that chain.
import { expect, test } from "@jest/globals";
import { type Admin, createKafka } from "#kafka";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const CALLS = 60;
const PATH = "/busy";
/** Eight hops or so of the delay below. */
const RETRY_AFTER_SECONDS = 8;
const RETRY_DELAYS_MS = [1_000];

useDeployment(() => ({ retryDelaysMs: RETRY_DELAYS_MS, settings: { HOOKLINE_RETRY_WINDOW: "180s" } }));

async function asking<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
  const { brokers } = deployment.stack;
  const kafka = createKafka({ brokers, clientId: "hops-of-a-test", tls: false });
  try {
    return await question(kafka.admin());
  } finally {
    await kafka.close();
  }
}

/** Ends when so many records have ever been written to the retry topics. */
async function untilHops(count: number): Promise<void> {
  const written = async (admin: Admin): Promise<number> => {
    const { deliveryRetries } = deployment.topics;
    const offsets = await Promise.all(deliveryRetries.map(({ name }) => admin.offsets(name)));
    return offsets.flat().reduce((sum, { high }) => sum + high, 0);
  };
  await until(async () => (await asking(written)) >= count, {
    timeoutMs: 60_000,
    what: `${count} records in the retry topics`,
    pollMs: 200,
  });
}

test("killed twice while calls hop, the deliverer brings every one of them back", async () => {
  const busy = { status: 503, headers: { "retry-after": String(RETRY_AFTER_SECONDS) } };
  receiver.script(PATH, busy);
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({ sourceIds: [id], webhooks: [{ url: receiver.url(PATH) }] });
  const batch = Array.from({ length: CALLS }, (_, call) => ({
    type: "track",
    event: "Hop",
    userId: `user-${call % 10}`,
    messageId: `hop-${call}`,
  }));
  await deployment.send(writeKeys[0], "batch", { batch });
  // Every call has been written once for its wait; half of them have hopped on, then most of them several times.
  for (const rounds of [1.5, 3.5]) {
    await untilHops(CALLS * rounds);
    await deployment.service("deliverer").kill();
    await deployment.service("deliverer").restart();
  }
  receiver.script(PATH, { status: 200 });
  const refused = receiver.requestsTo(PATH).length;
  const missing = (): string[] => {
    const arrived = new Set(
      receiver
        .requestsTo(PATH)
        .slice(refused)
        .map(({ json }) => json["messageId"]),
    );
    return batch.map(({ messageId }) => messageId).filter((messageId) => !arrived.has(messageId));
  };
  await until(() => missing().length === 0, {
    timeoutMs: 90_000,
    what: () => `${missing().length} calls to be taken`,
  });
  expect(await deployment.deadLetters()).toEqual([]);
}, 300_000);
