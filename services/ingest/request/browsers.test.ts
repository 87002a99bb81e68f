import { describe, expect, test } from "@jest/globals";
import { BASIC, post, useFixture, WRITE_KEY } from "../fixtures/http.ts";

const ingest = await useFixture();

const call = { type: "track", event: "E", userId: "u" };

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

  test("HEAD is answered as if it were a picture, and stores nothing", async () => {
    const url = `${ingest.url}/v1/pixel/track?data=${Buffer.from(data).toString("base64url")}`;
    const { status, headers } = await fetch(url, { method: "HEAD" });
    expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([
      200,
      "image/gif",
      "42",
    ]);
    expect(ingest.stored).toEqual([]);
  });

  test("what is longer than a request may be is a picture too", async () => {
    expect(await pixel("track", "A".repeat(20_000))).toEqual(GIF);
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

  test("no shared cache may keep them: they name the host that was asked", async () => {
    const { headers } = await fetch(`${ingest.url}/v1/projects/${WRITE_KEY}/settings`);
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(headers.get("vary")).toBe("Host, Origin");
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
    for (const name of ["authorization", "content-type", "x-retry-count", "traceparent", "tracestate"]) {
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
