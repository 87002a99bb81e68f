import { describe, expect, test } from "@jest/globals";
import { Limiter } from "./limiter.ts";

const MAX = 256;

interface Load {
  /** What each request takes when `limit` of them are under way. */
  readonly latencyMs: (limit: number) => number;
  readonly isFailure?: (index: number) => boolean;
  readonly isSaturated?: boolean;
  readonly requests: number;
}

/** Requests that take all places at all times; gives the limit after them. */
function under(limiter: Limiter, { latencyMs, isFailure = () => false, isSaturated = true, requests }: Load) {
  let nowMs = 0;
  for (let index = 0; index < requests; index += 1) {
    if (isSaturated) limiter.saturated();
    const durationMs = latencyMs(limiter.limit);
    nowMs += durationMs / limiter.limit;
    limiter.ended(isFailure(index), durationMs, nowMs);
  }
  return limiter.limit;
}

describe("requests under way at a time", () => {
  test("stay few while nobody waits for a place", () => {
    const limiter = new Limiter(MAX);
    expect(under(limiter, { latencyMs: () => 1, isSaturated: false, requests: 1_000 })).toBe(8);
  });

  test("stay few at a fast endpoint that only queues what it gets more of", () => {
    const limit = under(new Limiter(MAX), {
      latencyMs: (places) => Math.max(1, places * 0.2),
      requests: 20_000,
    });
    expect(limit).toBeGreaterThanOrEqual(4);
    expect(limit).toBeLessThan(40);
  });

  test("grow to the maximum at an endpoint that is slow and takes them all, within ten rounds", () => {
    expect(under(new Limiter(MAX), { latencyMs: () => 4_900, requests: 8 + 16 + 32 + 64 + 128 })).toBe(MAX);
  });

  test("never exceed the maximum", () => {
    expect(under(new Limiter(5), { latencyMs: () => 10, requests: 1_000 })).toBe(5);
  });

  test("fall to one while everything fails, and never below", () => {
    const limiter = new Limiter(MAX);
    under(limiter, { latencyMs: () => 100, requests: 500 });
    expect(under(limiter, { latencyMs: () => 5_000, isFailure: () => true, requests: 3_000 })).toBe(1);
  });

  test("do not shrink for one failure in twenty", () => {
    const limiter = new Limiter(MAX);
    const before = under(limiter, { latencyMs: () => 100, requests: 500 });
    const isFailure = (index: number) => index % 20 === 0;
    expect(under(limiter, { latencyMs: () => 100, isFailure, requests: 500 })).toBeGreaterThanOrEqual(before);
  });

  test("get used to an endpoint that has become slower for good", () => {
    const limiter = new Limiter(MAX);
    under(limiter, { latencyMs: () => 10, requests: 200 });
    expect(under(limiter, { latencyMs: () => 200, requests: 100_000 })).toBe(MAX);
  });

  test("begin at one after an outage and double from there", () => {
    const limiter = new Limiter(MAX);
    under(limiter, { latencyMs: () => 10, requests: 1_000 });
    limiter.restart();
    expect(limiter.limit).toBe(1);
    expect(under(limiter, { latencyMs: () => 10, requests: 1 + 2 + 4 })).toBe(8);
  });
});
