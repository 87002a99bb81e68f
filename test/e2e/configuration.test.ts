// Changes of the configuration while calls are under way, on real Kafka.
import { describe, expect, test } from "@jest/globals";
import { type Destination, requestJson, type Source } from "#support/api";
import { shortest } from "#support/shortest";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

/** How soon the pipeline acts on an acknowledged change (10.1). */
const CHANGE_DEADLINE_MS = 1000;

useDeployment(() => ({ retryDelaysMs: [1000, 3000] }), { secret: "new secret" });

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

/** A change as its caller sees it: it returns with the answer, and does not wait until the change is in force. */
async function change(method: string, path: string, body: object): Promise<void> {
  const { status } = await requestJson(`${deployment.controlUrl()}${path}`, { method, body });
  expect(status).toBeLessThan(300);
}

/** Sends calls until one arrives at `path`; gives the milliseconds from the answered change to that call's acceptance. */
async function msUntilInForce(source: Source, path: string): Promise<number> {
  const answeredAtMs = Date.now();
  await until(
    async () => {
      await send(source, "after the change");
      return receiver.requestsTo(path).length > 0;
    },
    { timeoutMs: 60_000, what: `a call at ${path}`, pollMs: 20 },
  );
  const [first] = receiver.requestsTo(path);
  return Date.parse(String(first?.json["receivedAt"])) - answeredAtMs;
}

describe("a change is in force within a second of its answer (10.1)", () => {
  test("a new destination", async () => {
    const created = async (turn: number): Promise<number> => {
      const source = await deployment.control.createSource();
      const webhooks = [{ url: receiver.url(`/created-${turn}`) }];
      const body = { name: "New", enabled: true, sourceIds: [source.id], webhooks };
      await change("POST", "/v1/destinations", body);
      return msUntilInForce(source, `/created-${turn}`);
    };
    expect(await shortest(created)).toBeLessThan(CHANGE_DEADLINE_MS);
  });

  test("another URL and secret", async () => {
    const changed = async (turn: number): Promise<number> => {
      const [before, after] = [`/before-${turn}`, `/after-${turn}`] as const;
      const { source, destination } = await sourceWith(before);
      await send(source, "old");
      await receiver.untilReceived(before, 1);
      const webhooks = [{ url: receiver.url(after) }];
      await change("PATCH", `/v1/destinations/${destination.id}`, { webhooks, sharedSecret: "new secret" });
      const ms = await msUntilInForce(source, after);
      expect(receiver.requestsTo(after).every(({ signature }) => signature === "valid")).toBe(true);
      return ms;
    };
    expect(await shortest(changed)).toBeLessThan(CHANGE_DEADLINE_MS);
  });

  test("switching off and on again", async () => {
    const switched = async (turn: number): Promise<number> => {
      const { source, destination } = await sourceWith(`/off-${turn}`);
      await change("PATCH", `/v1/destinations/${destination.id}`, { enabled: false });
      await change("PATCH", `/v1/destinations/${destination.id}`, { enabled: true });
      return msUntilInForce(source, `/off-${turn}`);
    };
    expect(await shortest(switched)).toBeLessThan(CHANGE_DEADLINE_MS);
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
    await send(source, "off");
    await until(() => receiver.requestsTo("/witness").some(({ json }) => json["event"] === "off"), {
      timeoutMs: 60_000,
      what: "the call at the witness",
    });
    await deployment.control.changeDestination(destination.id, { enabled: true });
    const events = await until(
      async () => {
        await send(source, "on again");
        const seen = new Set(receiver.requestsTo("/switch").map(({ json }) => json["event"]));
        return seen.has("on again") ? [...seen] : undefined;
      },
      { timeoutMs: 60_000, what: "a call after the destination is on again", pollMs: 100 },
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
      { timeoutMs: 60_000, what: "the dead letter", pollMs: 500 },
    );
    expect(dead).toMatchObject({ reason: "destination_gone", sourceId: source.id, type: "track" });
    expect(JSON.parse(dead.body.toString("utf8"))).toMatchObject({ event: "orphan" });
  });
});
