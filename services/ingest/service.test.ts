// The whole service on a real Kafka.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePorts } from "#stack";
import { type SchemaAnswer, startRegistryProxy } from "#support/registry-proxy";
import { msOf, shortest } from "#support/shortest";
import { type TestStack, useStack } from "#support/stack";
import { until } from "#support/until";
import { post } from "./fixtures/http.ts";
import { type Cluster, openCluster, type RunningIngest, startIngest } from "./fixtures/kafka.ts";

let stack: TestStack;
let cluster: Cluster;
let running: RunningIngest;
let url: string;
let operationsUrl: string;

beforeAll(async () => {
  stack = await useStack();
  cluster = await openCluster(stack);
  await cluster.putSource({ id: "src_first", writeKeys: ["wk_first"] });
  running = startIngest(stack, cluster.prefix);
  const { ingestPort, metricsPort } = await running.service.ready;
  url = `http://127.0.0.1:${ingestPort}`;
  operationsUrl = `http://127.0.0.1:${metricsPort}`;
}, 180_000);

afterAll(async () => {
  expect(await running.service.stop()).toBe(0);
  await cluster.close();
}, 180_000);

const track = (userId: string) => ({ type: "track", event: "Kept", userId });

const send = (writeKey: string, body: object, path = "/v1/track") =>
  post({ url }, path, { body: { ...body, writeKey }, headers: {} });

