// A support engineer's question, through every service on real Kafka: a call failed at one of two webhooks. Where is it, why, when is it sent
// next, send it now. The only retry delay is so long that nothing but what is asked for sends it again.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;
const DELAY_MS = 1_200_000;

interface Call {
  readonly sourceId: string;
  readonly type: string | null;
  readonly receivedAt: string | null;
  readonly accepted:
    | readonly { readonly outcome: string; readonly destinationIds: readonly string[] }[]
    | null;
  readonly destinations: readonly {
    readonly destinationId: string;
    readonly name: string | null;
    readonly state: string;
    readonly passedOver: string | null;
    readonly next: readonly { readonly nextAttemptAt: string | null; readonly attempts: number }[];
    readonly attempts: readonly {
      readonly outcome: string;
      readonly status: number | null;
      readonly response: { readonly body: string | null } | null;
    }[];
    readonly deadLetters: readonly { readonly id: string; readonly reason: string }[];
  }[];
}

type Traces = Call["destinations"];

/** Of the test that needs a secret. */
let signed: Receiver | undefined;

useDeployment(() => ({
  retryDelaysMs: [DELAY_MS],
  settings: { HOOKLINE_RECORDED_ATTEMPTS: "all", HOOKLINE_RECORDED_CALLS: "all" },
}));

afterAll(() => signed?.close());

/** A source with a destination for each path; `options` are a destination's by its path. */
async function source(paths: readonly string[], options: Readonly<Record<string, object>> = {}) {
  const { id, writeKeys } = await deployment.control.createSource();
  const destinations: string[] = [];
  for (const path of paths) {
    const webhooks = [{ url: receiver.url(path) }];
    const body = { name: path, sourceIds: [id], webhooks, ...options[path] };
    const made = await deployment.control.createDestination(body);
    destinations.push(made.id);
  }
  const send = (messageId: string) =>
    deployment.send(writeKeys[0], "track", { userId: "u1", event: "E", messageId });
  return { destinations, id, send };
}

const url = (path: string) => `${deployment.controlUrl()}${path}`;

/** Asks until the answer is as it will be: the index is half a second behind. */
function callWhen(
  messageId: string,
  query: string,
  isThere: (destinations: Traces, call: Call) => boolean,
): Promise<Call> {
  return until(
    async () => {
      const { body, status } = await requestJson<Call>(url(`/v1/calls/${messageId}${query}`));
      return status === 200 && isThere(body.destinations, body) ? body : undefined;
    },
    { timeoutMs: TIMEOUT_MS, what: `the answer about ${messageId}` },
  );
}

/** Every destination is in its state, after so many requests. */
function are(...expected: readonly [state: string, attempts: number][]) {
  return (destinations: Traces) =>
    destinations.every(
      ({ attempts, state }, index) =>
        state === expected[index]?.[0] && attempts.length === expected[index][1],
    );
}

test("a call that failed at one of two webhooks: where it is, why, when next; and sent now, in three requests", async () => {
  receiver.script("/ill", { status: 503 });
  const { destinations, id, send } = await source(["/well", "/ill"]);
  const beganAtMs = Date.now();
  await send("walk");

  const failed = await callWhen("walk", "", are(["delivered", 1], ["waiting", 1]));
  expect(failed).toMatchObject({
    sourceId: id,
    type: "track",
    destinations: [
      { name: "/well", attempts: [{ outcome: "success", status: 200 }], next: [], deadLetters: [] },
      { name: "/ill", attempts: [{ outcome: "http_5xx", status: 503 }], next: [{ attempts: 1 }] },
    ],
  });
  const nextAtMs = Date.parse(failed.destinations[1]?.next[0]?.nextAttemptAt ?? "");
  expect(nextAtMs).toBeGreaterThanOrEqual(beganAtMs + DELAY_MS);
  expect(Date.parse(failed.receivedAt ?? "")).toBeGreaterThanOrEqual(beganAtMs - 1_000);

  receiver.script("/ill", { status: 200 });
  const asked = await requestJson(url(`/v1/destinations/${destinations[1]}/retry`), { method: "POST" });
  expect(asked.status).toBe(202);

  const sent = await callWhen("walk", "", are(["delivered", 1], ["delivered", 2]));
  expect(sent.destinations[1]).toMatchObject({
    attempts: [{ outcome: "http_5xx" }, { outcome: "success", status: 200 }],
    next: [],
  });
}, 180_000);

