import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  createRetrySchedule,
  RESPONSE_DEADLINE_MS,
  RETRY_DELAYS_MS,
  retrySpread,
  retryTier,
  WINDOW_MS,
} from "./index.ts";

const standard = createRetrySchedule({
  delaysMs: RETRY_DELAYS_MS,
  windowMs: WINDOW_MS,
  responseDeadlineMs: RESPONSE_DEADLINE_MS,
});

/** Start times of all attempts when each takes `attemptMs` and fails. */
function attemptTimes(attemptMs: number, spread: number = 0): number[] {
  const times = [0];
  for (let atMs = 0; ; times.push(atMs)) {
    const due = standard.nextDueAtMs({
      firstAttemptAtMs: 0,
      attempts: times.length,
      nowMs: atMs + attemptMs,
      spread,
    });
    if (due === undefined) return times;
    atMs = due;
  }
}

describe("the schedule (contract 3.5)", () => {
  test("falls on whole milliseconds, whatever fraction an endpoint or a limit asks for: a job holds no other", () => {
    const due = standard.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 1, nowMs: 0, retryAfterMs: 12_033.3 });
    expect(due).toBe(12_034);
  });

  test("10 s, 1 min, 5 min, 15 min, then every 30 min, the last as late as still fits: 13 attempts", () => {
    const minutes = attemptTimes(0).map((atMs) => atMs / 60_000);
    const first = [0, 1 / 6, 7 / 6, 37 / 6, 127 / 6];
    const halfHours = Array.from({ length: 7 }, (_, index) => 127 / 6 + 30 * (index + 1));
    expect(minutes.slice(0, -1)).toEqual([...first, ...halfHours].map((value) => expect.closeTo(value, 6)));
    expect(minutes).toHaveLength(13);
    expect(minutes.at(-1)).toBeGreaterThan(239.7);
  });

  test("attempts that take their full five seconds fit too, answers included", () => {
    const times = attemptTimes(RESPONSE_DEADLINE_MS);
    expect(times.length).toBeGreaterThanOrEqual(12);
    expect(times.at(-1)).toBeLessThanOrEqual(WINDOW_MS - RESPONSE_DEADLINE_MS);
    expect(times.at(-1)).toBeGreaterThan(WINDOW_MS - 20_000);
  });

  test("Retry-After puts an attempt off, never brings it forward, and never past the window", () => {
    const due = (retryAfterMs: number, nowMs: number) =>
      standard.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 1, nowMs, retryAfterMs });
    expect(due(1_000, 0)).toBe(10_000);
    expect(due(45_000, 0)).toBe(45_000);
    expect(due(3_600_000, WINDOW_MS - 100_000)).toBe(WINDOW_MS - 10_000);
  });

  test("with less than the smallest delay left the window is over", () => {
    const due = (leftMs: number) =>
      standard.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 3, nowMs: WINDOW_MS - leftMs });
    expect(due(10_000 + RESPONSE_DEADLINE_MS)).toBe(WINDOW_MS - RESPONSE_DEADLINE_MS);
    expect(due(10_000 + RESPONSE_DEADLINE_MS - 1)).toBeUndefined();
    expect(due(-1)).toBeUndefined();
  });

  test("the last attempt leaves its webhook the time that it is configured to have", () => {
    const responseDeadlineMs = 30_000;
    const patient = createRetrySchedule({ delaysMs: [10_000], windowMs: WINDOW_MS, responseDeadlineMs });
    const due = (leftMs: number) =>
      patient.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 3, nowMs: WINDOW_MS - leftMs });
    expect(due(10_000 + responseDeadlineMs)).toBe(WINDOW_MS - responseDeadlineMs);
    expect(due(10_000 + responseDeadlineMs - 1)).toBeUndefined();
  });

  test("jitter lengthens a delay by up to a tenth, in steps of the smallest delay, five at most", () => {
    const seconds = (attempts: number, spread: number) =>
      (standard.nextDueAtMs({ firstAttemptAtMs: 0, attempts, nowMs: 0, spread }) ?? 0) / 1_000;
    const range = (attempts: number) => [seconds(attempts, 0), seconds(attempts, 0.999)];
    expect([1, 2, 3, 4, 5].map(range)).toEqual([
      [10, 10],
      [60, 70],
      [300, 330],
      [900, 950],
      [1_800, 1_850],
    ]);
    expect(seconds(3, 0.5)).toBe(320);
  });

  test("jitter, however long, leaves room for all 13 attempts", () => {
    const times = attemptTimes(0, 1);
    expect(times).toHaveLength(13);
    expect(times.at(-1)).toBeGreaterThan(WINDOW_MS - 20_000);
  });

  test("jitter never leads out of the window", () => {
    const nowMs = WINDOW_MS - 1_805_000;
    const due = (spread: number) =>
      standard.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 9, nowMs, spread }) ?? 0;
    expect(due(0.999)).toBe(due(0));
    expect(due(0)).toBe(WINDOW_MS - RESPONSE_DEADLINE_MS);
  });

  test("jobs that failed together come back evenly over the jitter, each always at the same time", () => {
    const steps = Array.from({ length: 4_000 }, (_, job) => Math.floor(retrySpread(`job-${job}`, 3) * 4));
    for (const step of [0, 1, 2, 3]) {
      const share = steps.filter((one) => one === step).length / steps.length;
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.3);
    }
    expect(retrySpread("job-1", 3)).toBe(retrySpread("job-1", 3));
    expect(retrySpread("job-1", 3)).not.toBe(retrySpread("job-1", 4));
  });

  test("of a destination with delays of its own takes them in any order, and holds jobs in the topics that there are", () => {
    const delaysMs = [45_000, 7_200_000, 600_000];
    const own = standard.withOwn({ delaysMs, windowMs: 24 * 3_600_000 });
    const waits = [1, 2, 3, 4].map((attempts) =>
      own.nextDueAtMs({ firstAttemptAtMs: 0, attempts, nowMs: 0 }),
    );
    expect(waits).toEqual([45_000, 7_200_000, 600_000, 600_000]);
    expect(own.windowEndsAtMs(5)).toBe(24 * 3_600_000 + 5);
    // The end of its window, in steps of the smallest topic.
    const nowMs = 23.5 * 3_600_000;
    const last = own.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 2, nowMs });
    expect(last).toBe(24 * 3_600_000 - 10_000);
  });

  test("of a destination with a window of its own keeps the installation's delays, and the other way round", () => {
    const hour = 3_600_000;
    const short = standard.withOwn({ delaysMs: null, windowMs: hour });
    expect(short.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 2, nowMs: 0 })).toBe(60_000);
    expect(short.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 2, nowMs: hour })).toBeUndefined();
    const often = standard.withOwn({ delaysMs: [10_000], windowMs: null });
    expect(often.nextDueAtMs({ firstAttemptAtMs: 0, attempts: 9, nowMs: 0 })).toBe(10_000);
    expect(often.windowEndsAtMs(0)).toBe(WINDOW_MS);
  });

  test("a schedule without delays is a mistake", () => {
    expect(() => createRetrySchedule({ delaysMs: [], windowMs: 1, responseDeadlineMs: 1 })).toThrow(
      "at least one delay",
    );
  });

  const delays = fc
    .uniqueArray(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 6 })
    .map((values) => values.sort((a, b) => a - b));

  test("no attempt is ever due outside the window, or earlier than the smallest delay", () => {
    fc.assert(
      fc.property(
        fc.record({
          delaysMs: delays,
          windowMs: fc.integer({ min: 1, max: 1_000_000 }),
          firstAttemptAtMs: fc.integer({ min: 0, max: 1e13 }),
          elapsedMs: fc.integer({ min: 0, max: 1_200_000 }),
          attempts: fc.integer({ min: 0, max: 50 }),
          retryAfterMs: fc.option(fc.integer({ min: 0, max: 5_000_000 }), { nil: undefined }),
          spread: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        ({ delaysMs, windowMs, firstAttemptAtMs, elapsedMs, attempts, retryAfterMs, spread }) => {
          const schedule = createRetrySchedule({
            delaysMs,
            windowMs,
            responseDeadlineMs: RESPONSE_DEADLINE_MS,
          });
          const nowMs = firstAttemptAtMs + elapsedMs;
          const due = schedule.nextDueAtMs({ firstAttemptAtMs, attempts, nowMs, retryAfterMs, spread });
          if (due === undefined) return;
          expect(due).toBeLessThanOrEqual(schedule.windowEndsAtMs(firstAttemptAtMs));
          expect(due).toBeGreaterThanOrEqual(nowMs + (delaysMs[0] ?? 0));
        },
      ),
    );
  });

  test("every wait ends: attempts of any schedule come to an end", () => {
    fc.assert(
      fc.property(delays, fc.integer({ min: 1, max: 100_000 }), (delaysMs, windowMs) => {
        const schedule = createRetrySchedule({
          delaysMs,
          windowMs,
          responseDeadlineMs: RESPONSE_DEADLINE_MS,
        });
        let nowMs: number | undefined = 0;
        let attempts = 0;
        while (nowMs !== undefined) {
          attempts += 1;
          expect(attempts).toBeLessThanOrEqual(windowMs / (delaysMs[0] ?? 1) + 1);
          nowMs = schedule.nextDueAtMs({ firstAttemptAtMs: 0, attempts, nowMs });
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("the retry topic of a waiting job (contract 3.5)", () => {
  test.each([
    [-1, undefined],
    [0, undefined],
    [1, 0],
    [9_999, 0],
    [10_000, 0],
    [59_999, 0],
    [60_000, 1],
    [299_999, 1],
    [1_800_000, 4],
    [7_200_000, 4],
  ])("with %d ms to go it is %p", (remainingMs, tier) => {
    expect(retryTier(RETRY_DELAYS_MS, 1_000_000 + remainingMs, 1_000_000)).toBe(tier);
  });

  test("hopping from topic to topic a job comes out at its time, at most one smallest delay late", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: WINDOW_MS }),
        fc.integer({ min: 0, max: 300 }),
        (dueAtMs, lateMs) => {
          let nowMs = 0;
          for (let tier = retryTier(RETRY_DELAYS_MS, dueAtMs, nowMs); tier !== undefined; ) {
            nowMs += (RETRY_DELAYS_MS[tier] ?? 0) + lateMs;
            tier = retryTier(RETRY_DELAYS_MS, dueAtMs, nowMs);
          }
          expect(nowMs).toBeGreaterThanOrEqual(dueAtMs);
          expect(nowMs).toBeLessThanOrEqual(dueAtMs + 10_000 + lateMs);
        },
      ),
    );
  });
});
