// What became of a call, with default settings, through every service on real Kafka: known for each of them, though of successes only a sample
// has a record.
import { expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;
const CALLS = 100;

useDeployment();

test("every call of a hundred is delivered at one destination, and passed over by the other's filter", async () => {
  const source = await deployment.control.createSource();
  const connect = (path: string, options: object = {}) =>
    deployment.control.createDestination({
      name: path,
      sourceIds: [source.id],
      webhooks: [{ url: receiver.url(path) }],
      ...options,
    });
  await connect("/all");
  await connect("/none", { filter: { path: "event", op: "eq", value: "Other" } });
  const messageIds = Array.from({ length: CALLS }, (_, number) => `every-${number}`);
  const batch = messageIds.map((messageId) => ({ type: "track", event: "E", userId: messageId, messageId }));
  expect((await deployment.send(source.writeKeys[0], "batch", { batch })).status).toBe(200);
  await receiver.untilReceived("/all", CALLS, TIMEOUT_MS);

  for (const messageId of messageIds) {
    const asked = `${deployment.controlUrl()}/v1/calls/${messageId}?sourceId=${source.id}`;
    const statesOf = async (): Promise<string[]> => {
      const { body } = await requestJson<{ destinations?: { state: string }[] }>(asked);
      return (body.destinations ?? []).map(({ state }) => state);
    };
    // A job that its deliverer has not committed yet is queued, whatever has become of it.
    const states = await until(
      async () => {
        const found = await statesOf();
        return found.length > 0 && !found.includes("queued") ? found : undefined;
      },
      { timeoutMs: TIMEOUT_MS, what: `the commit of ${messageId}` },
    );
    expect([messageId, ...states]).toEqual([messageId, "delivered", "passed_over"]);
  }
}, 180_000);
