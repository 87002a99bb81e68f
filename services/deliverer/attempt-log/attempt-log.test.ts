import { describe, expect, test } from "@jest/globals";
import { durationPercentileMs } from "#contract";
import type { DeliveryJob } from "#topics";
import { job, START_MS } from "../fixtures/jobs.ts";
import type { WebhookResult } from "../outcomes.ts";
import { createAttemptLog } from "./attempt-log.ts";
import type { Total } from "./totals.ts";

interface Attempt {
  readonly job: DeliveryJob;
  readonly result: WebhookResult;
  readonly suppressed: number;
}

function bench(maxDestinations?: number) {
  const attempts: Attempt[] = [];
  const totals: Total[] = [];
  const clock = { nowMs: START_MS };
  const log = createAttemptLog({
    writer: {
      attempt: (of, result, suppressed) => void attempts.push({ job: of, result, suppressed }),
      total: (total) => void totals.push(total),
    },
    nowMs: () => clock.nowMs,
    ...(maxDestinations !== undefined && { maxDestinations }),
  });
  const end = (outcome: WebhookResult["outcome"], changes: Partial<DeliveryJob> = {}, durationMs = 0) =>
    log.requested(job(changes), {
      url: "https://a.test/hook",
      outcome,
      message: "said",
      startedAtMs: clock.nowMs - durationMs,
      durationMs,
    });
  const succeed = (changes?: Partial<DeliveryJob>, durationMs?: number) =>
    end({ kind: "success", status: 200 }, changes, durationMs);
  const fail = (changes?: Partial<DeliveryJob>) =>
    end({ kind: "retryable", reason: "http_5xx", status: 500 }, changes);
  const kinds = () => attempts.map(({ result }) => result.outcome.kind);
  return { attempts, clock, end, fail, kinds, log, succeed, totals };
}

describe("records of single requests", () => {
  test("of successes one a second and destination has one, and sixty after a quiet minute", () => {
    const { attempts, clock, succeed } = bench();
    const during = (seconds: number): number => {
      const before = attempts.length;
      for (const endMs = clock.nowMs + seconds * 1_000; clock.nowMs < endMs; clock.nowMs += 10) {
        succeed({ destinationId: "d1" });
        succeed({ destinationId: "d2" });
      }
      return attempts.length - before;
    };
    expect(during(1)).toBe(2 * 61);
    expect(during(30)).toBe(2 * 30);
    clock.nowMs += 10_000;
    expect(during(1)).toBe(2 * 11);
  });

  test("the first success after a failure always has one", () => {
    const { fail, kinds, succeed } = bench();
    for (let count = 0; count < 100; count += 1) succeed();
    fail();
    succeed();
    succeed();
    expect(kinds().slice(60)).toEqual(["success", "retryable", "success"]);
  });

  test("of many destinations at once the successes are bounded, and those after a failure are not among them", () => {
    const { attempts, fail, succeed } = bench();
    for (let index = 0; index < 1_000; index += 1) succeed({ destinationId: `d${index}` });
    attempts.length = 0;
    for (let index = 0; index < 1_000; index += 1) succeed({ destinationId: `d${index}` });
    expect(attempts).toHaveLength(200);
    fail({ destinationId: "d999" });
    succeed({ destinationId: "d999" });
    expect(attempts).toHaveLength(202);
  });

  test("every failure has one, up to fifty a second and destination", () => {
    const { attempts, clock, fail } = bench();
    for (let count = 0; count < 1_000; count += 1) fail({ destinationId: "d1" });
    fail({ destinationId: "d2" });
    expect(attempts).toHaveLength(51);
    clock.nowMs += 1_000;
    fail({ destinationId: "d1" });
    expect(attempts.at(-1)).toMatchObject({ suppressed: 950 });
    fail({ destinationId: "d1" });
    expect(attempts.at(-1)).toMatchObject({ suppressed: 0 });
  });

  test("a failure that was left out is written when nothing follows it: the last record says how it stands", () => {
    const { attempts, fail, log, succeed } = bench();
    for (let count = 0; count < 50; count += 1) fail();
    succeed();
    for (let count = 0; count < 3; count += 1) fail({ messageId: `late-${count}` });
    expect(attempts).toHaveLength(51);
    log.flush();
    expect(attempts).toHaveLength(52);
    expect(attempts.at(-1)).toMatchObject({ job: { messageId: "late-2" }, suppressed: 2 });
    log.flush();
    expect(attempts).toHaveLength(52);
    succeed();
    expect(attempts.at(-1)?.result.outcome.kind).toBe("success");
  });
});