test("a call that failed for good is dead, with the reason", async () => {
  receiver.script("/gone", { status: 410 });
  const { send } = await source(["/gone"]);
  await send("dead");
  const { destinations } = await callWhen("dead", "", are(["dead", 1]));
  expect(destinations).toMatchObject([
    { attempts: [{ outcome: "http_4xx", status: 410 }], deadLetters: [{ reason: "permanent" }], next: [] },
  ]);
}, 180_000);

test("each request shows what was answered, cut and with secrets masked, and what its connection took", async () => {
  const key = "the-key-that-the-endpoint-repeats";
  const body = `no room for ${key} ${"x".repeat(2_000)}`;
  // Its own: to one that was asked before a connection may still be open, which takes no time.
  const echo = await startReceiver();
  echo.script("/echo", { status: 503, headers: { "x-request-id": "r-1", "set-cookie": "a=b" }, body });
  const { id, writeKeys } = await deployment.control.createSource();
  const webhooks = [{ url: echo.url("/echo"), headers: { "x-key": key } }];
  await deployment.control.createDestination({ name: "/echo", sourceIds: [id], webhooks });
  await deployment.send(writeKeys[0], "track", { userId: "u1", event: "E", messageId: "shown" });

  const { destinations } = await callWhen("shown", "", are(["waiting", 1]));
  const [attempt] = destinations[0]?.attempts ?? [];
  const duration = expect.any(Number);
  expect(attempt).toMatchObject({
    status: 503,
    response: { headers: { "x-request-id": "r-1" }, body: expect.stringMatching(/^no room for \*+ x+$/) },
    connection: { address: "127.0.0.1", connectMs: duration, tlsMs: null, waitMs: duration },
  });
  expect(attempt?.response).not.toHaveProperty("headers.set-cookie");
  expect(Buffer.byteLength(attempt?.response?.body ?? "")).toBeLessThanOrEqual(1_024);
  expect(JSON.stringify(attempt)).not.toContain(key);
  await echo.close();
}, 180_000);

interface SentCall {
  readonly bodyText: string | null;
  readonly noBody: string | null;
  readonly attempts: readonly unknown[];
  readonly requests: readonly { readonly headers: Readonly<Record<string, string>>; readonly curl: string }[];
}

test("what a webhook was sent is shown, and a shell that has the secrets sends it again; nothing after a deletion", async () => {
  const key = "the-key-of-the-webhook";
  const own = await startReceiver({ secret: "s3cr3t" });
  signed = own;
  const { id, writeKeys } = await deployment.control.createSource();
  const webhooks = [{ url: own.url("/own"), headers: { "x-key": key } }];
  const body = { name: "/own", sourceIds: [id], sharedSecret: "s3cr3t", webhooks };
  const { id: destinationId } = await deployment.control.createDestination(body);
  own.script("/refusing", { status: 410 });
  const refusing = { name: "/refusing", sourceIds: [id], webhooks: [{ url: own.url("/refusing") }] };
  await deployment.control.createDestination(refusing);
  await deployment.send(writeKeys[0], "track", { userId: "it's u9", event: "E $(id)", messageId: "sent" });
  const { destinations } = await callWhen("sent", "", are(["delivered", 1], ["dead", 1]));
  const letterPath = url(`/v1/dead-letters/${destinations[1]?.deadLetters[0]?.id}`);
  const testFilter = () =>
    requestJson<{ calls: readonly { type: string }[] }>(url("/v1/filters/test"), {
      body: { sourceId: id, filter: { event: "E" } },
    });

  const path = url(`/v1/calls/sent/destinations/${destinationId}`);
  const { body: sent } = await requestJson<SentCall>(path);
  const [first] = own.requestsTo("/own");
  expect(sent).toMatchObject({ bodyText: first?.text, noBody: null, attempts: [{ status: 200 }] });
  const { curl = "", headers = {} } = sent.requests[0] ?? {};
  expect(headers).toMatchObject({ "x-key": "********", "X-Signature": "********" });
  expect(JSON.stringify(sent)).not.toContain(key);
  expect(spawnSync("bash", ["-c", curl], { encoding: "utf8" }).stderr).toContain("SHARED_SECRET");
  const shell = spawn("bash", ["-c", `SHARED_SECRET=s3cr3t HEADER_1_X_KEY=${key}\n${curl}`]);
  await once(shell, "close");
  const again = own.requestsTo("/own");
  expect(again).toHaveLength(2);
  expect(again[1]).toMatchObject({ signature: "valid", headers: { "x-key": key }, text: first?.text });

  expect((await requestJson(letterPath)).body).toMatchObject({ bodyText: first?.text, noBody: null });
  expect((await testFilter()).body.calls).toHaveLength(1);
  const regulation = { regulationType: "DELETE_ONLY", subjectType: "USER_ID", subjectIds: ["it's u9"] };
  expect((await requestJson(url("/v1/regulations"), { body: regulation })).status).toBe(202);
  const { body: gone } = await requestJson<SentCall>(path);
  expect(gone).toMatchObject({ bodyText: null, noBody: "user_deleted", attempts: [], requests: [] });
  const { body: letter } = await requestJson(letterPath);
  expect(letter).toMatchObject({ body: null, bodyText: null, noBody: "user_deleted" });
  // The notification of the deletion may be among the last calls by now.
  expect((await testFilter()).body.calls.filter(({ type }) => type !== "delete")).toEqual([]);
}, 180_000);

