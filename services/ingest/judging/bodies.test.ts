import { createHook } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { BASIC, post, useFixture } from "../fixtures/http.ts";
import { inflate, MAX_IN_THREADS } from "./inflate.ts";

const ingest = await useFixture();

const call = { type: "track", event: "E", userId: "u" };

describe("bodies (contract 7.5)", () => {
  const json = JSON.stringify(call);
  const zipped = gzipSync(json);

  test.each([
    ["as text/plain", json, { "content-type": "text/plain" }],
    ["as a form", json, { "content-type": "application/x-www-form-urlencoded" }],
    ["with its charset", json, { "content-type": "application/json; charset=utf-8" }],
    ["as nonsense", json, { "content-type": "nonsense" }],
    ["as gzip", zipped, { "content-encoding": "gzip" }],
    ["as x-gzip", zipped, { "content-encoding": "x-gzip" }],
    ["as GZIP", zipped, { "content-encoding": "GZIP" }],
    ["as gzip without its header", zipped, {}],
    ["behind a byte order mark", `\ufeff${json}`, {}],
  ])("JSON %s is taken", async (_, body, headers) => {
    const reply = await post(ingest, "/v1/track", { body, headers: { ...BASIC, ...headers } });
    expect(reply).toMatchObject({ status: 200 });
    expect(ingest.stored).toHaveLength(1);
  });

  test.each([
    ["br", "[]", "invalid_encoding"],
    ["gzip", "{}", "invalid_encoding"],
    ["gzip", zipped.subarray(0, 30), "invalid_encoding"],
    ["identity", "{", "invalid_json"],
    ["identity", "", "invalid_json"],
  ])("%s with %j is refused", async (encoding, body, code) => {
    const headers = { ...BASIC, "content-encoding": encoding };
    const reply = await post(ingest, "/v1/track", { body, headers });
    expect(reply).toMatchObject({ status: 400, body: { success: false, code } });
  });

  test("that inflate in threads do so a few at a time, each in its turn, whatever became of the others", async () => {
    const large = gzipSync(randomBytes(20_000));
    let begun = 0;
    const init = (_: number, type: string) => {
      if (type === "ZLIB") begun += 1;
    };
    const hook = createHook({ init }).enable();
    const bodies = Array.from({ length: 100 }, (_, index) =>
      large.subarray(0, index % 3 === 0 ? -9 : undefined),
    );
    const inflating = bodies.map((body) => inflate(body, 100_000));
    const begunAtOnce = begun;
    const inflated = await Promise.all(inflating);
    hook.disable();
    expect([begunAtOnce, begun]).toEqual([MAX_IN_THREADS, 100]);
    expect(inflated.map(({ ok }) => ok)).toEqual(bodies.map((_, index) => index % 3 !== 0));
  });
});

describe("a timestamp that cannot be read is no reason to refuse (contract 1.6)", () => {
  test("the call is stored with the time of receipt, and the answer says so", async () => {
    const reply = await post(ingest, "/v1/track", { body: { ...call, timestamp: "yesterday" } });
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body).toEqual({
      success: true,
      warnings: [
        {
          index: 0,
          code: "timestamp_unreadable",
          message:
            'timestamp is not an ISO 8601 time, is "yesterday": the call has the time at which it was received',
        },
      ],
    });
    const [stored] = ingest.stored;
    expect(stored?.timestampMs).toBe(stored?.receivedAtMs);
    expect(JSON.parse(stored?.body ?? "")).toMatchObject({ originalTimestamp: "yesterday" });
  });

  test("of a batch the first twenty are named, beside what is refused", async () => {
    const late = { ...call, timestamp: 1_700_000_000_000 };
    const { body } = await post(ingest, "/v1/batch", {
      body: { batch: [call, 5, ...Array.from({ length: 25 }, () => late)] },
    });
    const { rejected, warnings } = body as { rejected: object[]; warnings: { index: number }[] };
    expect(rejected).toHaveLength(1);
    expect(warnings.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  });

  test.each([undefined, null, "2026-01-01", "2009-11-10T23:00:00+0000"])(
    "nothing is said of %p",
    async (timestamp) => {
      const { body } = await post(ingest, "/v1/track", { body: { ...call, timestamp } });
      expect(body).toEqual({ success: true });
    },
  );
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
