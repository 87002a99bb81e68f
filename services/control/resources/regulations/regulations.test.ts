// Regulations on real Kafka: what is asked of the API, and what is then in the topics.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { deletionMessageId } from "#contract";
import { problemFields } from "#support/control-service";
import { deadLetter } from "#support/records";
import { until } from "#support/until";
import { control, createSource, useControl } from "#support/use-control";
import { suppressionKey, userHash } from "#topics";
import { openTopics, type TopicClient } from "../../deliveries/fixtures/deliveries.ts";

let topics: TopicClient;
const sources: string[] = [];

async function createDestination(more: object): Promise<string> {
  const body = { name: "D", enabled: true, webhooks: [{ url: "https://a.test/hook" }], ...more };
  return (await control.ask("/v1/destinations", { body })).body.id;
}

useControl({ settings: { HOOKLINE_REGULATION_RATE: "400" } }, async (started) => {
  topics = await openTopics(started);
  return topics;
});
beforeAll(async () => {
  for (const name of ["Web", "Shop", "Unconnected"]) sources.push(await createSource(name));
  sources.sort();
  await createDestination({ sourceIds: sources.slice(0, 2) });
  await createDestination({ sourceIds: sources.slice(2), enabled: false });
}, 180_000);

const users = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

const start = (body: object) => control.ask("/v1/regulations", { body: { subjectType: "USER_ID", ...body } });
const regulationOf = async (id: string) => (await control.ask(`/v1/regulations/${id}`)).body;

async function finished(id: string) {
  const what = "the regulation to end";
  return await until(
    async () => {
      const regulation = await regulationOf(id);
      return ["finished", "failed"].includes(regulation.status) ? regulation : false;
    },
    { timeoutMs: 60_000, what },
  );
}

/** Delete calls of these users. */
const notificationsOf = async (subjectIds: readonly string[]) =>
  (await topics.read(control.topics.calls)).flatMap(({ key, atMs, value: call }) =>
    call !== undefined && subjectIds.includes(call.userId ?? "") ? [{ key, atMs, call }] : [],
  );

test("a dry run says what a deletion would be about, and begins nothing", async () => {
  const [sourceId = ""] = sources;
  const letter = deadLetter({ userId: "try-1", sourceId, deadAtMs: Date.now() });
  await topics.write(control.topics.deadLetters, [letter]);
  const before = (await control.ask("/v1/regulations?limit=200")).body.data.length;
  const subjectIds = ["try-1", "try-2", "try-1"];
  const tried = async (body: object) =>
    (await start({ regulationType: "SUPPRESS_WITH_DELETE", subjectIds, dryRun: true, ...body })).body;
  const isIndexed = async () => (await tried({})).deadLetters === 1;
  await until(isIndexed, { timeoutMs: 30_000, what: "the dead letter to be indexed" });
  expect(await tried({})).toEqual({
    ...{ subjectCount: 2, sources: sources.slice(0, 2), notifications: 4 },
    ...{ profiles: 0, audiences: 0, memberships: 0, waitingCalls: 0, deadLetters: 1 },
    notKnown: [],
  });
  const ofOne = { sourceId: sources[1], regulationType: "SUPPRESS_ONLY" };
  expect(await tried(ofOne)).toMatchObject({ sources: [sources[1]], notifications: 0, deadLetters: 0 });
  expect(
    (await start({ regulationType: "DELETE_ONLY", subjectIds, sourceId: "none", dryRun: true })).status,
  ).toBe(422);
  expect((await control.ask("/v1/regulations?limit=200")).body.data).toHaveLength(before);
});

