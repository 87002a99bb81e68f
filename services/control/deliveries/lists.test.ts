// Lists over all destinations and over a source's calls, on real Kafka; what services write is written by the test.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { attempt, refusedCalls, routedCall } from "#support/records";
import { until } from "#support/until";
import { control, sourceId, topics, useTopics } from "./fixtures/use-topics.ts";

const MINUTE_MS = 60_000;
const FROM_MS = Date.now() - 60 * MINUTE_MS;
const CALLS = 2_500;

/** Every third failed, of two destinations by turns; every hundredth is of another user, every thousandth a page. */
function attemptAt(at: number) {
  const isFailure = at % 3 === 0;
  return attempt({
    sequence: at + 1,
    destinationId: `d${at % 2}`,
    sourceId,
    messageId: `m${at}`,
    userId: at % 100 === 0 ? "rare" : "u1",
    type: at % 1_000 === 0 ? "page" : "track",
    outcome: isFailure ? "http_5xx" : "success",
    status: isFailure ? 503 : 200,
    startedAtMs: FROM_MS + at,
  });
}

const FILTERED = { destinationId: "narrow", reason: "filter_off" } as const;

/** The calls of these attempts, each at a place of its own. */
function callAt(at: number) {
  const { messageId, type, userId } = attemptAt(at);
  const isDropped = at % 250 === 0;
  return routedCall({
    ...{ sourceId, messageId, type, userId, offset: at, receivedAtMs: FROM_MS + at },
    event: type === "page" ? null : at % 5 === 0 ? "Fifth" : "Other",
    outcome: isDropped ? "no_destination" : "routed",
    destinationIds: isDropped ? [] : [`d${at % 2}`],
    passedOver: at % 100 === 0 ? [FILTERED, { destinationId: "late", reason: "event_off" }] : [],
  });
}

type Entry = Readonly<Record<string, unknown>> & { readonly messageId: string };

/** Every entry of a list, page by page. */
async function all(path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after = ""; ; ) {
    const { body, status } = await control.ask(`${path}${after}`);
    expect(status).toBe(200);
    entries.push(...body.data);
    if (body.next === null) return entries;
    after = `&after=${body.next}`;
  }
}

const numbers = (entries: readonly Entry[]): number[] =>
  entries.map(({ messageId }) => Number(messageId.slice(1)));

/** Those below `CALLS` that are meant, the newest first. */
function expected(isMeant: (at: number) => boolean): number[] {
  return Array.from({ length: CALLS }, (_, index) => CALLS - 1 - index).filter(isMeant);
}

useTopics();
beforeAll(async () => {
  const counts = Array.from({ length: CALLS }, (_, at) => at);
  await topics.write(control.topics.deliveryAttempts, counts.map(attemptAt));
  await topics.write(control.topics.routedCalls, counts.map(callAt));
  // One was routed again after a crash, when its destination was off.
  const again = { ...callAt(7), outcome: "no_destination", destinationIds: [] };
  await topics.write(control.topics.routedCalls, [again]);
  const refused = refusedCalls({ sourceId, code: "invalid_type", atMs: FROM_MS, calls: 4 });
  await topics.write(control.topics.refusedCalls, [refused]);
  const sinceMs = Date.now();
  const isRead = async (path: string, until: string): Promise<boolean> =>
    Date.parse((await control.ask(path)).body[until] ?? "1970-01-01") >= sinceMs;
  await until(
    async () => (await isRead("/v1/deliveries", "indexedUntil")) && isRead("/v1/stats", "countedUntil"),
    { timeoutMs: 30_000, what: "the index to come so far" },
  );
});

const totalOf = async (path: string) => {
  const { total, atLeast } = (await control.ask(path)).body;
  return { total, atLeast };
};

describe("the first page", () => {
  test.each([
    ["/v1/deliveries?limit=5", CALLS],
    ["/v1/deliveries?limit=5&outcome=failed&destinationId=d1", 417],
    ["/v1/destinations/d0/attempts?limit=5", CALLS / 2],
    // One of them was routed again, and counts once.
    ["/v1/sources/{id}/calls?limit=5", CALLS],
    ["/v1/deliveries?limit=5&messageId=m17", 1],
  ])("of %s says how many there are", async (path, total) => {
    expect(await totalOf(path.replace("{id}", sourceId))).toEqual({ total, atLeast: total });
  });

  test("of what only a look at each would count says how many it has; the next one says nothing", async () => {
    const path = "/v1/deliveries?limit=5&userId=rare";
    expect(await totalOf(path)).toEqual({ total: null, atLeast: 5 });
    const { next } = (await control.ask(path)).body;
    expect(await totalOf(`${path}&after=${next}`)).toEqual({});
  });
});

describe("requests of all destinations", () => {
  test.each<[string, (at: number) => boolean]>([
    ["", () => true],
    ["&destinationId=d1", (at) => at % 2 === 1],
    ["&outcome=failed", (at) => at % 3 === 0],
    ["&status=5xx&destinationId=d0", (at) => at % 6 === 0],
    ["&status=200", (at) => at % 3 > 0],
    ["&userId=rare", (at) => at % 100 === 0],
    ["&type=page", (at) => at % 1_000 === 0],
    ["&event=Fifth&outcome=success", (at) => at % 5 === 0 && at % 3 > 0 && at % 1_000 > 0],
    ["&messageId=m17", (at) => at === 17],
    ["&sourceId=other", () => false],
  ])("narrowed by %p are each there once, newest first", async (query, isMeant) => {
    expect(numbers(await all(`/v1/deliveries?limit=200${query}`))).toEqual(expected(isMeant));
  });

  test("say whose and which call it was", async () => {
    const [first] = await all("/v1/deliveries?messageId=m2405");
    expect(first).toMatchObject({ destinationId: "d1", sourceId, event: "Fifth", status: 200, userId: "u1" });
  });

  test("are refused by name where what is asked for cannot be", async () => {
    const { body, status } = await control.ask("/v1/deliveries?status=6xx");
    expect([status, body.errors[0].path]).toEqual([422, "status"]);
  });
});

