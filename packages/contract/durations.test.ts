import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DURATION_BOUNDS_MS, DURATION_BUCKETS, durationBucket, durationPercentileMs } from "./durations.ts";

const durationMs = fc.double({ min: 0, max: 50_000, noNaN: true });

function histogramOf(durationsMs: readonly number[]): number[] {
  const counts = new Array<number>(DURATION_BUCKETS).fill(0);
  for (const one of durationsMs) counts[durationBucket(one)] = (counts[durationBucket(one)] ?? 0) + 1;
  return counts;
}

describe("a duration's bucket", () => {
  test("has the duration between its bounds", () => {
    fc.assert(
      fc.property(durationMs, (one) => {
        const bucket = durationBucket(one);
        // The bounds are powers, so a duration that is one may fall on either side.
        expect(one).toBeLessThanOrEqual((DURATION_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY) * 1.000_001);
        expect(one).toBeGreaterThanOrEqual((DURATION_BOUNDS_MS[bucket - 1] ?? 0) * 0.999_999);
      }),
    );
  });

  test.each([Number.NaN, -1, 0, 1])("%p is in the first one", (one) => expect(durationBucket(one)).toBe(0));

  test("what is longer than every bound is in the last one", () => {
    expect(durationBucket(1e12)).toBe(DURATION_BUCKETS - 1);
    expect(durationBucket(Number.POSITIVE_INFINITY)).toBe(DURATION_BUCKETS - 1);
  });
});

describe("percentiles (contract 10.5)", () => {
  test("are within a quarter of the exact ones, and a millisecond", () => {
    const share = fc.constantFrom(0.5, 0.95, 0.99);
    fc.assert(
      fc.property(fc.array(durationMs, { minLength: 1, maxLength: 200 }), share, (all, p) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(p * sorted.length) - 1] ?? 0;
        const estimated = durationPercentileMs(histogramOf(all), p) ?? Number.NaN;
        expect(Math.abs(estimated - exact)).toBeLessThanOrEqual(exact * 0.251 + 1);
      }),
    );
  });

  test("without requests there are none", () => {
    expect(durationPercentileMs([], 0.5)).toBeUndefined();
    expect(durationPercentileMs([0, 0], 0.99)).toBeUndefined();
  });

  test("empty buckets at the end may be left out", () => {
    expect(durationPercentileMs([0, 4], 0.5)).toBe(durationPercentileMs([0, 4, 0, 0], 0.5));
  });

  test("beyond the last bound they are that bound", () => {
    expect(durationPercentileMs(histogramOf([1e12]), 0.5)).toBe(DURATION_BOUNDS_MS.at(-1));
  });
});

describe("within a bucket", () => {
  test("the percentile grows evenly from bound to bound, and empty buckets are passed over", () => {
    const [, second = 0, third = 0] = DURATION_BOUNDS_MS;
    expect(durationPercentileMs([4], 0.25)).toBe(0.25);
    expect(durationPercentileMs([0, 0, 4], 0.5)).toBe(second + (third - second) / 2);
    expect(durationPercentileMs([2, 0, 2], 0.5)).toBe(1);
    expect(durationPercentileMs([0, 2], 0)).toBe(1);
  });
});
