// Changes of the configuration while calls are under way, on real Kafka.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Destination, Source } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";

const START_TIMEOUT_MS = 240_000;
/** How soon the pipeline acts on an acknowledged change (10.1). */
const CHANGE_DEADLINE_MS = 1000;

let deployment: Deployment;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({ secret: "new secret" });
  deployment = await startDeployment({ retryDelaysMs: [1000, 3000] });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await deployment?.stop();
  await receiver.close();
}, 60_000);

async function sourceWith(path: string): Promise<{ source: Source; destination: Destination }> {
  const source = await deployment.control.createSource();
  const destination = await deployment.control.createDestination({
    sourceIds: [source.id],
    webhooks: [{ url: receiver.url(path) }],
  });
  return { source, destination };
}

function send(source: Source, event: string): Promise<unknown> {
  return deployment.send(source.writeKeys[0], "track", { userId: "u1", event });
}

/** Sends numbered calls until one takes effect at `path`; gives the milliseconds from the acknowledged change to that call. */
async function msUntilEffective(source: Source, path: string, changedAtMs: number): Promise<number> {
  let count = 0;
  await until(
    async () => {
      await send(source, `${path} ${count++}`);
      return receiver.requestsTo(path).length > 0;
    },
    { timeoutMs: 10_000, what: `a call at ${path}`, pollMs: 20 },
  );
  const sentAtMs = Date.parse(String(receiver.requestsTo(path)[0]?.json["receivedAt"]));
  return sentAtMs - changedAtMs;
}

describe("a change takes effect within a second of its acknowledgement (10.1)", () => {
  test("a new destination", async () => {
    const source = await deployment.control.createSource();
    await deployment.control.createDestination({
      sourceIds: [source.id],
      webhooks: [{ url: receiver.url("/created") }],
    });
    expect(await msUntilEffective(source, "/created", Date.now())).toBeLessThan(CHANGE_DEADLINE_MS);
  });

  test("another URL and secret", async () => {
    const { source, destination } = await sourceWith("/before");
    await send(source, "old");
    await receiver.untilReceived("/before", 1);
    await deployment.control.changeDestination(destination.id, {
      webhooks: [{ url: receiver.url("/after") }],
      sharedSecret: "new secret",
    });
    expect(await msUntilEffective(source, "/after", Date.now())).toBeLessThan(CHANGE_DEADLINE_MS);
    expect(receiver.requestsTo("/after").every(({ signature }) => signature === "valid")).toBe(true);
  });
});

describe("a disabled destination", () => {
  test("gets nothing, and after it is enabled again what is sent from then on", async () => {
    const { source, destination } = await sourceWith("/switch");
    // A second destination of the same source shows that the calls went through.
    await deployment.control.createDestination({
      sourceIds: [source.id],
      webhooks: [{ url: receiver.url("/witness") }],
    });
    await send(source, "on");
    await receiver.untilReceived("/switch", 1);
    await deployment.control.changeDestination(destination.id, { enabled: false });
    const changedAtMs = Date.now();
    await until(() => Date.now() - changedAtMs > CHANGE_DEADLINE_MS, { timeoutMs: 5000, what: "a second" });
    await send(source, "off");
    await until(() => receiver.requestsTo("/witness").some(({ json }) => json["event"] === "off"), {
      timeoutMs: 10_000,
      what: "the call at the witness",
    });
    await deployment.control.changeDestination(destination.id, { enabled: true });
    const events = await until(
      async () => {
        await send(source, "on again");
        const seen = new Set(receiver.requestsTo("/switch").map(({ json }) => json["event"]));
        return seen.has("on again") ? [...seen] : undefined;
      },
      { timeoutMs: 10_000, what: "a call after the destination is on again", pollMs: 100 },
    );
    expect(events).toEqual(["on", "on again"]);
  });
});

describe("calls that wait for a retry", () => {
  test("go to the webhook as it is at their next attempt (3.6)", async () => {
    const { source, destination } = await sourceWith("/broken");
    receiver.script("/broken", { status: 503 });
    await send(source, "waiting");
    await receiver.untilReceived("/broken", 1);
    await deployment.control.changeDestination(destination.id, {
      webhooks: [{ url: receiver.url("/mended") }],
    });
    const [request] = await receiver.untilReceived("/mended", 1);
    expect(request?.json["event"]).toBe("waiting");
  });

  test("become dead letters as destination_gone when it is deleted (3.6)", async () => {
    const { source, destination } = await sourceWith("/deleted");
    receiver.script("/deleted", { status: 503, headers: { "retry-after": "1" } });
    await send(source, "orphan");
    await receiver.untilReceived("/deleted", 1);
    await deployment.control.deleteDestination(destination.id);
    const dead = await until(
      async () =>
        (await deployment.deadLetters()).find(({ destinationId }) => destinationId === destination.id),
      { timeoutMs: 20_000, what: "the dead letter", pollMs: 500 },
    );
    expect(dead).toMatchObject({ reason: "destination_gone", sourceId: source.id, type: "track" });
    expect(JSON.parse(dead.body.toString("utf8"))).toMatchObject({ event: "orphan" });
  });
});