describe("a source's calls", () => {
  const isDropped = (at: number): boolean => at % 250 === 0 || at === 7;
  test.each<[string, (at: number) => boolean]>([
    ["", () => true],
    ["&outcome=no_destination", isDropped],
    ["&destinationId=d1", (at) => at % 2 === 1 && !isDropped(at)],
    ["&event=Fifth", (at) => at % 5 === 0 && at % 1_000 > 0],
    ["&type=page", (at) => at % 1_000 === 0],
    ["&userId=rare", (at) => at % 100 === 0],
    ["&messageId=m7", (at) => at === 7],
    ["&passedOverBy=narrow", (at) => at % 100 === 0],
    ["&passedOverReason=event_off", (at) => at % 100 === 0],
    [
      "&passedOverBy=late&passedOverReason=event_off&destinationId=d0",
      (at) => at % 100 === 0 && !isDropped(at),
    ],
    // Each of them is there, of another destination.
    ["&passedOverBy=narrow&passedOverReason=event_off", () => false],
  ])("narrowed by %p are each there once, newest first", async (query, isMeant) => {
    expect(numbers(await all(`/v1/sources/${sourceId}/calls?limit=200${query}`))).toEqual(expected(isMeant));
  });

  test("come page by page while newer ones come in", async () => {
    const path = `/v1/sources/${sourceId}/calls?limit=5&messageId=new`;
    const { body } = await control.ask(`/v1/sources/${sourceId}/calls?limit=5`);
    const newer = { ...callAt(0), messageId: "new", offset: CALLS, receivedAtMs: FROM_MS + CALLS };
    await topics.write(control.topics.routedCalls, [newer]);
    await until(async () => (await control.ask(path)).body.data.length === 1, {
      timeoutMs: 30_000,
      what: "the newer call to be listed",
    });
    const next = await control.ask(`/v1/sources/${sourceId}/calls?limit=5&after=${body.next}`);
    const both = [...body.data, ...next.body.data];
    expect(numbers(both)).toEqual(expected(() => true).slice(0, 10));
  });

  test("are refused by name where the reason of passing over is none", async () => {
    const { body, status } = await control.ask(`/v1/sources/${sourceId}/calls?passedOverReason=lost`);
    expect([status, body.errors[0].path]).toEqual([422, "passedOverReason"]);
  });

  test("of audiences, which have no source that was made, are listed and counted", async () => {
    const call = { ...callAt(0), sourceId: "spa_default", messageId: "of-audience", offset: CALLS + 1 };
    await topics.write(control.topics.routedCalls, [call]);
    const listed = async () => (await control.ask("/v1/sources/spa_default/calls")).body.data?.length === 1;
    await until(listed, { timeoutMs: 30_000, what: "the call to be listed" });
    expect((await control.ask("/v1/sources/spa_default/stats?step=day")).status).toBe(200);
    const { body } = await control.ask("/v1/stats/sources?ids=spa_default&step=day");
    expect(body.data).toMatchObject([{ sourceId: "spa_default" }]);
    expect((await control.ask("/v1/dead-letters?sourceId=spa_default")).status).toBe(200);
  });

  test("of a source that never was are 404", async () => {
    expect((await control.ask("/v1/sources/none/calls")).status).toBe(404);
  });
});

test("statistics count refused calls beside accepted ones", async () => {
  const { body } = await control.ask(`/v1/sources/${sourceId}/stats?step=day`);
  const { accepted, received, refused } = body.total;
  expect([accepted >= CALLS, received - accepted, refused]).toEqual([true, 4, { invalid_type: 4 }]);
});

describe("what waits for a destination", () => {
  let path: string;
  beforeAll(async () => {
    const body = { name: "D", sourceIds: [sourceId], webhooks: [{ url: "https://example.com/hook" }] };
    path = `/v1/destinations/${(await control.ask("/v1/destinations", { body })).body.id}/waiting`;
  });

  test.each([
    "state=paused&webhookId=whk_1&reason=http_5xx&minAttempts=2&sourceId=s1&type=track&messageId=m1&userId=u1",
    // As a call has it that was put off without a request.
    "reason=diverted",
    // Of a page in whose time nothing was read.
    `after=${Buffer.from("0:0:-1").toString("base64url")}`,
  ])("is listed with %s", async (query) => {
    const { body, status } = await control.ask(`${path}?${query}`);
    expect([status, body.data, body.next]).toEqual([200, [], null]);
  });

  test.each([
    ["reason=none", "reason"],
    ["state=dead", "state"],
    ["minAttempts=0", "minAttempts"],
    ["userId=u1&anonymousId=a1", "anonymousId"],
    [`after=${Buffer.from("0:0:-2").toString("base64url")}`, "after"],
  ])("is refused by name with %s", async (query, field) => {
    const { body, status } = await control.ask(`${path}?${query}`);
    expect([status, body.errors.map((one: { path: string }) => one.path)]).toEqual([422, [field]]);
  });
});