describe("ingest on Kafka", () => {
  test("knows the sources that were there before it as soon as it is ready", async () => {
    expect(await send("wk_first", { event: "E", userId: "ready" })).toMatchObject({ status: 200 });
  });

  test("what was answered 200 is in the calls topic, keyed by source and user, with the delivered body", async () => {
    const call = { event: "Stored", anonymousId: "a-1", integrations: { All: false }, messageId: "m-stored" };
    const answer = await send("wk_first", { ...call, timestamp: "2024-01-01T00:00:00+0000" });
    expect(answer).toMatchObject({ status: 200 });
    const found = (await cluster.calls()).find((record) => record.call.messageId === "m-stored");
    expect(found?.key).toBe("src_first:a-1");
    expect(found?.call).toMatchObject({
      sourceId: "src_first",
      type: "track",
      userId: null,
      anonymousId: "a-1",
      event: "Stored",
      integrations: { All: false },
      timestampMs: Date.parse("2024-01-01T00:00:00Z"),
    });
    const body = found?.call.body.toString() ?? "";
    expect(body).toMatch(
      /^\{"version":1,"type":"track","event":"Stored","properties":\{\},"timestamp":"2024-01-01T00:00:00.000Z",/,
    );
    expect(JSON.stringify(JSON.parse(body))).toBe(body);
  });

  test("a call with a former write key of its source is noted, one with the newest is not", async () => {
    await cluster.putSource({ id: "src_rotated", writeKeys: ["wk_former", "wk_newest"] });
    const isKnown = async () =>
      (await send("wk_newest", { event: "Rotated", userId: "new" })).status === 200 || undefined;
    await until(isKnown, { timeoutMs: 30_000, what: "the source to be known" });
    expect(await send("wk_former", { event: "Rotated", userId: "old" })).toMatchObject({ status: 200 });
    const noted = await until(
      async () => {
        const uses = await cluster.formerKeyUses();
        return uses.length > 0 ? uses : undefined;
      },
      { timeoutMs: 30_000, what: "the former key to be noted" },
    );
    expect(noted).toEqual([
      {
        ...{ sourceId: "src_rotated", writeKey: "wk_former", network: "127.0.0.0/24" },
        ...{ atMs: expect.any(Number), userAgent: expect.any(String) },
      },
    ]);
  });

  test("a batch of 500 calls is all there after its 200, those of one user in their order", async () => {
    const batch = Array.from({ length: 500 }, (_, index) => ({
      ...{
        type: "track",
        event: "Bulk",
        userId: "bulk-user",
        messageId: `bulk-${String(index).padStart(3, "0")}`,
      },
    }));
    expect(await send("wk_first", { batch }, "/v1/batch")).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const ids = (await cluster.calls())
      .filter(({ call }) => call.event === "Bulk")
      .map(({ call }) => call.messageId);
    expect(ids).toEqual(batch.map(({ messageId }) => messageId));
  });

  async function untilAnswered(writeKey: string, code: string | undefined): Promise<void> {
    const answers = async () =>
      ((await send(writeKey, { event: "E", userId: "u" })).body as { code?: string }).code;
    await until(async () => (await answers()) === code, {
      timeoutMs: 30_000,
      what: `${writeKey} to be ${code}`,
    });
  }

  test("a source acts within a second: made, rotated, disabled, deleted", async () => {
    const slowestStepMs = async (turn: number): Promise<number> => {
      const [id, before, after] = [`src_new_${turn}`, `wk_new_${turn}`, `wk_newer_${turn}`] as const;
      await untilAnswered(before, "unknown_source");
      const steps = [
        [() => cluster.putSource({ id, writeKeys: [before] }), before, undefined],
        [() => cluster.putSource({ id, writeKeys: [after] }), before, "unknown_source"],
        [async () => undefined, after, undefined],
        [() => cluster.putSource({ id, writeKeys: [after], enabled: false }), after, "source_disabled"],
        [() => cluster.deleteSource(id), after, "unknown_source"],
      ] as const;
      let slowestMs = 0;
      for (const [change, writeKey, code] of steps) {
        await change();
        slowestMs = Math.max(slowestMs, await msOf(() => untilAnswered(writeKey, code)));
      }
      return slowestMs;
    };
    expect(await shortest(slowestStepMs)).toBeLessThan(1_000);
  }, 180_000);

  test("metrics count what happened, and every code is there from the start", async () => {
    await send("wk_first", { event: "E", userId: "u", timestamp: "soon" });
    const metrics = await (await fetch(`${operationsUrl}/metrics`)).text();
    expect(metrics).toMatch(/hookline_ingest_calls_accepted_total\{type="track"\} \d{3}/);
    expect(metrics).toContain('hookline_ingest_calls_rejected_total{code="too_many_messages"} 0');
    expect(metrics).toContain('hookline_ingest_call_warnings_total{code="timestamp_unreadable"} 1');
    expect(metrics).toContain('hookline_ingest_requests_total{route="batch",status="200"} 1');
  });

  test("it is ready and says nothing more: normal operation logs no line", async () => {
    expect((await fetch(`${operationsUrl}/readyz`)).status).toBe(200);
    expect(running.logs.at(-1)).toMatchObject({ msg: "ready" });
  });

  const usersOf = async (event: string) =>
    (await cluster.calls()).filter(({ call }) => call.event === event).map(({ call }) => call.userId);

  /** Tells whether a user's call was dropped, by its effect on the metric, which names no users. */
  async function isDropped(userId: string, at = { url, operationsUrl }): Promise<boolean> {
    const dropped = async () =>
      /ingest_calls_dropped_total\{reason="suppressed"\} (?<count>\d+)/.exec(
        await (await fetch(`${at.operationsUrl}/metrics`)).text(),
      )?.groups?.["count"];
    const before = await dropped();
    const call = { event: "Probe", userId, writeKey: "wk_first" };
    const { status, body } = await post(at, "/v1/track", { body: call, headers: {} });
    expect([status, body]).toEqual([200, { success: true }]);
    return (await dropped()) !== before;
  }

  test("calls of a suppressed user are dropped within a second, also after a restart, until the user is suppressed no more", async () => {
    const users = ["bob", "ben", "bea"] as const;
    const msUntil = (what: string, isSo: () => Promise<boolean>) =>
      msOf(() => until(isSo, { timeoutMs: 30_000, what }));
    await cluster.suppress("src_other", "carol");
    const msUntilDropped = async (turn: number): Promise<number> => {
      const user = users[turn - 1] ?? "";
      expect(await isDropped(user)).toBe(false);
      await cluster.suppress(null, user);
      return msUntil(`${user}'s calls to be dropped`, () => isDropped(user));
    };
    expect(await shortest(msUntilDropped)).toBeLessThan(1_000);
    expect(await isDropped("carol")).toBe(false);
    await send("wk_first", { batch: [track("bob"), track("carol")] }, "/v1/batch");
    expect(await usersOf("Kept")).toEqual(["carol"]);
    const again = startIngest(stack, cluster.prefix);
    try {
      const ports = await again.service.ready;
      const [next, operations] = [ports["ingestPort"], ports["metricsPort"]].map(
        (port) => `http://127.0.0.1:${port}`,
      );
      expect(await isDropped("bob", { url: `${next}`, operationsUrl: `${operations}` })).toBe(true);
    } finally {
      await again.service.stop();
    }
    const msUntilTaken = async (turn: number): Promise<number> => {
      const user = users[turn - 1] ?? "";
      await cluster.unsuppress(null, user);
      return msUntil(`${user}'s calls to be taken again`, async () => !(await isDropped(user)));
    };
    expect(await shortest(msUntilTaken)).toBeLessThan(1_000);
  }, 180_000);
});

test.each<SchemaAnswer>(["page", "unknown id"])(
  "while the registry answers with %s for the sources' schema calls are refused with 503, never as of an unknown source",
  async (kind) => {
    const registry = await startRegistryProxy(stack.registryUrl);
    registry.answer = kind;
    const [ingestPort = "", metricsPort = ""] = (await freePorts(2)).map(String);
    const waiting = startIngest({ ...stack, registryUrl: registry.url }, cluster.prefix, {
      HOOKLINE_INGEST_PORT: ingestPort,
      HOOKLINE_METRICS_PORT: metricsPort,
    });
    try {
      const within = (what: string) => ({ timeoutMs: 30_000, what });
      const waits = () => waiting.logs.filter(({ msg }) => msg === "waiting for the schema registry");
      await until(() => waits().length >= 3, within("the waiting to be said"));
      const call = { event: "E", userId: "waits", writeKey: "wk_first" };
      const ask = () =>
        post({ url: `http://127.0.0.1:${ingestPort}` }, "/v1/track", { body: call, headers: {} });
      expect((await ask()).status).toBe(503);
      registry.answer = "pass";
      await waiting.service.ready;
      expect((await ask()).status).toBe(200);
    } finally {
      await waiting.service.stop();
      await registry.close();
    }
  },
  180_000,
);
