// A call in over HTTP, a signed webhook out, every service a process of its own, on real Kafka.
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Source, sendCall } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { type ReceivedRequest, type Receiver, startReceiver } from "#support/receiver";
import { EVERY_CALL_TYPE } from "./calls.ts";

const SECRET = "s3cr3t";
const START_TIMEOUT_MS = 240_000;

let deployment: Deployment;
let receiver: Receiver;
let source: Source;

/** A source of its own with one destination, for tests that count what arrives; gives its write key. */
async function sourceTo(...paths: readonly [string, ...string[]]): Promise<string> {
  const { id, writeKeys } = await deployment.control.createSource();
  const webhooks = paths.map((path) => ({ url: receiver.url(path) }));
  await deployment.control.createDestination({ sourceIds: [id], webhooks });
  return writeKeys[0];
}

function messageIds(requests: readonly ReceivedRequest[]): unknown[] {
  return requests.map(({ json }) => json["messageId"]);
}

beforeAll(async () => {
  receiver = await startReceiver({ secret: SECRET });
  deployment = await startDeployment();
  source = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [source.id],
    sharedSecret: SECRET,
    webhooks: [{ url: receiver.url("/all"), headers: { "X-Team": "growth" } }],
  });
}, START_TIMEOUT_MS);

afterAll(async () => {
  const codes = await deployment?.stop();
  await receiver.close();
  expect(codes).toEqual({ ingest: 0, "webhook-router": 0, deliverer: 0, control: 0 });
}, 180_000);

describe("a call of each type arrives with exactly the contract's body (2.4)", () => {
  test.each(EVERY_CALL_TYPE)("$type", async ({ type, call, body }) => {
    const messageId = randomUUID();
    const answer = await deployment.send(source.writeKeys[0], type, call(messageId));
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    const requests = await receiver.untilReceived("/all", 1);
    const request = await receivedWith(messageId, requests.length);
    expect(request.text).toBe(JSON.stringify(body(messageId, request.json["receivedAt"])));
    expect(Date.parse(String(request.json["receivedAt"]))).toBeGreaterThan(Date.now() - 60_000);
  });
});

/** The request that carries this message id, once it has come. */
async function receivedWith(messageId: string, atLeast: number): Promise<ReceivedRequest> {
  for (let count = atLeast; ; count += 1) {
    const requests = await receiver.untilReceived("/all", count);
    const found = requests.find(({ json }) => json["messageId"] === messageId);
    if (found !== undefined) return found;
  }
}

describe("the delivered request", () => {
  test("has the contract's headers, the webhook's own and a valid signature (2.2, 2.3)", async () => {
    const messageId = randomUUID();
    const call = {
      messageId,
      userId: "u1",
      event: "Grüße ✓ <&>",
      properties: { "2": "b", "10": "a", n: 1e21 },
    };
    await deployment.send(source.writeKeys[0], "track", call);
    const request = await receivedWith(messageId, 1);
    expect(request).toMatchObject({ method: "POST", path: "/all", signature: "valid" });
    expect(request.headers).toMatchObject({
      "user-agent": "Hookline/1.0",
      "content-type": "application/json",
      "x-team": "growth",
      "content-length": String(request.rawBody.length),
    });
    const names = request.headerLines.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(["User-Agent", "Content-Type", "X-Signature", "X-Team"]));
  });

  test("has no signature without a shared secret (2.2)", async () => {
    const writeKey = await sourceTo("/unsigned");
    await deployment.send(writeKey, "track", { userId: "u1", event: "E" });
    const [request] = await receiver.untilReceived("/unsigned", 1);
    expect(request?.signature).toBe("absent");
  });

  test("carries a message id and the server's time when the caller gave none (1.6, 1.7)", async () => {
    const writeKey = await sourceTo("/bare");
    await deployment.send(writeKey, "track", { anonymousId: "a1", event: "E" });
    const [request] = await receiver.untilReceived("/bare", 1);
    expect(request?.json).toMatchObject({ anonymousId: "a1", messageId: expect.any(String) });
    expect(request?.json["timestamp"]).toBe(request?.json["receivedAt"]);
    expect(request?.json).not.toHaveProperty("userId");
  });
});

describe("integrations decide whether a call is forwarded (1.4)", () => {
  const FORWARDED = [
    undefined,
    {},
    { Webhooks: true },
    { All: false, Webhooks: true },
    { Webhooks: { x: 1 } },
  ];
  const HELD_BACK = [{ Webhooks: false }, { All: false }, { all: false }, { All: false, webhooks: true }];

  test("absent, true and an object forward; false, and All false without an explicit true, do not", async () => {
    const writeKey = await sourceTo("/integrations");
    const send = (integrations: object | undefined, event: string) =>
      deployment.send(writeKey, "track", { userId: "u1", event, ...(integrations && { integrations }) });
    for (const [i, integrations] of HELD_BACK.entries()) await send(integrations, `held back ${i}`);
    for (const [i, integrations] of FORWARDED.entries()) await send(integrations, `forwarded ${i}`);
    const requests = await receiver.untilReceived("/integrations", FORWARDED.length);
    // One user's calls are delivered in order, so what was held back would have come first.
    expect(requests.map(({ json }) => json["event"]).toSorted()).toEqual(
      FORWARDED.map((_, i) => `forwarded ${i}`),
    );
  });
});

