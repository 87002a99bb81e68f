import { describe, expect, test } from "@jest/globals";
import { Limiter } from "./limiter.ts";

const MAX = 256;

interface Load {
  /** The latency of a request when `limit` of them are under way. */
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

describe("one window", () => {
  /** Ends this many requests of the same length, `failures` of them as failures. */
  function window(limiter: Limiter, requests: number, { durationMs = 10, failures = 0, nowMs = 0 } = {}) {
    for (let index = 0; index < requests; index += 1) limiter.ended(index < failures, durationMs, nowMs);
  }

  /** Windows of as many as the limit, each followed by what the limit is then. */
  const roundsOf = (limiter: Limiter) => (durationMs: number, nowMs: number) => {
    limiter.saturated();
    window(limiter, Math.max(8, Math.ceil(limiter.limit)), { durationMs, nowMs });
    return limiter.limit;
  };

  test("is as many requests as there are places, and eight at least when the ramp is over", () => {
    const limiter = new Limiter(MAX);
    limiter.saturated();
    window(limiter, 7);
    expect(limiter.limit).toBe(8);
    window(limiter, 1);
    expect(limiter.limit).toBe(16);
    const small = new Limiter(2);
    small.saturated();
    window(small, 2);
    expect([small.limit, small.isRamping]).toEqual([2, false]);
    window(small, 7, { failures: 7 });
    expect(small.limit).toBe(2);
    window(small, 1, { failures: 1 });
    expect(small.limit).toBe(1);
  });

  test("with more than a tenth of failures lowers the limit by half their share, and ends the ramp", () => {
    const limiter = new Limiter(MAX);
    window(limiter, 8, { failures: 2 });
    expect([limiter.limit, limiter.isRamping]).toEqual([7, false]);
    const ten = new Limiter(MAX);
    for (let count = 0; count < 2; count += 1) {
      ten.saturated();
      window(ten, ten.limit);
    }
    window(ten, 30);
    window(ten, 2);
    expect(ten.limit).toBe(32);
    ten.saturated();
    window(ten, 32, { failures: 3 });
    expect([ten.limit, ten.isRamping]).toEqual([64, true]);
  });

  test("of slow requests grows the limit by as much as latency allows, and ends the ramp", () => {
    for (const [durationMs, limit] of [
      [20, 32],
      [30, 16 * (20 / 30) + 4],
      [40, 12],
      [400, 12],
    ] as const) {
      const limiter = new Limiter(MAX);
      limiter.saturated();
      window(limiter, 8);
      limiter.saturated();
      window(limiter, 16, { durationMs });
      expect([limiter.limit, limiter.isRamping]).toEqual([limit, limit === 32]);
    }
  });

  test("takes no latency below a millisecond for a difference", () => {
    const limiter = new Limiter(MAX);
    limiter.saturated();
    window(limiter, 8, { durationMs: 0.1 });
    limiter.saturated();
    window(limiter, 16, { durationMs: 1.9 });
    expect([limiter.limit, limiter.isRamping]).toEqual([32, true]);
  });

  test("says nothing about the endpoint while the process itself is slow", () => {
    const limiter = new Limiter(MAX);
    limiter.saturated();
    window(limiter, 8);
    limiter.saturated(true);
    limiter.saturated();
    window(limiter, 16, { durationMs: 400 });
    expect([limiter.limit, limiter.isRamping]).toEqual([20, true]);
    window(limiter, 20);
    expect(limiter.limit).toBe(20);
    limiter.saturated();
    window(limiter, 20, { durationMs: 400 });
    expect(limiter.isRamping).toBe(false);
  });

  test("measures by the best of the last ten to twenty seconds", () => {
    const limiter = new Limiter(MAX);
    const rounds = roundsOf(limiter);
    rounds(10, 0);
    rounds(10, 9_999);
    expect(rounds(10, 10_000)).toBe(64);
    // Still the ten of before: a gradient of a half.
    expect(rounds(40, 10_001)).toBe(64 / 2 + 8);
    rounds(40, 20_000);
    const before = limiter.limit;
    // Nobody remembers them now.
    expect(rounds(40, 20_001)).toBeCloseTo(before + Math.sqrt(before), 5);
  });

  test("measures by the best of all, not by that of the last window", () => {
    const limiter = new Limiter(MAX);
    const rounds = roundsOf(limiter);
    rounds(10, 0);
    // The best of ten seconds is 40, that of the ten before is forgotten with the second of these.
    for (const nowMs of [10_000, 20_000]) rounds(40, nowMs);
    rounds(40, 20_001);
    rounds(100, 30_001);
    const before = limiter.limit;
    expect(rounds(100, 30_002)).toBeCloseTo(before * 0.8 + Math.sqrt(before), 5);
  });

  test("of as few requests as at the start shows what the endpoint takes now, however fast it was", () => {
    const limiter = new Limiter(MAX);
    window(limiter, 8, { durationMs: 10, nowMs: 10_000 });
    window(limiter, 8, { durationMs: 400, nowMs: 10_001 });
    limiter.saturated();
    window(limiter, 8, { durationMs: 400, nowMs: 10_002 });
    expect([limiter.limit, limiter.isRamping]).toEqual([16, true]);
  });

  test("of all is remembered what a request takes, the last ones most", () => {
    const limiter = new Limiter(MAX);
    expect(limiter.averageMs).toBe(0);
    limiter.ended(false, 100, 0);
    expect(limiter.averageMs).toBe(100);
    limiter.ended(true, 180, 0);
    expect(limiter.averageMs).toBe(110);
  });
});