test("the same messageId in two sources asks for the source; an unknown one is not found", async () => {
  const one = await source(["/one"]);
  const other = await source(["/other"]);
  await one.send("twice");
  await other.send("twice");
  await callWhen("twice", `?sourceId=${one.id}`, are(["delivered", 1]));
  await callWhen("twice", `?sourceId=${other.id}`, are(["delivered", 1]));
  expect((await requestJson(url("/v1/calls/twice"))).status).toBe(422);
  expect((await requestJson(url(`/v1/calls/never?sourceId=${one.id}`))).status).toBe(404);
}, 180_000);

test("a call that one of two destinations takes says why the other did not get it, and a copy that it is one", async () => {
  const { destinations, id, send } = await source(["/all", "/page"], { "/page": { callTypes: ["page"] } });
  await send("partly");
  await callWhen("partly", "", are(["delivered", 1], ["passed_over", 0]));
  await send("partly");
  const call = await callWhen("partly", "", (_, { accepted }) => accepted?.length === 2);
  expect(call).toMatchObject({
    sourceId: id,
    type: "track",
    accepted: [
      { outcome: "routed", destinationIds: [destinations[0]] },
      { outcome: "duplicate", destinationIds: [] },
    ],
    destinations: [
      { state: "delivered", passedOver: null },
      { state: "passed_over", passedOver: "call_type_off", next: [], sendAgain: null },
    ],
  });
}, 180_000);

test("a call that no destination takes was accepted, and is dropped with the reason", async () => {
  const filter = { path: "properties.total", op: "gte", value: 100 };
  const { id, send } = await source(["/large"], { "/large": { filter } });
  const beganAtMs = Date.now();
  await send("small");
  const call = await callWhen("small", "", are(["passed_over", 0]));
  expect(call).toMatchObject({
    sourceId: id,
    type: "track",
    accepted: [{ outcome: "filter_off", destinationIds: [] }],
    destinations: [{ passedOver: "filter_off" }],
  });
  expect(Date.parse(call.receivedAt ?? "")).toBeGreaterThanOrEqual(beganAtMs - 1_000);
}, 180_000);

test("a call without any destination is dropped for that; one connected since was not, then", async () => {
  const { id, send } = await source([]);
  await send("early");
  await callWhen(
    "early",
    `?sourceId=${id}`,
    (_, { accepted }) => accepted?.[0]?.outcome === "no_destination",
  );
  const webhooks = [{ url: receiver.url("/late") }];
  await deployment.control.createDestination({ name: "/late", sourceIds: [id], webhooks });
  const { destinations } = await callWhen("early", "", are(["passed_over", 0]));
  expect(destinations).toMatchObject([{ name: "/late", passedOver: "not_connected" }]);
}, 180_000);
