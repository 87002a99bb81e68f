import { expect, test } from "@jest/globals";
import type { Failure } from "./failure.ts";
import { deaf, hang, status, unreachable, World } from "./testing/world.ts";

const MESSAGE = { userId: "u", event: "E", messageId: "m1" };

test.each([408, 429, 500, 502, 503, 599])(
  "%i is tried again with the same ids and a new sentAt",
  async (code) => {
    const world = new World();
    world.answers.push(status(code), status(code));
    const client = world.client();
    client.track(MESSAGE);
    expect(await world.until(client.close())).toEqual({ ok: true });
    expect(world.requests.map(({ atMs }) => atMs)).toEqual([0, 75, 225]);
    expect(world.requests.map(({ batch }) => batch[0]?.["messageId"])).toEqual(["m1", "m1", "m1"]);
    const sentAt = world.requests.map(({ body }) => /"sentAt":"([^"]+)"}$/.exec(body)?.[1]);
    expect(sentAt).toEqual([
      "2026-01-31T12:00:00.123Z",
      "2026-01-31T12:00:00.198Z",
      "2026-01-31T12:00:00.348Z",
    ]);
    expect(world.failures).toEqual([]);
  },
);

test("network errors and requests without an answer in time are tried again", async () => {
  const world = new World();
  world.answers.push(unreachable, hang, deaf);
  const client = world.client();
  client.track(MESSAGE);
  expect(await world.until(client.close({ timeoutMs: 60_000 }))).toEqual({ ok: true });
  expect(world.requests.map(({ atMs }) => atMs)).toEqual([0, 75, 75 + 10_000 + 150, 225 + 20_000 + 300]);
  expect(world.openTimers).toBe(0);
});

test.each([
  ["7", 7_000],
  ["9999", 300_000],
  ["Sat, 31 Jan 2026 12:00:10 GMT", 9_877],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["soon", 0],
  ["-5", 0],
])("Retry-After: %s is kept, and the back-off added", async (header, waitMs) => {
  const world = new World();
  world.answers.push(status(503, { "retry-after": header }));
  const client = world.client();
  client.track(MESSAGE);
  await world.until(client.close({ timeoutMs: 3_600_000 }));
  expect(world.requests[1]?.atMs).toBe(waitMs + 75);
});

test("the back-off grows to 10 s, and a batch is given up after retryForMs", async () => {
  const world = new World();
  world.answers.push(
    ...Array.from({ length: 99 }, () => status(503, {}, { code: "unavailable", message: "later" })),
  );
  const client = world.client({ retryForMs: 60_000 });
  client.track(MESSAGE);
  await world.pass(120_000);
  const times = world.requests.map(({ atMs }) => atMs);
  const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  expect(waits.slice(0, 9)).toEqual([75, 150, 300, 600, 1_200, 2_400, 4_800, 7_500, 7_500]);
  expect((times.at(-1) ?? 0) - 5_000).toBeLessThanOrEqual(60_000);
  const reason = { kind: "status", status: 503, code: "unavailable", message: "later" };
  expect(world.failures).toEqual([
    { type: "track", messageId: "m1", json: expect.stringContaining('"messageId":"m1"'), reason },
  ]);
  expect(await world.until(client.close())).toEqual({ ok: true });
});

test.each([301, 400, 401, 404, 413])("%i is for good, and each message is handed back once", async (code) => {
  const world = new World();
  world.answers.push(status(code, {}, { code: "unknown_source", message: "who?" }));
  const client = world.client({ flushAt: 2 });
  client.track(MESSAGE);
  client.alias({ userId: "u", previousId: "p", messageId: "m2" });
  client.identify({ userId: "u", messageId: "m3" });
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.sizes).toEqual([2, 1]);
  expect(world.failures.map(({ type, messageId }) => [type, messageId])).toEqual([
    ["track", "m1"],
    ["alias", "m2"],
  ]);
  expect(world.failures[0]?.reason).toEqual({
    kind: "status",
    status: code,
    code: "unknown_source",
    message: "who?",
  });
});

test("messages that are refused one by one are handed back, whatever the answer repeats", async () => {
  const world = new World();
  const rejected = [
    { index: 1, code: "event_not_string", message: "index 1" },
    { index: 1, code: "event_not_string", message: "index 1" },
    { index: 7, code: "other", message: "nobody" },
    { index: "0" },
    null,
  ];
  world.answers.push(status(200, {}, { success: true, rejected }));
  const client = world.client();
  for (const messageId of ["a", "b", "c"]) client.track({ ...MESSAGE, messageId });
  await world.until(client.close());
  expect(world.failures.map(({ messageId, reason }) => [messageId, reason])).toEqual([
    ["b", { kind: "rejected", code: "event_not_string", message: "index 1" }],
  ]);
});

test("an answer that is no JSON, and one that breaks off, count by their status", async () => {
  const world = new World();
  world.answers.push(status(200, {}, "<html>"), async () => ({
    status: 200,
    headers: { get: () => null },
    text: () => Promise.reject(new Error("reset")),
  }));
  const client = world.client({ flushAt: 1 });
  client.track(MESSAGE);
  client.track(MESSAGE);
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.requests).toHaveLength(2);
  expect(world.failures).toEqual([]);
});

test("a message that was handed back can be sent again under its id", async () => {
  const world = new World();
  world.answers.push(status(400));
  const client = world.client({ flushAt: 1 });
  client.track({ ...MESSAGE, timestamp: "2012-12-02T00:30:08.276Z", properties: { a: 1 } });
  await world.settle();
  const [failure] = world.failures as [Failure];
  expect(client[failure.type](JSON.parse(failure.json))).toEqual({ ok: true, messageId: "m1" });
  await world.until(client.close());
  expect(world.requests[1]?.batch).toEqual(world.requests[0]?.batch);
});

test("an onError that throws stops nothing", async () => {
  const world = new World();
  world.answers.push(status(400));
  const client = world.client({
    flushAt: 1,
    onError: () => {
      throw new Error("mine");
    },
  });
  client.track(MESSAGE);
  client.track(MESSAGE);
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.requests).toHaveLength(2);
  expect(world.lines).toEqual(["hookline: onError failed: Error: mine"]);
});

test("without onError a line says what was lost", async () => {
  const world = new World();
  world.answers.push(status(400, {}, { code: "bad", message: "no" }));
  const client = world.client({ onError: undefined as never });
  client.track(MESSAGE);
  await world.until(client.close());
  expect(world.lines).toEqual(["hookline: 1 messages lost: the endpoint answered 400 (bad: no)"]);
});
