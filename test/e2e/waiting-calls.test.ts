// Calls that wait for a destination, through every service on real Kafka: seen, sent now, paused. The only retry delay is so long that
// nothing but what is asked for sends a call again while a test runs.
import { expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;
const DELAY_MS = 1_200_000;
/** What is paused waits in the last of them, in a topic of five as usual. */
const DELAYS_MS = [DELAY_MS, 1_300_000, 1_400_000, 1_500_000, 1_600_000];

interface Waiting {
  readonly data: readonly {
    readonly messageId: string;
    readonly state: string;
    readonly attempts: number;
    readonly nextAttemptAt: string | null;
    readonly webhooks: readonly { readonly reason: string; readonly status: number }[];
  }[];
  readonly next: string | null;
  readonly summary: {
    readonly calls: number;
    readonly oldestReceivedAt: string | null;
    readonly isComplete: boolean;
  } | null;
}

interface Shown {
  readonly paused: object | null;
  readonly retry: { readonly isDone: boolean; readonly woken: number } | null;
  readonly updatedAt: string;
}

useDeployment(() => ({ partitions: 12, retryDelaysMs: DELAYS_MS }));

async function connected(path: string) {
  const source = await deployment.control.createSource();
  const { id } = await deployment.control.createDestination({
    sourceIds: [source.id],
    webhooks: [{ url: receiver.url(path) }],
  });
  const send = (messageId: string) =>
    deployment.send(source.writeKeys[0], "track", { userId: "u1", event: "E", messageId });
  const ask = (what: string, body?: object) =>
    requestJson<Shown>(`${deployment.controlUrl()}/v1/destinations/${id}/${what}`, {
      method: "POST",
      ...(body && { body }),
    });
  const get = async () => (await requestJson<Shown>(`${deployment.controlUrl()}/v1/destinations/${id}`)).body;
  const waiting = async (query = "") => {
    const path = `${deployment.controlUrl()}/v1/destinations/${id}/waiting${query}`;
    return (await requestJson<Waiting>(path)).body;
  };
  /** With a state: until all of them are in it. One whose job is not committed yet stands first, in delivery-jobs. */
  const untilWaiting = (count: number, state?: string) =>
    until(
      async () => {
        const found = await waiting();
        const areThere = state === undefined || found.data.every((call) => call.state === state);
        return found.summary?.calls === count && areThere ? found : undefined;
      },
      { timeoutMs: TIMEOUT_MS, what: `${count} waiting calls` },
    );
  return { ask, get, id, send, untilWaiting, waiting };
}

test("calls that failed are seen with their next attempt, page by page, and sent when somebody asks for it", async () => {
  receiver.script("/failing", { status: 503 });
  const { ask, send, untilWaiting, waiting } = await connected("/failing");
  const beganAtMs = Date.now();
  for (const messageId of ["w1", "w2", "w3"]) {
    await send(messageId);
    await receiver.untilReceived("/failing", Number(messageId.slice(1)), TIMEOUT_MS);
  }
  const { data, next, summary } = await untilWaiting(3, "waiting");
  expect(data.map(({ messageId }) => messageId)).toEqual(["w1", "w2", "w3"]);
  expect(data[0]).toMatchObject({
    state: "waiting",
    attempts: 1,
    webhooks: [{ reason: "http_5xx", status: 503 }],
  });
  const dueAtMs = Date.parse(data[0]?.nextAttemptAt ?? "");
  expect(dueAtMs).toBeGreaterThanOrEqual(beganAtMs + DELAY_MS);
  expect(dueAtMs).toBeLessThanOrEqual(Date.now() + DELAY_MS);
  expect(summary).toMatchObject({ isComplete: true });
  expect(Date.parse(summary?.oldestReceivedAt ?? "")).toBeGreaterThanOrEqual(beganAtMs);
  expect(next).toBeNull();

  const first = await waiting("?limit=2");
  expect(first.data.map(({ messageId }) => messageId)).toEqual(["w1", "w2"]);
  const second = await waiting(`?limit=2&after=${first.next}`);
  expect(second).toMatchObject({ data: [{ messageId: "w3" }], next: null, summary: null });

  receiver.script("/failing", { status: 200 });
  expect((await ask("retry")).status).toBe(202);
  const requests = await receiver.untilReceived("/failing", 6, TIMEOUT_MS);
  expect(new Set(requests.slice(3).map(({ json }) => json["messageId"]))).toEqual(
    new Set(["w1", "w2", "w3"]),
  );
  await untilWaiting(0);
}, 180_000);

test("an endpoint that is taken for down is asked again when somebody asks for it, and gets all that waits", async () => {
  receiver.script("/down", { status: 503 });
  const { ask, send, untilWaiting } = await connected("/down");
  for (let count = 1; count <= 7; count += 1) await send(`d${count}`);
  await untilWaiting(7);
  const failed = receiver.requestsTo("/down").length;
  receiver.script("/down", { status: 200 });
  await ask("retry");
  const delivered = () => {
    const ids = receiver.requestsTo("/down").map(({ json }) => String(json["messageId"]));
    return new Set(ids.slice(failed)).size === 7;
  };
  await until(delivered, { timeoutMs: TIMEOUT_MS, what: "all of them" });
  await untilWaiting(0);
}, 180_000);

test("calls of a paused destination wait without a request, and are sent when it is resumed", async () => {
  const { ask, id, send, untilWaiting } = await connected("/paused");
  expect((await ask("pause", { callsWaitFor: "12h" })).body.paused).toMatchObject({ callsWaitFor: "12h" });
  // Whoever has seen this change has seen the pause.
  await deployment.control.changeDestination(id, { name: "Paused" });
  await send("p1");
  await send("p2");
  const { data } = await untilWaiting(2, "paused");
  expect(data.map(({ messageId }) => messageId)).toEqual(["p1", "p2"]);
  expect(receiver.requestsTo("/paused")).toEqual([]);
  await ask("resume");
  await receiver.untilReceived("/paused", 2, TIMEOUT_MS);
  await untilWaiting(0);
}, 180_000);

test("only the calls that are named are sent, and the destination stays at its version", async () => {
  receiver.script("/some", { status: 503 });
  const { ask, get, send, untilWaiting } = await connected("/some");
  for (const messageId of ["s1", "s2", "s3"]) {
    await send(messageId);
    await receiver.untilReceived("/some", Number(messageId.slice(1)), TIMEOUT_MS);
  }
  await untilWaiting(3, "waiting");
  const before = await get();
  // It fails still: the first call that it takes would wake the others.
  const { body, status } = await ask("retry", { messageIds: ["s2", "never-sent"], userId: "u1" });
  expect(status).toBe(202);
  expect(body).toMatchObject({ retry: { calls: 1, woken: 0, isDone: false }, notWaiting: ["never-sent"] });
  const sent = await receiver.untilReceived("/some", 4, TIMEOUT_MS);
  expect(sent[3]?.json["messageId"]).toBe("s2");
  await until(async () => (await get()).retry?.isDone, { timeoutMs: TIMEOUT_MS, what: "it is done" });
  expect(receiver.requestsTo("/some")).toHaveLength(4);
  expect(await get()).toMatchObject({ updatedAt: before.updatedAt, retry: { woken: 1 } });
}, 180_000);

test("what waits for a destination that is deleted is a dead letter long before its next attempt", async () => {
  receiver.script("/gone", { status: 503 });
  const { id, send, untilWaiting } = await connected("/gone");
  for (let count = 1; count <= 12; count += 1) await send(`g${count}`);
  await untilWaiting(12, "waiting");
  await requestJson(`${deployment.controlUrl()}/v1/destinations/${id}`, { method: "DELETE" });
  const letters = async () =>
    (await deployment.deadLetters()).filter((letter) => letter.destinationId === id);
  await until(async () => (await letters()).length >= 12, { timeoutMs: 60_000, what: "twelve dead letters" });
  expect(new Set((await letters()).map(({ messageId }) => messageId)).size).toBe(12);
  expect((await letters()).map(({ reason }) => reason)).toEqual(Array(12).fill("destination_gone"));
}, 180_000);

// The last test: the deployment's first deliverer is gone afterwards.
test("what a resume asks for while no deliverer lives is done once there is one, and said to be done", async () => {
  const paused = async (name: string) => {
    const parts = await connected(`/${name}`);
    await parts.ask("pause");
    await deployment.control.changeDestination(parts.id, { name });
    await Promise.all(Array.from({ length: 60 }, (_, index) => parts.send(`${name}${index}`)));
    await parts.untilWaiting(60, "paused");
    return parts;
  };
  const resumed = async (name: string, { ask, get }: Awaited<ReturnType<typeof paused>>) => {
    expect((await ask("resume")).status).toBe(200);
    const added = await deployment.addProcess("deliverer");
    const delivered = () => new Set(receiver.requestsTo(`/${name}`).map(({ json }) => json["messageId"]));
    const within = { timeoutMs: 60_000 };
    await until(() => delivered().size === 60, {
      ...within,
      what: () => `60 calls, not ${delivered().size}`,
    });
    expect(receiver.requestsTo(`/${name}`)).toHaveLength(60);
    await until(async () => (await get()).retry?.isDone === true, {
      ...within,
      what: "it is said to be done",
    });
    expect((await get()).retry).toMatchObject({ woken: 60 });
    return added;
  };
  const killed = await paused("killed");
  const stopped = await paused("stopped");
  await deployment.service("deliverer").kill();
  const next = await resumed("killed", killed);
  // A member that leaves is not waited for: the next one gets its partitions once, before it has read any of them.
  await next.stop();
  await resumed("stopped", stopped);
}, 180_000);
