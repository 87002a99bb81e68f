// Every limit of contract 7.5, at the limit and one over, on the decompressed body.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { MAX_BATCH_BYTES, MAX_BATCH_CALLS, MAX_CALL_BYTES } from "#contract";
import { answerToHeaders, BASIC, post, useFixture } from "../fixtures/http.ts";

const ingest = await useFixture();

const call = (text = "") => ({ type: "track", event: "E", userId: "u", properties: { text } });
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const callOf = (sizeBytes: number) => call("x".repeat(sizeBytes - bytes(call())));

/** A batch of exactly so many bytes, made of calls below their own limit. */
function batchOf(sizeBytes: number) {
  const batch = Array.from({ length: 20 }, () => call("x".repeat(20_000)));
  const last = call();
  const missing = sizeBytes - bytes({ batch: [...batch, last, last, last, last, last] });
  const share = Math.floor(missing / 5);
  const rest = [0, 1, 2, 3].map(() => call("x".repeat(share)));
  return { batch: [...batch, ...rest, call("x".repeat(missing - 4 * share))] };
}

async function send(path: string, body: unknown, encoding: "plain" | "gzip") {
  const json = JSON.stringify(body);
  const reply =
    encoding === "plain"
      ? await post(ingest, path, { body: json })
      : await post(ingest, path, { body: gzipSync(json), headers: { ...BASIC, "content-encoding": "gzip" } });
  return { status: reply.status, code: (reply.body as { code?: string }).code };
}

const PASSES = { status: 200, code: undefined };
const TOO_LARGE = { status: 400, code: "message_too_large" };

describe.each(["plain", "gzip"] as const)("%s bodies", (encoding) => {
  test("a single call of 32,768 bytes passes, one of 32,769 does not", async () => {
    expect(await send("/v1/track", callOf(MAX_CALL_BYTES), encoding)).toEqual(PASSES);
    expect(await send("/v1/track", callOf(MAX_CALL_BYTES + 1), encoding)).toEqual(TOO_LARGE);
  });

  test("a call of 32,768 bytes in a batch passes, one of 32,769 does not", async () => {
    expect(await send("/v1/batch", { batch: [callOf(MAX_CALL_BYTES)] }, encoding)).toEqual(PASSES);
    expect(await send("/v1/batch", { batch: [callOf(MAX_CALL_BYTES + 1)] }, encoding)).toEqual(TOO_LARGE);
  });

  test("a batch of 512,000 bytes passes, one of 512,001 does not", async () => {
    expect(bytes(batchOf(MAX_BATCH_BYTES))).toBe(MAX_BATCH_BYTES);
    expect(await send("/v1/batch", batchOf(MAX_BATCH_BYTES), encoding)).toEqual(PASSES);
    expect(await send("/v1/batch", batchOf(MAX_BATCH_BYTES + 1), encoding)).toEqual(TOO_LARGE);
  });

  test("a batch of 2,500 calls passes, one of 2,501 does not", async () => {
    const batch = new Array(MAX_BATCH_CALLS).fill(call());
    expect(await send("/v1/batch", { batch }, encoding)).toEqual(PASSES);
    expect(await send("/v1/batch", { batch: [...batch, call()] }, encoding)).toEqual({
      status: 400,
      code: "too_many_messages",
    });
  });
});

test("gzip that cannot compress a body at the limit does not put it over", async () => {
  const batch = batchOf(MAX_BATCH_BYTES);
  const stored = gzipSync(JSON.stringify(batch), { level: 0 });
  expect(stored.length).toBeGreaterThan(MAX_BATCH_BYTES);
  const reply = await post(ingest, "/v1/batch", {
    body: stored,
    headers: { ...BASIC, "content-encoding": "gzip" },
  });
  expect(reply.status).toBe(200);
});

test("a body without a declared length is cut off at the limit too", async () => {
  let sentBytes = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sentBytes += 16_384;
      if (sentBytes > 1_000_000) controller.close();
      else controller.enqueue(new Uint8Array(16_384).fill(32));
    },
  });
  const init = { method: "POST", headers: BASIC, body: endless, duplex: "half" } as RequestInit;
  const response = await fetch(`${ingest.url}/v1/batch`, init);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "message_too_large" });
});

test("a declared length over the limit is answered before the body comes", async () => {
  const answer = await answerToHeaders(ingest, "/v1/track", { ...BASIC, "content-length": "40000" });
  expect(answer).toMatchObject({ status: 400, body: { code: "message_too_large" } });
});
