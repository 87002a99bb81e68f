import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { CALL_TYPES } from "#contract";
import { BASIC, DISABLED_KEY, type IngestFixture, post, startFixture, WRITE_KEY } from "./http-fixture.ts";

let ingest: IngestFixture;
beforeAll(async () => {
  ingest = await startFixture();
});
afterAll(() => ingest.close());
beforeEach(() => {
  ingest.stored.length = 0;
});

const ALL_FIELDS = { userId: "u", event: "E", groupId: "g", previousId: "p" };
const call = { type: "track", event: "E", userId: "u" };
const SUCCESS = { success: true };

describe("routes (contract 7.1)", () => {
  const routes = CALL_TYPES.flatMap((type) =>
    [type, type.slice(0, 1)].flatMap((name) => [`/v1/${name}`, `/v1/${name}/`]).map((path) => [path, type]),
  );

  test.each(routes)("POST %s takes one %s call", async (path, type) => {
    expect(await post(ingest, path, { body: ALL_FIELDS })).toMatchObject({ status: 200, body: SUCCESS });
    expect(ingest.stored).toMatchObject([{ type }]);
  });

  test.each(["/v1/batch", "/v1/batch/", "/v1/import", "/v1/import/", "/v1/b", "/v1/b/", "/v1/b?retry=1"])(
    "POST %s takes a batch",
    async (path) => {
      expect(await post(ingest, path, { body: { batch: [call, call] } })).toMatchObject({
        status: 200,
        body: SUCCESS,
      });
      expect(ingest.stored).toHaveLength(2);
    },
  );

  test('success is exactly {"success":true}', async () => {
    const response = await fetch(`${ingest.url}/v1/t`, {
      method: "POST",
      headers: BASIC,
      body: JSON.stringify(call),
    });
    expect(await response.text()).toBe('{"success":true}');
  });

  test("client metrics are accepted and discarded, whatever they are", async () => {
    expect(await post(ingest, "/v1/m", { body: "not json", headers: {} })).toMatchObject({
      status: 200,
      body: SUCCESS,
    });
    expect(ingest.stored).toEqual([]);
  });

  test.each([
    ["GET", "/"],
    ["GET", "/v1/track"],
    ["POST", "/v1/unknown"],
    ["POST", "/v1"],
    ["PUT", "/v1/batch"],
    ["GET", "/v1/projects/x"],
    ["POST", "//v1/track"],
    ["DELETE", "/v1/__proto__"],
  ])("%s %s is nothing: 404 as JSON", async (method, path) => {
    const response = await fetch(ingest.url + path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ success: false, code: "not_found" });
  });
});

describe("write keys (contract 6.2)", () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

  test.each([
    ["Basic with a colon", basic(`${WRITE_KEY}:`)],
    ["Basic without a colon", basic(WRITE_KEY)],
    ["Basic with a password", basic(`${WRITE_KEY}:x:y`)],
    ["basic in lower case", { authorization: basic(WRITE_KEY).authorization.replace("Basic", "basic") }],
    ["Bearer", { authorization: `Bearer ${WRITE_KEY}` }],
  ])("%s is accepted", async (_, headers) => {
    expect(await post(ingest, "/v1/track", { body: call, headers })).toMatchObject({ status: 200 });
  });

  test.each(["/v1/track", "/v1/batch"])("writeKey in the body of %s is accepted", async (path) => {
    const body = { ...call, batch: [call], writeKey: WRITE_KEY };
    expect(await post(ingest, path, { body, headers: {} })).toMatchObject({ status: 200 });
  });

  test("a Bearer token that is no write key leaves it to the body's", async () => {
    const headers = { authorization: "Bearer some.oauth.token" };
    expect(
      await post(ingest, "/v1/track", { body: { ...call, writeKey: WRITE_KEY }, headers }),
    ).toMatchObject({
      status: 200,
    });
  });

  test.each([
    ["none", {}, call],
    ["an unknown one", basic("nope"), call],
    ["one that is no string", {}, { ...call, writeKey: 5 }],
    ["an empty one", basic(""), { ...call, writeKey: "" }],
    ["a scheme that is unknown", { authorization: "Digest x" }, call],
  ])("%s is unknown_source with 400", async (_, headers, body) => {
    const reply = await post(ingest, "/v1/track", { body, headers: headers as Record<string, string> });
    expect(reply).toMatchObject({ status: 400, body: { success: false, code: "unknown_source" } });
  });

  test("a disabled source is source_disabled with 400", async () => {
    const reply = await post(ingest, "/v1/track", { body: call, headers: basic(DISABLED_KEY) });
    expect(reply).toMatchObject({ status: 400, body: { code: "source_disabled" } });
  });
});