test("a failure that was left out is not written behind the success that followed it", () => {
  const { fail, kinds, log, succeed } = bench();
  for (let count = 0; count < 51; count += 1) fail();
  succeed();
  log.flush();
  expect(kinds().slice(50)).toEqual(["success"]);
});

describe("totals", () => {
  test("count every request, recorded or not, and every diverted call", () => {
    const { clock, fail, log, succeed, totals } = bench();
    for (let count = 0; count < 500; count += 1) succeed({}, 20);
    for (let count = 0; count < 100; count += 1) fail();
    log.diverted(job());
    clock.nowMs += 30_000;
    log.flush();
    expect(totals).toHaveLength(2);
    const [total, put] = totals;
    expect(total).toMatchObject({
      ...{ destinationId: "d1", sourceId: "s1", url: "https://a.test/hook", minuteMs: START_MS },
      ...{ outcomes: { success: 500, http_5xx: 100 }, statuses: { 200: 500, 500: 100 } },
    });
    expect(put).toMatchObject({ url: "", outcomes: { diverted: 1 }, statuses: {}, durationCounts: [] });
    expect(total?.durationCounts.reduce((sum, count) => sum + count, 0)).toBe(600);
    expect(durationPercentileMs(total?.durationCounts ?? [], 0.5)).toBeGreaterThan(15);
  });

  test("have of each success the time since its call was accepted, and of a replay none", () => {
    const { clock, fail, log, succeed, totals } = bench();
    clock.nowMs += 50;
    succeed({ receivedAtMs: START_MS - 3_950 });
    succeed({ receivedAtMs: START_MS - 9_950, replayId: "rpl_1" });
    fail({ receivedAtMs: START_MS - 50_000 });
    log.flush();
    const latencyCounts = totals[0]?.latencyCounts ?? [];
    expect(latencyCounts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(durationPercentileMs(latencyCounts, 0.5)).toBeGreaterThan(3_000);
    expect(durationPercentileMs(latencyCounts, 0.5)).toBeLessThan(5_000);
  });

  test("have at most thirty statuses, and what answers with more is in its classes", () => {
    const { end, log, totals } = bench();
    for (let status = 500; status < 600; status += 1) end({ kind: "retryable", reason: "http_5xx", status });
    end({ kind: "retryable", reason: "http_5xx", status: 500 });
    log.flush();
    const statuses = totals[0]?.statuses ?? {};
    expect(statuses).toMatchObject({ "500": 2, "529": 1, "5xx": 70 });
    expect(Object.keys(statuses)).toHaveLength(31);
  });

  test("are of one minute each, and parts of a minute add up", () => {
    const { clock, log, succeed, totals } = bench();
    succeed();
    log.flush();
    succeed();
    clock.nowMs += 60_000;
    succeed();
    log.flush();
    expect(totals.map(({ minuteMs, outcomes }) => [minuteMs - START_MS, outcomes])).toEqual([
      [0, { success: 1 }],
      [0, { success: 1 }],
      [60_000, { success: 1 }],
    ]);
  });

  test("of a destination without requests are not written", () => {
    const { log, succeed, totals } = bench();
    succeed();
    log.flush();
    log.flush();
    expect(totals).toHaveLength(1);
  });

  test("of more destinations than may be held are written at once, none of them lost", () => {
    const { log, succeed, totals } = bench(10);
    for (let index = 0; index < 95; index += 1) succeed({ destinationId: `d${index}` });
    expect(totals).toHaveLength(90);
    log.flush();
    expect(new Set(totals.map(({ destinationId }) => destinationId)).size).toBe(95);
  });
});
