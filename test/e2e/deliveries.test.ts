// What happened to calls, as people see it: attempts, statistics, dead letters, replay; every service a process of its own.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiAnswer, type ApiRequest, requestJson } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";

const START_TIMEOUT_MS = 240_000;

let deployment: Deployment;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  deployment = await startDeployment();
}, START_TIMEOUT_MS);

afterAll(async () => {
  const codes = await deployment?.stop();
  await receiver.close();
  expect(codes).toEqual({ ingest: 0, "webhook-router": 0, deliverer: 0, control: 0 });
}, 180_000);

interface Listed {
  readonly id: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly messageId: string;
  readonly replayIds: readonly string[];
}

interface Answer {
  readonly data: readonly Listed[];
  readonly total: { readonly attempts: Record<string, number>; p50Ms: number; p95Ms: number; p99Ms: number };
  readonly replayId: string;
  readonly matched: number;
  readonly replayed: number;
  readonly state: string;
  readonly bodyText: string;
  readonly webhooks: readonly { readonly status: number }[];
}

const ask = (path: string, request?: ApiRequest): Promise<ApiAnswer<Answer>> =>
  requestJson<Answer>(`${deployment.controlUrl()}${path}`, request);

/** A source of its own with one destination that posts to this path. */
async function connect(path: string) {
  const { id: sourceId, writeKeys } = await deployment.control.createSource();
  const webhooks = [{ url: receiver.url(path) }];
  const { id } = await deployment.control.createDestination({ sourceIds: [sourceId], webhooks });
  const send = async (messageIds: readonly string[]): Promise<void> => {
    const batch = messageIds.map((messageId) => ({
      type: "track",
      event: "E",
      userId: messageId,
      messageId,
    }));
    const answer = await deployment.send(writeKeys[0], "batch", { batch });
    expect(answer.status).toBe(200);
  };
  return { id, send };
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const deadLettersOf = async (id: string): Promise<readonly Listed[]> =>
  (await ask(`/v1/dead-letters?destinationId=${id}&limit=200`)).body.data;

async function untilDead(id: string, count: number): Promise<readonly Listed[]> {
  return await until(
    async () => {
      const found = await deadLettersOf(id);
      return found.length >= count ? found : false;
    },
    { timeoutMs: 30_000, what: `${count} dead letters` },
  );
}

describe("what happened", () => {
  test("to each request is seen soon, and the totals are exactly what the endpoint saw (contract 10.5)", async () => {
    const { id, send } = await connect("/seen");
    await send(names("fine", 40));
    await receiver.untilReceived("/seen", 40, 30_000);
    receiver.script("/seen", { status: 503 }, { status: 503 }, { status: 503 }, { status: 200 });
    await send(["troubled"]);
    const failures = await until(
      async () => {
        const { body } = await ask(`/v1/destinations/${id}/attempts?outcome=failed&messageId=troubled`);
        return body.data.length > 0 ? body.data : false;
      },
      { timeoutMs: 60_000, what: "the failed attempt to be listed" },
    );
    expect(failures.at(-1)).toMatchObject({
      outcome: "http_5xx",
      status: 503,
      attempt: 1,
      error: "HTTP 503",
    });
    await receiver.untilReceived("/seen", 44, 30_000);
    const isRecovered = async (): Promise<boolean> =>
      (await ask(`/v1/destinations/${id}/attempts?limit=1`)).body.data[0]?.outcome === "success";
    await until(isRecovered, { timeoutMs: 60_000, what: "the first success after the failures" });
    const total = await until(
      async () => {
        const { attempts, ...percentiles } = (await ask(`/v1/destinations/${id}/stats`)).body.total;
        const { diverted: _diverted, ...requests } = attempts;
        const count = Object.values(requests).reduce((sum, one) => sum + one, 0);
        return count >= receiver.requestsTo("/seen").length ? { requests, ...percentiles } : false;
      },
      { timeoutMs: 45_000, what: "the totals" },
    );
    expect(total.requests).toEqual({ success: 41, http_5xx: 3 });
    expect(total.p50Ms).toBeGreaterThan(0);
    expect(total.p95Ms).toBeGreaterThanOrEqual(total.p50Ms);
    expect(total.p99Ms).toBeGreaterThanOrEqual(total.p95Ms);
    expect(total.p99Ms).toBeLessThan(6_000);
  }, 180_000);
});

test("what a deliverer has counted is there when it has stopped in order", async () => {
  const { id, send } = await connect("/counted");
  await send(names("counted", 5));
  await receiver.untilReceived("/counted", 5, 30_000);
  const deliverer = deployment.service("deliverer");
  expect(await deliverer.stop()).toBe(0);
  try {
    const isCounted = async (): Promise<boolean> =>
      (await ask(`/v1/destinations/${id}/stats`)).body.total.attempts["success"] === 5;
    await until(isCounted, { timeoutMs: 30_000, what: "its totals" });
  } finally {
    await deliverer.restart();
  }
}, 180_000);

describe("a dead letter (contract 3.7)", () => {
  test("is inspected, and replayed when its endpoint is mended: the call arrives as it was", async () => {
    const { id, send } = await connect("/mended");
    receiver.script("/mended", { status: 410 });
    await send(["lost"]);
    const [letter] = await untilDead(id, 1);
    const { body: whole } = await ask(`/v1/dead-letters/${letter?.id}`);
    const [first] = receiver.requestsTo("/mended");
    expect(whole.bodyText).toBe(first?.text);
    expect(whole.webhooks).toMatchObject([{ url: receiver.url("/mended"), reason: "http_4xx", status: 410 }]);

    receiver.script("/mended", { status: 200 });
    const { status, body } = await ask("/v1/dead-letters/replay", { body: { ids: [letter?.id] } });
    expect([status, body.matched]).toEqual([202, 1]);
    const [, again] = await receiver.untilReceived("/mended", 2, 30_000);
    expect(again?.json["messageId"]).toBe("lost");
    expect(again?.rawBody.equals(first?.rawBody ?? Buffer.alloc(0))).toBe(true);
    const isMarked = async (): Promise<boolean> =>
      (await deadLettersOf(id))[0]?.replayIds.includes(body.replayId) ?? false;
    await until(isMarked, { timeoutMs: 60_000, what: "the dead letter to show its replay" });
  }, 180_000);

  test("that is replayed and dies again is a new one, which names its replay", async () => {
    const { id, send } = await connect("/hopeless");
    receiver.script("/hopeless", { status: 410 });
    await send(["hopeless"]);
    const [letter] = await untilDead(id, 1);
    const { body } = await ask("/v1/dead-letters/replay", { body: { destinationId: id } });
    const [again, first] = await untilDead(id, 2);
    expect(first?.id).toBe(letter?.id);
    expect(again).toMatchObject({ messageId: "hopeless", replayId: body.replayId, replayIds: [] });
  }, 180_000);
});

test("a replay whose process is killed is finished by the next one, and no call is lost", async () => {
  const count = 150;
  // Ten seconds of work: it is not over before the process is killed, nor when the next one is asked.
  const callsPerSecond = 15;
  const { id, send } = await connect("/killed");
  receiver.script("/killed", { status: 410 });
  await send(names("killed", count));
  await untilDead(id, count);
  receiver.script("/killed", { status: 200 });
  const { body } = await ask("/v1/dead-letters/replay", { body: { destinationId: id, callsPerSecond } });
  const replayOf = async (): Promise<Answer> => (await ask(`/v1/replays/${body.replayId}`)).body;
  await until(async () => (await replayOf()).replayed > 0, { timeoutMs: 30_000, what: "progress" });

  await deployment.service("control").kill();
  await deployment.service("control").restart();
  expect((await replayOf()).state).toBe("running");
  await until(async () => (await replayOf()).state === "finished", { timeoutMs: 60_000, what: "its end" });
  const again = () =>
    receiver
      .requestsTo("/killed")
      .slice(count)
      .map(({ json }) => json["messageId"]);
  await until(() => new Set(again()).size === count, { timeoutMs: 30_000, what: "every call to come again" });
  // What was sent after the last progress was written is made again, and recognised by the deliverer.
  expect(again().length).toBeLessThanOrEqual(count + 2 * callsPerSecond);
}, 180_000);