describe("bodies (contract 7.5)", () => {
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-8",
    "nonsense",
  ])("Content-Type %s does not matter", async (type) => {
    const headers = { ...BASIC, "content-type": type };
    expect(await post(ingest, "/v1/track", { body: JSON.stringify(call), headers })).toMatchObject({
      status: 200,
    });
  });

  test.each(["gzip", "x-gzip", "GZIP"])("Content-Encoding %s is inflated", async (encoding) => {
    const body = gzipSync(JSON.stringify({ batch: [call] }));
    expect(
      await post(ingest, "/v1/batch", { body, headers: { ...BASIC, "content-encoding": encoding } }),
    ).toMatchObject({
      status: 200,
    });
  });

  test("gzip without its header is seen", async () => {
    expect(
      await post(ingest, "/v1/batch", { body: gzipSync(JSON.stringify({ batch: [call] })) }),
    ).toMatchObject({
      status: 200,
    });
  });

  test("a byte order mark is skipped", async () => {
    expect(await post(ingest, "/v1/track", { body: `\ufeff${JSON.stringify(call)}` })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    ["br", "[]", "invalid_encoding"],
    ["gzip", "{}", "invalid_encoding"],
    ["identity", "{", "invalid_json"],
    ["identity", "", "invalid_json"],
  ])("%s with %j is refused", async (encoding, body, code) => {
    const reply = await post(ingest, "/v1/track", {
      body,
      headers: { ...BASIC, "content-encoding": encoding },
    });
    expect(reply).toMatchObject({ status: 400, body: { success: false, code } });
  });

  test("a gzip stream that is cut off is refused", async () => {
    const body = gzipSync(JSON.stringify({ batch: [call] })).subarray(0, 30);
    const reply = await post(ingest, "/v1/batch", {
      body,
      headers: { ...BASIC, "content-encoding": "gzip" },
    });
    expect(reply).toMatchObject({ status: 400, body: { code: "invalid_encoding" } });
  });
});

describe("a batch is accepted in part (contract 7.4)", () => {
  test("valid calls are stored, the others named with index, code and message", async () => {
    const batch = [call, { type: "track", userId: "u" }, 5, call];
    const reply = await post(ingest, "/v1/batch", { body: { batch } });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        success: true,
        rejected: [
          { index: 1, code: "event_not_defined", message: "track needs event" },
          { index: 2, code: "not_an_object" },
        ],
      },
    });
    expect(ingest.stored).toHaveLength(2);
  });

  test("with none valid it is 400, with every reason", async () => {
    const reply = await post(ingest, "/v1/batch", { body: { batch: [{ type: "x" }, { type: "page" }] } });
    expect(reply).toMatchObject({
      status: 400,
      body: {
        success: false,
        code: "invalid_type",
        rejected: [
          { index: 0, code: "invalid_type" },
          { index: 1, code: "no_user_anon_id" },
        ],
      },
    });
    expect(ingest.stored).toEqual([]);
  });

  test("an error repeats its message as `error`", async () => {
    const { body } = await post(ingest, "/v1/track", { body: { userId: "u" } });
    expect(body).toEqual({
      success: false,
      code: "event_not_defined",
      message: "track needs event",
      error: "track needs event",
    });
  });
});

describe("the pixel (contract 7.1)", () => {
  const pixel = async (type: string, data: string) => {
    const response = await fetch(`${ingest.url}/v1/pixel/${type}?data=${data}`);
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      bytes: (await response.bytes()).length,
    };
  };
  const GIF = { status: 200, type: "image/gif", bytes: 42 };
  const data = JSON.stringify({ ...call, properties: { text: "ÿ>?" }, writeKey: WRITE_KEY });

  test.each(["base64", "base64url"] as const)("a call in %s is stored", async (encoding) => {
    expect(await pixel("track", Buffer.from(data).toString(encoding))).toEqual(GIF);
    expect(ingest.stored).toMatchObject([{ type: "track", event: "E" }]);
  });

  test.each([
    ["track", ""],
    ["track", "%%%"],
    ["nope", Buffer.from(data).toString("base64url")],
    ["track", Buffer.from('{"userId":"u"}').toString("base64url")],
  ])("%s with %j is a picture all the same", async (type, text) => {
    expect(await pixel(type, text)).toEqual(GIF);
    expect(ingest.stored).toEqual([]);
  });
});

describe("settings of browser and mobile SDKs (contract 7.1)", () => {
  test("they name the place to send to", async () => {
    const response = await fetch(`${ingest.url}/v1/projects/${WRITE_KEY}/settings`);
    expect(await response.json()).toMatchObject({
      integrations: { "Segment.io": { apiKey: WRITE_KEY, apiHost: `127.0.0.1:${ingest.port}/v1` } },
      plan: { track: { __default: { enabled: true, integrations: {} } } },
    });
  });

  test("an unknown write key is refused", async () => {
    const response = await fetch(`${ingest.url}/v1/projects/%zz/settings`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "unknown_source" });
  });
});

describe("browsers (contract 7.6, 7.7)", () => {
  test.each([
    "/v1/t",
    "/v1/batch",
    "/v1/m",
    "/v1/pixel/track",
    `/v1/projects/${WRITE_KEY}/settings`,
    "/elsewhere",
  ])("a preflight of %s is allowed for any origin", async (path) => {
    const headers = {
      origin: "https://shop.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-retry-count",
    };
    const response = await fetch(ingest.url + path, { method: "OPTIONS", headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    for (const name of ["authorization", "content-type", "x-retry-count"]) {
      expect(response.headers.get("access-control-allow-headers")).toContain(name);
    }
  });

  test("answers may be read, refusals too, and Retry-After is exposed", async () => {
    const headers = { origin: "https://shop.example" };
    const { status, headers: answered } = await post(ingest, "/v1/t", { body: call, headers });
    expect(status).toBe(400);
    expect(answered.get("access-control-allow-origin")).toBe("*");
    expect(answered.get("access-control-expose-headers")).toContain("Retry-After");
  });

  test("a call with an Origin gets context.ip, a server's does not", async () => {
    await post(ingest, "/v1/t", { body: call, headers: { ...BASIC, origin: "https://shop.example" } });
    await post(ingest, "/v1/t", { body: call });
    const ips = ingest.stored.map(({ body }) => JSON.parse(body).context.ip);
    expect(ips).toEqual(["127.0.0.1", undefined]);
  });
});
