import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ControlService, newEncryptionKey, startControl } from "#support/control-service";
import { type Receiver, startReceiver } from "#support/receiver";

const SECRET = "s3cr3t-of-the-destination";

let control: ControlService;
let receiver: Receiver;
let sourceId: string;

beforeAll(async () => {
  receiver = await startReceiver({ secret: SECRET });
  control = await startControl({
    settings: { HOOKLINE_RESPONSE_DEADLINE: "8s", HOOKLINE_USER_AGENT: "Acme" },
  });
  sourceId = (await control.ask("/v1/sources", { body: { name: "Web" } })).body.id;
});
afterAll(async () => {
  await control.stop();
  await receiver.close();
});

async function create(webhooks: object[], more: object = { sharedSecret: SECRET }): Promise<string> {
  const body = { name: "D", sourceIds: [sourceId], webhooks, ...more };
  return (await control.ask("/v1/destinations", { body })).body.id;
}

const testOf = (id: string, body?: object) =>
  control.ask(`/v1/destinations/${id}/test`, { method: "POST", ...(body === undefined ? {} : { body }) });

describe("the test call (contract 10.4)", () => {
  test("says that a key is missing, and sends nothing", async () => {
    const id = await create([{ url: receiver.url("/unreadable") }]);
    const { stack, prefix } = control;
    const other = await startControl({ stack, prefix, keys: newEncryptionKey("k2") });
    const { status, body } = await other.ask(`/v1/destinations/${id}/test`, { method: "POST" });
    const said = other.logs.map((line) => JSON.parse(line));
    expect(said.filter(({ msg }) => /secrets that no configured key opens/.test(msg))).toMatchObject([
      { level: "error", destinations: expect.any(Number), error: expect.stringContaining("the id k1") },
    ]);
    await other.stop();
    expect([status, body.delivered]).toEqual([200, false]);
    expect(body.webhooks).toMatchObject([
      {
        outcome: "retryable",
        reason: "secret_unreadable",
        error: "nothing was sent: no encryption key with the id k1 is configured (HOOKLINE_ENCRYPTION_KEYS)",
      },
    ]);
    expect(receiver.requestsTo("/unreadable")).toEqual([]);
  });

  test("a sample goes to every webhook, signed and with its headers, while the destination is off", async () => {
    receiver.script("/sample-b", { status: 201, body: "thanks" });
    const id = await create([
      { url: receiver.url("/sample-a"), headers: { "X-Key": "key of a" } },
      { url: receiver.url("/sample-b") },
    ]);
    const { status, body } = await testOf(id);
    expect(status).toBe(200);
    expect(body).toEqual({
      messageId: expect.stringMatching(/^test-/),
      delivered: true,
      webhooks: [
        {
          webhookId: expect.stringMatching(/^whk_[0-9a-f]{12}$/),
          url: receiver.url("/sample-a"),
          outcome: "success",
          reason: null,
          status: 200,
          durationMs: expect.any(Number),
          error: null,
          response: "ok",
        },
        expect.objectContaining({ outcome: "success", status: 201, response: "thanks" }),
      ],
    });
    const [a] = receiver.requestsTo("/sample-a");
    const [b] = receiver.requestsTo("/sample-b");
    expect(a).toMatchObject({ method: "POST", signature: "valid" });
    expect(a?.headers).toMatchObject({
      "user-agent": "Acme/1.0",
      "content-type": "application/json",
      "x-key": "key of a",
      "x-signature": createHmac("sha1", SECRET)
        .update(a?.rawBody ?? "")
        .digest("hex"),
    });
    expect(a?.json).toMatchObject({
      version: 1,
      type: "track",
      event: "Test Event",
      messageId: body.messageId,
    });
    expect(b?.headers["x-key"]).toBeUndefined();
    expect(b?.text).toBe(a?.text);
  });

  test("a given call is sent as ingest would have accepted it", async () => {
    const id = await create([{ url: receiver.url("/given") }], {});
    const call = {
      type: "identify",
      userId: "019mr8mf4r",
      traits: { name: "Ö" },
      timestamp: "2012-12-02T00:30:08+0000",
    };
    expect((await testOf(id, { call })).body.delivered).toBe(true);
    const [request] = receiver.requestsTo("/given");
    expect(request?.signature).toBe("absent");
    expect(request?.text).toMatch(
      /^{"version":1,"type":"identify","userId":"019mr8mf4r","traits":{"name":"Ö"},"timestamp":"2012-12-02T00:30:08.000Z","context":{}/,
    );
  });

  test("a call that ingest would refuse is refused, with ingest's own code", async () => {
    const id = await create([{ url: receiver.url("/refused") }]);
    const { status, body } = await testOf(id, { call: { type: "track", userId: "u" } });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ path: "call", message: expect.stringContaining("event_not_defined") }]);
    expect((await testOf(id, { call: "no object" })).body.errors).toEqual([
      { path: "call", message: "must be an object" },
    ]);
    expect(receiver.requestsTo("/refused")).toHaveLength(0);
  });

  test("each webhook's own failure is told, and one success is enough", async () => {
    receiver.script("/down", { status: 503, body: "down for maintenance" });
    receiver.script("/gone", { status: 410 });
    receiver.script("/hang", { behaviour: "hang" });
    const id = await create([
      { url: receiver.url("/down") },
      { url: receiver.url("/gone") },
      { url: receiver.url("/hang") },
      { url: "http://169.254.169.254/latest" },
      { url: receiver.url("/fine") },
    ]);
    const { body } = await testOf(id);
    expect(body.delivered).toBe(true);
    expect(body.webhooks).toMatchObject([
      {
        outcome: "retryable",
        reason: "http_5xx",
        status: 503,
        error: "the webhook answered with status 503",
        response: "down for maintenance",
      },
      { outcome: "permanent", reason: "http_4xx", status: 410, response: "" },
      { outcome: "retryable", reason: "timeout", status: null, error: expect.any(String), response: null },
      { outcome: "permanent", reason: "no_usable_address", status: null, durationMs: 0, response: null },
      { outcome: "success" },
    ]);
    // By the deadline that is set here, 8 s, not by the default of 5 s.
    expect(body.webhooks[2].durationMs).toBeGreaterThanOrEqual(7_990);
  });

  test("no webhook answered well: nothing was delivered, and the answer is still a 200", async () => {
    receiver.script("/bad", { status: 500 });
    const { status, body } = await testOf(await create([{ url: receiver.url("/bad") }]));
    expect({ status, delivered: body.delivered }).toEqual({ status: 200, delivered: false });
  });

  test("of a long response the first 1 KiB is shown, and no half character", async () => {
    receiver.script("/long", { status: 200, body: `a${"é".repeat(2_000)}` });
    const { body } = await testOf(await create([{ url: receiver.url("/long") }]));
    expect(body.webhooks[0].response).toBe(`a${"é".repeat(511)}`);
  });

  test("a response without end does not hold the test up", async () => {
    receiver.script("/endless", { behaviour: "endless_body" });
    const { body } = await testOf(await create([{ url: receiver.url("/endless") }]));
    expect(body.webhooks[0]).toMatchObject({ outcome: "success", response: "x".repeat(1_024) });
  });

  test("what a webhook sends back of its own secrets is masked, also across the end of what is shown", async () => {
    const value = `key-${"v".repeat(200)}`;
    const path = "/echo/T0kenOfTheChannel";
    const body500 = `${SECRET} T0KENOFTHECHANNEL ${"x".repeat(950)} ${value}`;
    receiver.script(path, { status: 500, body: body500 });
    const id = await create([{ url: receiver.url(path), headers: { "X-Key": `Bearer ${value}` } }]);
    const { text, body } = await testOf(id);
    expect(body.webhooks[0].response).toMatch(/^\*{8} \*{8} x+ \*{8}$/);
    expect(text).not.toContain("vvv");
  });

  test("what a webhook sends back of another one's URL is masked too", async () => {
    receiver.script("/tells", { status: 500, body: "see 0therT0ken" });
    const id = await create([{ url: receiver.url("/tells") }, { url: receiver.url("/told/0therT0ken") }]);
    expect((await testOf(id)).body.webhooks[0].response).toBe("see ********");
  });

  test("unknown and forbidden names and addresses are answered alike, none sooner than another", async () => {
    const narrow = await startControl({ settings: { HOOKLINE_EGRESS_ALLOW_CIDRS: "" } });
    const hosts = ["localhost", "nowhere.invalid", "10.255.255.1", "[::ffff:169.254.169.254]"];
    const answers = [];
    for (const host of hosts) {
      const body = { name: "D", sourceIds: [], webhooks: [{ url: `http://${host}:9/` }] };
      const { id } = (await narrow.ask("/v1/destinations", { body })).body;
      const startedAtMs = performance.now();
      const answer = await narrow.ask(`/v1/destinations/${id}/test`, { method: "POST" });
      const { url: _, webhookId: __, ...shown } = answer.body.webhooks[0];
      answers.push(shown);
      expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(990);
    }
    await narrow.stop();
    expect(answers[0]).toMatchObject({ reason: "no_usable_address" });
    for (const shown of answers) expect(shown).toEqual(answers[0]);
  });

  test("there is no test of a destination that is not there", async () => {
    expect((await testOf("dst_none")).status).toBe(404);
  });
});
