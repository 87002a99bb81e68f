import { describe, expect, test } from "@jest/globals";
import { classifyResult, MAX_RETRY_AFTER_MS, type RequestFailure } from "./index.ts";
import { parseRetryAfterMs } from "./outcome.ts";

const NOW_MS = Date.parse("2024-05-01T10:00:00.000Z");

const response = (status: number, retryAfter?: string) =>
  classifyResult({ kind: "response", status, retryAfter, durationMs: 1, body: Buffer.alloc(0) }, NOW_MS);

describe("outcome of one request (contract 3.3)", () => {
  test.each([200, 201, 202, 204, 299])("%d is success", (status) => {
    expect(response(status)).toEqual({ kind: "success", status });
  });

  test.each([
    [408, "http_408"],
    [429, "http_429"],
    [500, "http_5xx"],
    [503, "http_5xx"],
    [599, "http_5xx"],
    [101, "invalid_response"],
    [199, "invalid_response"],
    [600, "invalid_response"],
    [999, "invalid_response"],
  ])("%d is retried as %s", (status, reason) => {
    expect(response(status)).toEqual({ kind: "retryable", reason, status });
  });

  test.each([
    [300, "http_3xx"],
    [301, "http_3xx"],
    [304, "http_3xx"],
    [400, "http_4xx"],
    [401, "http_4xx"],
    [404, "http_4xx"],
    [410, "http_4xx"],
    [499, "http_4xx"],
  ])("%d is permanent as %s", (status, reason) => {
    expect(response(status)).toEqual({ kind: "permanent", reason, status });
  });

  test.each<RequestFailure>(["timeout", "tls", "dns", "connect", "reset", "invalid_response"])(
    "%s is retried",
    (failure) => {
      const outcome = classifyResult({ kind: "failure", failure, message: "", durationMs: 1 }, NOW_MS);
      expect(outcome).toEqual({ kind: "retryable", reason: failure });
    },
  );

  test.each<RequestFailure>(["self_signed", "blocked_address"])("%s is permanent", (failure) => {
    const outcome = classifyResult({ kind: "failure", failure, message: "", durationMs: 1 }, NOW_MS);
    expect(outcome).toEqual({ kind: "permanent", reason: failure });
  });

  test("Retry-After is honoured where a retry follows", () => {
    expect(response(429, "120")).toMatchObject({ retryAfterMs: 120_000 });
    expect(response(503, "7")).toMatchObject({ retryAfterMs: 7_000 });
    expect(response(404, "7")).not.toHaveProperty("retryAfterMs");
  });
});

describe("Retry-After", () => {
  test.each([
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5_000],
    ["1.5", 1_500],
    ["1.25", 1_250],
    ["999999999999", MAX_RETRY_AFTER_MS],
    ["Wed, 01 May 2024 10:00:30 GMT", 30_000],
    ["Wednesday, 01-May-24 10:00:30 GMT", 30_000],
    ["Wed May  1 10:00:30 2024", 30_000],
    ["Wed, 01 May 2024 09:00:00 GMT", 0],
    ["Wed, 01 May 2030 09:00:00 GMT", MAX_RETRY_AFTER_MS],
  ])("%s is read", (header, waitMs) => {
    expect(parseRetryAfterMs(header, NOW_MS)).toBe(waitMs);
  });

  test.each([undefined, "", "soon", "-5", "1e9", "0x10", "2024-05-01T10:00:30Z", "Wed, 99 Foo 2024", "NaN"])(
    "%p says nothing",
    (header) => expect(parseRetryAfterMs(header, NOW_MS)).toBeUndefined(),
  );
});
