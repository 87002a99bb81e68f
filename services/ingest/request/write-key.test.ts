import { describe, expect, test } from "@jest/globals";
import {
  answerToHeaders,
  DISABLED_KEY,
  FORMER_KEY,
  post,
  startFixture,
  useFixture,
  WRITE_KEY,
} from "../fixtures/http.ts";
import { createHeaderReader } from "./authorization-header.ts";

const ingest = await useFixture();
const call = { type: "track", event: "E", userId: "u" };

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

  test("a former one is noted with its sender, once its call is stored, wherever it stands", async () => {
    const noted: unknown[] = [];
    const parts = { formerKeys: { used: (...use: unknown[]) => void noted.push(use) } };
    const fixture = await startFixture({ parts });
    const agent = { "user-agent": "old-shop/1" };
    await post(fixture, "/v1/track", { body: call, headers: { ...basic(`${FORMER_KEY}:`), ...agent } });
    await post(fixture, "/v1/batch", { body: { batch: [call], writeKey: FORMER_KEY }, headers: agent });
    await post(fixture, "/v1/track", { body: call, headers: { ...basic(WRITE_KEY), ...agent } });
    await post(fixture, "/v1/track", { body: {}, headers: { ...basic(FORMER_KEY), ...agent } });
    await fixture.close();
    const origin = { userAgent: "old-shop/1", address: "127.0.0.1" };
    expect(noted).toEqual([
      ["src_3", FORMER_KEY, origin],
      ["src_3", FORMER_KEY, origin],
    ]);
  });

  test.each([
    [WRITE_KEY, { status: 200 }],
    ["nope", { status: 400, body: { code: "unknown_source" } }],
  ])("a Bearer token that is no write key leaves it to the body's: %s", async (writeKey, reply) => {
    const headers = { authorization: "Bearer some.oauth.token" };
    expect(await post(ingest, "/v1/track", { body: { ...call, writeKey }, headers })).toMatchObject(reply);
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

  test.each([
    ["a Basic key that belongs to no source", "nope", "unknown_source"],
    ["a disabled source", DISABLED_KEY, "source_disabled"],
  ])("%s is refused by the header alone, before a body comes", async (_, key, code) => {
    const answer = await answerToHeaders(ingest, "/v1/batch", { ...basic(key), "content-length": "100" });
    expect(answer).toMatchObject({ status: 400, body: { success: false, code } });
  });
});

describe("headers read before", () => {
  test("are remembered up to a number, then all forgotten, and read rightly again", () => {
    const headers = createHeaderReader(3);
    const sizes = ["a", "b", "c", "d", "d", "a"].map((key) => {
      expect(headers.read(`Bearer ${key}`)).toEqual({ scheme: "bearer", key });
      return headers.size;
    });
    expect(sizes).toEqual([1, 2, 3, 1, 1, 2]);
  });

  test("are not remembered when they are long, nor do wrong ones turn into others", () => {
    const headers = createHeaderReader(3);
    expect(headers.read(`Bearer ${"x".repeat(600)}`)?.key).toHaveLength(600);
    expect(headers.size).toBe(0);
    expect([headers.read("Digest x"), headers.read("Digest x"), headers.read(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(headers.size).toBe(1);
  });
});
