// Calls of several users under one messageId, through every service on real Kafka: each is a call of its own (contract 1.8).
import { expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;
const DELAY_MS = 1_200_000;
const USERS = ["u1", "u2", "u3", "u4", "u5"];

interface User {
  readonly userId?: string;
  readonly anonymousId?: string;
}

interface CallOfUser {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly destinations: readonly { readonly state: string; readonly sendAgain: object | null }[];
}

interface Call extends CallOfUser {
  readonly messageId: string;
  readonly others: readonly CallOfUser[];
}

useDeployment(() => ({ retryDelaysMs: [DELAY_MS] }));

const url = (path: string) => `${deployment.controlUrl()}${path}`;

/** A source and its destination; `send` sends one batch. */
async function connected(path: string) {
  const { id: sourceId, writeKeys } = await deployment.control.createSource();
  const webhooks = [{ url: receiver.url(path) }];
  const { id } = await deployment.control.createDestination({ sourceIds: [sourceId], webhooks });
  const send = async (calls: readonly (User & { readonly messageId: string })[]) => {
    const batch = calls.map((call) => ({ type: "track", event: "E", ...call }));
    expect((await deployment.send(writeKeys[0], "batch", { batch })).status).toBe(200);
  };
  const received = () =>
    receiver
      .requestsTo(path)
      .map(({ json }) => `${json["messageId"]} ${json["userId"] ?? `anonymous ${json["anonymousId"]}`}`);
  const untilReceived = (count: number) =>
    until(() => received().length >= count, { timeoutMs: TIMEOUT_MS, what: `${count} requests to ${path}` });
  return { id, received, send, sourceId, untilReceived };
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const answer = await requestJson<T>(url(path), body && { method: "POST", body });
  expect([200, 202]).toContain(answer.status);
  return answer.body;
}

const usersIn = (calls: readonly CallOfUser[]) => calls.map(({ userId }) => userId).toSorted();

test("every call of 260 users under 11 messageIds is delivered, and a copy of each is not", async () => {
  const { received, send, untilReceived } = await connected("/all");
  const calls = Array.from({ length: 260 }, (_, user) => ({
    userId: `user-${user}`,
    messageId: `m${user % 11}`,
  }));
  await send(calls);
  await untilReceived(260);
  await send(calls);
  await send([{ userId: "last", messageId: "m0" }]);
  await untilReceived(261);
  expect(received().toSorted()).toEqual(
    [...calls, { userId: "last", messageId: "m0" }]
      .map(({ messageId, userId }) => `${messageId} ${userId}`)
      .toSorted(),
  );
}, 180_000);

test("a userId and an anonymousId that are spelt alike are two users; a userId counts before an anonymousId", async () => {
  const { received, send, untilReceived } = await connected("/alike");
  await send([{ userId: "x", messageId: "alike" }]);
  await send([{ anonymousId: "x", messageId: "alike" }]);
  await send([{ userId: "x", anonymousId: "a", messageId: "alike" }]);
  await send([{ userId: "x", messageId: "behind" }]);
  await untilReceived(3);
  await until(() => received().includes("behind x"), { timeoutMs: TIMEOUT_MS, what: "the call behind them" });
  expect(received().toSorted()).toEqual(["alike anonymous x", "alike x", "behind x"]);
}, 180_000);

test("calls that end at a 404 are a dead letter each, and are replayed each", async () => {
  receiver.script("/gone", { status: 404 });
  const { id, received, send, untilReceived } = await connected("/gone");
  await send(USERS.map((userId) => ({ userId, messageId: "dead" })));
  const letters = await until(
    async () => {
      const { data } = await ask<{ data: { userId: string | null }[] }>(
        `/v1/dead-letters?destinationId=${id}`,
      );
      return data.length >= USERS.length ? data : undefined;
    },
    { timeoutMs: TIMEOUT_MS, what: "five dead letters" },
  );
  expect(letters.map(({ userId }) => userId).toSorted()).toEqual(USERS);

  receiver.script("/gone", { status: 200 });
  expect(await ask("/v1/dead-letters/replay", { destinationId: id })).toMatchObject({ matched: 5 });
  await untilReceived(10);
  expect(received().slice(5).toSorted()).toEqual(USERS.map((userId) => `dead ${userId}`));
}, 180_000);

test("calls that wait are counted and shown each, and are sent when somebody asks", async () => {
  receiver.script("/ill", { status: 503 });
  const { id, received, send, sourceId, untilReceived } = await connected("/ill");
  await send(USERS.map((userId) => ({ userId, messageId: "waits" })));
  await until(
    async () => {
      const { data, summary } = await ask<{ data: CallOfUser[]; summary: { calls: number } }>(
        `/v1/destinations/${id}/waiting`,
      );
      return summary.calls === 5 && USERS.every((userId, index) => usersIn(data)[index] === userId);
    },
    { timeoutMs: TIMEOUT_MS, what: "five waiting calls" },
  );
  const call = await ask<Call>(`/v1/calls/waits?sourceId=${sourceId}`);
  expect(usersIn([call, ...call.others])).toEqual(USERS);
  for (const { destinations } of [call, ...call.others]) expect(destinations).toHaveLength(1);
  expect(await ask(`/v1/calls/waits?sourceId=${sourceId}&userId=u3`)).toMatchObject({
    userId: "u3",
    destinations: [{ state: "waiting", next: [{ attempts: expect.any(Number) }] }],
    others: [],
  });
  expect((await requestJson(url(`/v1/calls/waits?sourceId=${sourceId}&userId=u6`))).status).toBe(404);

  const asked = received().length;
  receiver.script("/ill", { status: 200 });
  expect((await requestJson(url(`/v1/destinations/${id}/retry`), { method: "POST" })).status).toBe(202);
  const delivered = () => new Set(received().slice(asked)).size === USERS.length;
  await until(delivered, { timeoutMs: TIMEOUT_MS, what: "all of them" });
  await untilReceived(asked + 5);
}, 180_000);

test("a replay of calls means one user's, or all that have the messageId", async () => {
  const { id, received, send, sourceId, untilReceived } = await connected("/replayed");
  await send(USERS.map((userId) => ({ userId, messageId: "again" })));
  await untilReceived(5);
  // Calls whose end is not known yet are no replay's.
  const isKnown = async (userId: string): Promise<boolean> => {
    const { destinations = [] } = await ask<{ destinations?: readonly { state: string }[] }>(
      `/v1/calls/again?sourceId=${sourceId}&userId=${userId}`,
    );
    return destinations.some(({ state }) => state === "delivered");
  };
  const areKnown = async () => (await Promise.all(USERS.map(isKnown))).every(Boolean);
  await until(areKnown, { timeoutMs: TIMEOUT_MS, what: "all of them to be known as delivered" });
  const replayed = async (body: object): Promise<number> => {
    const { replayId } = await ask<{ replayId: string }>("/v1/replays", { destinationId: id, ...body });
    const replay = await until(
      async () => {
        const found = await ask<{ state: string; replayed: number }>(`/v1/replays/${replayId}`);
        return found.state === "finished" ? found : undefined;
      },
      { timeoutMs: TIMEOUT_MS, what: "the replay's end" },
    );
    return replay.replayed;
  };
  expect(await replayed({ messageId: "again", userId: "u2", which: "all" })).toBe(1);
  await untilReceived(6);
  expect(received()[5]).toBe("again u2");
  expect(await replayed({ messageId: "again", which: "all" })).toBe(5);
  await untilReceived(11);
  expect(received().slice(6).toSorted()).toEqual(USERS.map((userId) => `again ${userId}`));
}, 180_000);