describe("five webhooks (3.2)", () => {
  const ALL = ["/five/a", "/five/b", "/five/c", "/five/d", "/five/good"] as const;

  test("are all tried, and when one succeeds the call is not sent to any of them again", async () => {
    const [a, b, c, d] = ALL;
    receiver.script(a, { status: 500 });
    receiver.script(b, { status: 404 });
    receiver.script(c, { behaviour: "reset" });
    receiver.script(d, { status: 429 });
    const writeKey = await sourceTo(...ALL);
    await deployment.send(writeKey, "track", { userId: "u1", event: "first" });
    for (const path of ALL) await receiver.untilReceived(path, 1);
    // A second call that goes through every retry delay outlasts any retry of the first.
    receiver.script("/five/good", { status: 503 }, { status: 503 }, { status: 200 });
    await deployment.send(writeKey, "track", { userId: "u1", event: "second" });
    await receiver.untilReceived("/five/good", 4);
    const firsts = ALL.map(
      (path) => receiver.requestsTo(path).filter(({ json }) => json["event"] === "first").length,
    );
    expect(firsts).toEqual([1, 1, 1, 1, 1]);
    // Permanent failures are not tried again (3.4).
    expect(receiver.requestsTo(b)).toHaveLength(2);
  });
});

describe("the other ways in (7.1)", () => {
  test("every valid call of a batch arrives, merged with the root's context, and the invalid one is named (7.4)", async () => {
    const writeKey = await sourceTo("/batch");
    const answer = await deployment.send(writeKey, "batch", {
      context: { app: "root", locale: "de" },
      batch: [
        { type: "track", userId: "u1", event: "one", messageId: "b-1" },
        { type: "track", event: "nobody", messageId: "b-2" },
        { type: "identify", userId: "u1", messageId: "b-3", context: { app: "own" } },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: true, rejected: [{ index: 1, code: "no_user_anon_id" }] });
    const requests = await receiver.untilReceived("/batch", 2);
    const contexts = Object.fromEntries(requests.map(({ json }) => [json["messageId"], json["context"]]));
    expect(contexts).toEqual({ "b-1": { app: "root", locale: "de" }, "b-3": { app: "own", locale: "de" } });
  });

  test("a batch of a hundred calls arrives whole, each call once", async () => {
    const writeKey = await sourceTo("/hundred");
    const batch = Array.from({ length: 100 }, (_, i) => ({
      type: "track",
      userId: `u${i % 10}`,
      event: "Bulk",
      messageId: `h-${i}`,
    }));
    await deployment.send(writeKey, "batch", { batch });
    const requests = await receiver.untilReceived("/hundred", 100);
    expect(new Set(messageIds(requests)).size).toBe(100);
  });

  test("a gzipped body without a content type and with the key in the body", async () => {
    const writeKey = await sourceTo("/gzip");
    const batch = [{ type: "track", userId: "u1", event: "zipped" }];
    const answer = await sendCall(deployment.ingestUrl(), {
      route: "b",
      writeKey,
      body: gzipSync(JSON.stringify({ writeKey, batch })),
      headers: { "content-encoding": "gzip", "content-type": "" },
    });
    expect(answer.status).toBe(200);
    const [request] = await receiver.untilReceived("/gzip", 1);
    expect(request?.json["event"]).toBe("zipped");
  });

  test("a pixel", async () => {
    const writeKey = await sourceTo("/pixel");
    const data = Buffer.from(JSON.stringify({ writeKey, userId: "u1", event: "opened" })).toString("base64");
    const response = await fetch(`${deployment.ingestUrl()}/v1/pixel/track?data=${encodeURIComponent(data)}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/gif"]);
    await response.arrayBuffer();
    const [request] = await receiver.untilReceived("/pixel", 1);
    expect(request?.json).toMatchObject({ type: "track", userId: "u1", event: "opened" });
    expect(request?.text).not.toContain(writeKey);
  });

  test("the same messageId is delivered once, however often it is sent (1.8)", async () => {
    const writeKey = await sourceTo("/once");
    const call = { userId: "u1", event: "once", messageId: "same" };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => deployment.send(writeKey, "track", call)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await deployment.send(writeKey, "track", { userId: "u1", event: "last" });
    await receiver.untilReceived("/once", 2);
    expect(
      receiver
        .requestsTo("/once")
        .map(({ json }) => json["event"])
        .toSorted(),
    ).toEqual(["last", "once"]);
  });
});
