// Options and health of destinations, through every service on real Kafka (contract 2.3, 4.4, 4.5).
import { createHmac } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { requestJson, type Source } from "#support/api";
import type { ReceivedRequest } from "#support/receiver";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;

useDeployment((toReceiver) => ({
  retryDelaysMs: [500, 1000],
  settings: {
    HOOKLINE_FAILING_AFTER: "1s",
    HOOKLINE_RECOVERED_AFTER: "1s",
    HOOKLINE_OPERATOR_WEBHOOK_URL: toReceiver.url("/operator"),
    HOOKLINE_USER_AGENT: "Shop-Webhooks",
  },
}));

function send(source: Source, event: string): Promise<unknown> {
  return deployment.send(source.writeKeys[0], "track", { userId: "u1", event });
}

/** Which of these secrets signed the request as Standard Webhooks 1.0.0 says, computed here by hand. */
function signersOf({ headers, rawBody }: ReceivedRequest, secrets: string[]) {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${rawBody}`;
  const signatures = String(headers["webhook-signature"]).split(" ");
  return secrets.filter((secret) =>
    signatures.includes(`v1,${createHmac("sha256", secret).update(content).digest("base64")}`),
  );
}

function requestFor(path: string, event: string): ReceivedRequest | undefined {
  return receiver.requestsTo(path).find(({ json }) => json["event"] === event);
}

function received(path: string, event: string): Promise<ReceivedRequest> {
  return until(() => requestFor(path, event), { timeoutMs: TIMEOUT_MS, what: `${event} at ${path}` });
}

test("deliveries carry the User-Agent that is set (contract 2.2)", async () => {
  const source = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [source.id],
    webhooks: [{ url: receiver.url("/agent") }],
  });
  const arrives = async () => {
    await send(source, "agent");
    return requestFor("/agent", "agent") !== undefined;
  };
  await until(arrives, { timeoutMs: TIMEOUT_MS, what: "a call" });
  expect(requestFor("/agent", "agent")?.headers["user-agent"]).toBe("Shop-Webhooks/1.0");
});

test("while a secret is rotated both verify, and only the new one when the time is over", async () => {
  const source = await deployment.control.createSource();
  const { id } = await deployment.control.createDestination({
    sourceIds: [source.id],
    webhooks: [{ url: receiver.url("/rotation") }],
    sharedSecret: "old secret",
    standardWebhooks: true,
  });
  const secrets = ["old secret", "new secret"];
  await send(source, "before");
  const before = await received("/rotation", "before");
  expect(signersOf(before, secrets)).toEqual(["old secret"]);
  expect(before.headers["webhook-id"]).toBe(before.json["messageId"]);

  await deployment.control.changeDestination(id, { sharedSecret: "new secret" });
  await send(source, "during");
  const during = await received("/rotation", "during");
  expect(signersOf(during, secrets)).toEqual(secrets);
  const xSignature = createHmac("sha1", "new secret").update(during.rawBody).digest("hex");
  expect(during.headers["x-signature"]).toBe(xSignature);

  await deployment.control.changeDestination(id, { previousSecretValidFor: "0s" });
  await send(source, "after");
  expect(signersOf(await received("/rotation", "after"), secrets)).toEqual(["new secret"]);
}, 180_000);

test("only track calls with the names that a destination asks for are sent, and all calls of other types", async () => {
  const source = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [source.id],
    webhooks: [{ url: receiver.url("/events") }],
    events: ["Order Completed"],
  });
  await send(source, "Viewed");
  await deployment.send(source.writeKeys[0], "identify", { userId: "u1", traits: {} });
  await send(source, "Order Completed");
  await received("/events", "Order Completed");
  // All of one user, so they came in their order.
  expect(receiver.requestsTo("/events").map(({ json }) => json["type"])).toEqual(["identify", "track"]);
}, 180_000);

describe("an endpoint that is down (contract 4.5)", () => {
  test("makes its destination failing, and healthy again when it is back; the operator is told of both", async () => {
    receiver.script("/down", { status: 503 });
    const source = await deployment.control.createSource();
    const { id } = await deployment.control.createDestination({
      sourceIds: [source.id],
      webhooks: [{ url: receiver.url("/down") }],
    });
    const health = async () => {
      const { body } = await requestJson<{ health: { state: string; lastError: { status: number } | null } }>(
        `${deployment.controlUrl()}/v1/destinations/${id}`,
      );
      return body.health;
    };
    const untilState = (state: string) =>
      until(async () => (await health()).state === state, { timeoutMs: TIMEOUT_MS, what: state });
    await send(source, "while down");
    await untilState("failing");
    expect((await health()).lastError?.status).toBe(503);
    receiver.script("/down", { status: 200 });
    await untilState("healthy");
    const told = () =>
      receiver
        .requestsTo("/operator")
        .map(({ text }) => JSON.parse(text) as { type: string; data: { destinationId: string } })
        .filter(({ data }) => data.destinationId === id)
        .map(({ type }) => type);
    await until(() => told().includes("destination.recovered"), { timeoutMs: TIMEOUT_MS, what: "recovered" });
    expect(told()).toEqual(["destination.failing", "destination.recovered"]);
  }, 180_000);
});