describe("a deletion (contract 5.1, 5.2)", () => {
  test("writes one delete call per user and source with an enabled destination, as ingest would key it", async () => {
    const subjectIds = ["del-1", "del-2"];
    const { status, body, headers } = await start({ regulationType: "DELETE_ONLY", subjectIds });
    expect([status, body]).toEqual([202, { id: expect.stringMatching(/^reg_/) }]);
    expect(headers.get("location")).toBe(`/v1/regulations/${body.id}`);
    const regulation = await finished(body.id);
    expect(regulation).toMatchObject({
      regulationType: "DELETE_ONLY",
      subjectType: "USER_ID",
      subjectCount: 2,
      sourceId: null,
      status: "finished",
      notified: 4,
      sources: sources.slice(0, 2).map((sourceId) => ({ sourceId, status: "finished" })),
    });
    const state = (await topics.read(control.topics.profileEvents)).filter(({ key }) =>
      subjectIds.includes(key ?? ""),
    );
    expect(state.map(({ value }) => [value?.kind, value?.deletedAtMs])).toEqual(
      subjectIds.map(() => ["delete", Date.parse(regulation.createdAt)]),
    );
    const found = await notificationsOf(subjectIds);
    const expected = sources
      .slice(0, 2)
      .flatMap((sourceId) => subjectIds.map((userId) => ({ sourceId, userId, regulationId: body.id })));
    expect(found.map(({ key }) => key).sort()).toEqual(
      expected.map(({ sourceId, userId }) => `${sourceId}:${userId}`).sort(),
    );
    expect(found.map(({ call }) => call.messageId).sort()).toEqual(expected.map(deletionMessageId).sort());
    const call = found[0]?.call;
    if (call === undefined) throw new Error("there is no delete call");
    expect(call).toMatchObject({ type: "delete", anonymousId: null, integrations: {} });
    expect(JSON.parse(call.body.toString())).toEqual({
      type: "delete",
      userId: call.userId,
      timestamp: regulation.createdAt,
      messageId: call.messageId,
    });
  }, 180_000);

  test("of one source notifies its destinations alone; of one without an enabled destination nobody", async () => {
    const [first, , unconnected] = sources;
    const one = await start({ regulationType: "DELETE_ONLY", subjectIds: ["one"], sourceId: first });
    const none = await start({ regulationType: "DELETE_ONLY", subjectIds: ["one"], sourceId: unconnected });
    expect(await finished(one.body.id)).toMatchObject({
      sourceId: first,
      sources: [{ sourceId: first, status: "finished" }],
    });
    expect(await finished(none.body.id)).toMatchObject({ status: "finished", sources: [], notified: 0 });
    expect((await notificationsOf(["one"])).map(({ call }) => call.sourceId)).toEqual([first]);
  }, 180_000);

  test("with suppression suppresses first; what ends the suppression comes after it, however soon it is asked for", async () => {
    const subjectIds = users(1_200, "order");
    const keys = new Set(subjectIds.map((user) => suppressionKey(null, userHash(user))));
    const suppressing = await start({ regulationType: "SUPPRESS_WITH_DELETE", subjectIds });
    const ending = await start({ regulationType: "UNSUPPRESS", subjectIds });
    expect(await finished(ending.body.id)).toMatchObject({ status: "finished", notified: 0 });
    const regulation = await finished(suppressing.body.id);
    expect(regulation).toMatchObject({ status: "finished", notified: 2_400 });
    const written = (await topics.read(control.topics.suppressions)).filter(({ key }) => keys.has(key ?? ""));
    const ofOne = (key: string) =>
      written.filter((record) => record.key === key).map(({ value }) => value?.regulationId);
    const [first = ""] = keys;
    expect(ofOne(first)).toEqual([suppressing.body.id, undefined]);
    expect([written.length, new Set(written.map(({ key }) => key)).size]).toEqual([2_400, 1_200]);
    const calls = await notificationsOf(subjectIds);
    const lastSuppressedAtMs = Math.max(
      ...written.filter(({ value }) => value !== undefined).map(({ atMs }) => atMs),
    );
    expect(Math.min(...calls.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(lastSuppressedAtMs);
    expect(calls).toHaveLength(2_400);
  }, 180_000);
});

describe("a request for a regulation", () => {
  test("with a wrong list is refused whole, naming each wrong entry, the first fifty of them and how many more", async () => {
    const subjectIds = ["fine", "", 7, "x".repeat(1_001)];
    const some = await start({ regulationType: "DELETE_ONLY", subjectIds });
    expect([some.status, Object.keys(problemFields(some))]).toEqual([
      422,
      ["subjectIds[1]", "subjectIds[2]", "subjectIds[3]"],
    ]);
    const many = await start({ regulationType: "DELETE_ONLY", subjectIds: Array(200).fill("") });
    expect([many.status, many.body.errors.length]).toEqual([422, 50]);
    expect(many.body.detail).toMatch(/^200 values are refused: .* and 150 more$/);
    const tooMany = await start({ regulationType: "DELETE_ONLY", subjectIds: users(5_001, "u") });
    expect(problemFields(tooMany)).toHaveProperty("subjectIds");
    expect(await notificationsOf(["fine"])).toEqual([]);
  });

  test("names every other wrong field", async () => {
    const body = { regulationType: "FORGET", subjectType: "EMAIL", subjectIds: [], more: 1 };
    const wrong = await control.ask("/v1/regulations", { body });
    expect(Object.keys(problemFields(wrong)).sort()).toEqual([
      "more",
      "regulationType",
      "subjectIds",
      "subjectType",
    ]);
    const unknown = await start({ regulationType: "DELETE_ONLY", subjectIds: ["a"], sourceId: "none" });
    expect(problemFields(unknown)).toEqual({ sourceId: "there is no source none" });
  });

  test("may be for the source of audiences, which nobody has made", async () => {
    const asked = { regulationType: "SUPPRESS_ONLY", subjectIds: ["quiet"], sourceId: "spa_default" };
    const { id } = (await start(asked)).body;
    const sources = [{ sourceId: "spa_default", status: "finished" }];
    expect(await finished(id)).toMatchObject({ status: "finished", sources });
    const written = (await topics.read(control.topics.suppressions)).map(({ key }) => key);
    expect(written).toContain(suppressionKey("spa_default", userHash("quiet")));
  }, 180_000);

  test("may name 5,000 users with long ids", async () => {
    const subjectIds = users(5_000, "x".repeat(150));
    const { status, body } = await start({ regulationType: "SUPPRESS_ONLY", subjectIds });
    expect(status).toBe(202);
    expect(await finished(body.id)).toMatchObject({ status: "finished", subjectCount: 5_000 });
  }, 180_000);

  test("is listed afterwards, by type, status and source, page by page", async () => {
    const list = async (query: string) => (await control.ask(`/v1/regulations?${query}`)).body;
    const { body } = await start({ regulationType: "UNSUPPRESS", subjectIds: ["a"], sourceId: sources[0] });
    await finished(body.id);
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    expect(ids(await list(`regulationType=UNSUPPRESS&sourceId=${sources[0]}&status=finished`))).toEqual([
      body.id,
    ]);
    expect(ids(await list("status=initialized"))).toEqual([]);
    const first = await list("limit=1");
    expect([first.data.length, typeof first.next]).toEqual([1, "string"]);
    expect(ids(await list(`limit=200&after=${first.next}`)).at(-1)).toBe(body.id);
    expect((await control.ask("/v1/regulations?status=odd")).status).toBe(422);
    expect((await control.ask("/v1/regulations/none")).status).toBe(404);
    expect((await control.ask("/v1/regulations?sourceId=none")).body).toMatchObject({
      status: 404,
      errors: [{ path: "sourceId", message: "there is no source none" }],
    });
  }, 180_000);
});

test("what died of a deleted user is not sent again by a replay; what died of others is", async () => {
  const destinationId = await createDestination({ sourceIds: sources.slice(0, 1) });
  const letters = ["forgotten", "kept"].map((userId) =>
    deadLetter({
      id: `died-${userId}`,
      messageId: `died-${userId}`,
      destinationId,
      sourceId: sources[0] ?? "",
      deadAtMs: Date.now(),
      body: Buffer.from(JSON.stringify({ version: 1, type: "track", userId })),
    }),
  );
  await topics.write(control.topics.deadLetters, letters);
  await finished((await start({ regulationType: "DELETE_ONLY", subjectIds: ["forgotten"] })).body.id);
  const replay = await control.ask("/v1/dead-letters/replay", { body: { destinationId } });
  expect(replay.body).toMatchObject({ matched: 2 });
  const path = `/v1/replays/${replay.body.replayId}`;
  const done = await until(
    async () => {
      const { body } = await control.ask(path);
      return body.state === "finished" && body;
    },
    { timeoutMs: 30_000, what: "the replay to be finished" },
  );
  expect(done).toMatchObject({ replayed: 1, deleted: 1, expired: 0 });
  const jobs = (await topics.jobs()).filter((job) => job.destinationId === destinationId);
  expect(jobs.map(({ messageId }) => messageId)).toEqual(["died-kept"]);
}, 180_000);
