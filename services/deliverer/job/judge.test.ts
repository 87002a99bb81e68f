import { describe, expect, test } from "@jest/globals";
import { type OwnRetries, WINDOW_MS } from "#contract";
import { job, RETRIES as retries, START_MS } from "../fixtures/jobs.ts";
import type { WebhookResult } from "../outcomes.ts";
import { judge } from "./judge.ts";
import { planAttempt, planHop } from "./plan.ts";

const A = "https://a.test/";
const B = "https://b.test/";

function result(url: string, outcome: WebhookResult["outcome"]): WebhookResult {
  return { url, outcome, message: outcome.kind, startedAtMs: START_MS, durationMs: 12.6 };
}

const ok = (url: string) => result(url, { kind: "success", status: 200 });
const broken = (url: string) => result(url, { kind: "retryable", reason: "http_5xx", status: 503 });
const refused = (url: string) => result(url, { kind: "permanent", reason: "http_4xx", status: 410 });
const busy = (url: string, retryAfterMs: number) =>
  result(url, { kind: "retryable", reason: "http_429", status: 429, retryAfterMs });

function verdict(results: readonly WebhookResult[], urls: readonly string[] = [A, B], before = job()) {
  return judge({ job: before, results, destination: { urls, pausedMs: 0 } }, retries, START_MS + 50);
}

describe("the verdict on an attempt", () => {
  test("is delivered at one success, whatever the others came to (contract 3.2)", () => {
    expect(verdict([refused(A), broken(A), ok(B)])).toEqual({ kind: "delivered" });
  });

  test("is a retry when one webhook can be retried, with every outcome kept by URL (contract 3.4)", () => {
    const dueAtMs = START_MS + 50 + 10_000;
    expect(verdict([refused(A), broken(B)])).toMatchObject({
      kind: "wait",
      tier: 0,
      job: {
        attempts: 1,
        firstAttemptAtMs: START_MS,
        dueAtMs,
        visibleAtMs: dueAtMs,
        outcomes: [
          { url: A, kind: "permanent", reason: "http_4xx", status: 410, atMs: START_MS, durationMs: 13 },
          { url: B, kind: "retryable", reason: "http_5xx", status: 503 },
        ],
      },
    });
  });

  test("is death when no webhook can be retried (contract 3.4)", () => {
    expect(verdict([refused(A), refused(B)])).toMatchObject({
      kind: "dead",
      reason: "permanent",
      job: { attempts: 1 },
    });
  });

  test("does not hope for a webhook that the configuration has dropped", () => {
    const [first] = (verdict([broken(A)]) as { job: ReturnType<typeof job> }).job.outcomes;
    const before = job({
      attempts: 1,
      firstAttemptAtMs: START_MS,
      outcomes: first === undefined ? [] : [first],
    });
    const dead = verdict([refused(B)], [B], before);
    expect(dead).toMatchObject({
      kind: "dead",
      reason: "permanent",
      job: { outcomes: [{ url: A }, { url: B }] },
    });
  });

  test("waits as long as the longest Retry-After asks for (contract 3.3)", () => {
    expect(verdict([busy(A, 120_000), broken(B)])).toMatchObject({
      kind: "wait",
      tier: 1,
      job: { dueAtMs: START_MS + 50 + 120_000, visibleAtMs: START_MS + 50 + 60_000 },
    });
  });

  test("is death when the window leaves no room for another attempt", () => {
    const before = job({ attempts: 12, firstAttemptAtMs: START_MS - WINDOW_MS + 8_000 });
    expect(verdict([broken(A)], [A], before)).toMatchObject({ kind: "dead", reason: "window_over" });
  });

  test("begins the window now at the latest, where a clock that was ahead has begun it", () => {
    const before = job({ attempts: 1, firstAttemptAtMs: START_MS + 86_400_000 });
    expect(verdict([broken(A)], [A], before)).toMatchObject({ job: { firstAttemptAtMs: START_MS + 50 } });
  });

  test("replaces what a webhook came to before", () => {
    const before = job({
      attempts: 1,
      firstAttemptAtMs: START_MS,
      outcomes: [
        { url: A, kind: "retryable", reason: "timeout", status: null, message: "", atMs: 1, durationMs: 1 },
      ],
    });
    expect(verdict([broken(A)], [A], before)).toMatchObject({
      job: { outcomes: [{ url: A, reason: "http_5xx" }] },
    });
  });
});

describe("the verdict on a job that waits for its destination's own limit (contract 4.4)", () => {
  function limited(before = job(), turnInMs?: () => number, ownRetries?: OwnRetries, reason?: "stalled") {
    const outcome = { kind: "diverted", reason: reason ?? "rate_limited" } as const;
    const results = [{ url: A, outcome, atMs: START_MS, turnInMs }];
    const destination = { urls: [A], pausedMs: 0, ...(ownRetries && { ownRetries }) };
    return judge({ job: before, results, destination }, retries, START_MS);
  }

  test("does not begin its window", () => {
    expect(limited()).toMatchObject({
      kind: "divert",
      job: { firstAttemptAtMs: null, attempts: 0, diverts: 1, failedAtMs: null },
    });
    const stalled = limited(job(), undefined, undefined, "stalled");
    expect(stalled).toMatchObject({ job: { firstAttemptAtMs: START_MS } });
  });

  test("does not back off, however often it had to wait, nor do its retries", () => {
    expect(limited(job({ diverts: 20 }))).toMatchObject({ job: { dueAtMs: START_MS + 10_000 } });
    const failed = verdict([broken(A)], [A], job({ diverts: 20 }));
    expect(failed).toMatchObject({ job: { attempts: 1, dueAtMs: START_MS + 50 + 10_000 } });
  });

  test("begins no window where a webhook beside it is down, in whichever order they are configured", () => {
    const down = { url: B, outcome: { kind: "diverted", reason: "breaker_open" } } as const;
    const full = { url: A, outcome: { kind: "diverted", reason: "rate_limited" } } as const;
    const destination = { urls: [B, A], pausedMs: 0 };
    const resultsOf = (all: readonly (typeof down | typeof full)[]) =>
      all.map((one) => ({ ...one, atMs: START_MS, turnInMs: undefined }));
    for (const results of [resultsOf([down, full]), resultsOf([full, down])])
      expect(judge({ job: job(), results, destination }, retries, START_MS)).toMatchObject({
        reason: "rate_limited",
        job: { firstAttemptAtMs: null },
      });
  });

  test("waits for the turn that it was told, and leaves a window that has begun as it is", () => {
    const begun = job({ attempts: 1, firstAttemptAtMs: START_MS - 5_000 });
    expect(limited(begun, () => 40_000)).toMatchObject({
      job: { dueAtMs: START_MS + 40_000, firstAttemptAtMs: START_MS - 5_000 },
    });
  });

  test("tries again before a far turn when its window has begun, and waits for it when it has not", () => {
    const begun = job({ attempts: 1, firstAttemptAtMs: START_MS - 5_000 });
    const due = [limited(begun, () => 20_000_000), limited(job(), () => 20_000_000)];
    expect(due).toMatchObject([
      { job: { dueAtMs: START_MS + 60_000 } },
      { job: { dueAtMs: START_MS + 20_000_000 } },
    ]);
  });

  test("has no delay that its destination chose for failures, and no window before its first attempt", () => {
    const own = { delaysMs: [1_800_000], windowMs: 10_000 };
    const begun = job({ attempts: 1, firstAttemptAtMs: START_MS - 5_000 });
    const due = [limited(job(), () => 40_000, own), limited(begun, () => 40_000, { ...own, windowMs: null })];
    expect(due).toMatchObject([
      { job: { dueAtMs: START_MS + 40_000 } },
      { job: { dueAtMs: START_MS + 40_000 } },
    ]);
    expect(limited(begun, undefined, own)).toMatchObject({ kind: "dead" });
  });
});

describe("the plan for a job that came out of its topic", () => {
  const urls = [A, B];
  const active = { kind: "active", urls, pausedMs: 0, webhooks: new Map() } as const;
  const failed = (url: string, kind: string) => ({
    url,
    kind,
    reason: "x",
    status: null,
    message: "",
    atMs: 1,
    durationMs: 1,
  });

  const now = { nowMs: START_MS, retries };

  test("goes to every webhook the first time", () => {
    expect(planAttempt(job(), active, now)).toMatchObject({ kind: "attempt", urls });
  });

  test("goes to those that can be retried and to those never tried (contract 3.4, 3.6)", () => {
    const tried = job({
      attempts: 1,
      outcomes: [failed(A, "permanent"), failed("https://old.test/", "retryable")],
    });
    expect(planAttempt(tried, active, now)).toMatchObject({ kind: "attempt", urls: [B] });
  });

  test("is death when the configuration has left no webhook to try", () => {
    const tried = job({ attempts: 1, outcomes: [failed(A, "permanent"), failed(B, "permanent")] });
    expect(planAttempt(tried, active, now)).toMatchObject({ kind: "dead", reason: "permanent" });
  });

  test.each([
    ["gone", "destination_gone"],
    ["disabled", "destination_disabled"],
  ] as const)("is death when the destination is %s (contract 3.6)", (kind, reason) => {
    expect(planAttempt(job(), { kind }, now)).toMatchObject({ kind: "dead", reason });
  });

  test("hops on from the time it should have come out, so that lateness does not add up", () => {
    const waiting = job({ dueAtMs: START_MS + 130_000, visibleAtMs: START_MS });
    expect(planHop(waiting, retries, START_MS + 90)).toMatchObject({
      tier: 1,
      job: { visibleAtMs: START_MS + 60_000 },
    });
  });

  test("hops on from about now after a long pause, so that retry topics stay in order", () => {
    const waiting = job({ dueAtMs: START_MS + 7_200_000, visibleAtMs: START_MS });
    const nowMs = START_MS + 3_600_000;
    expect(planHop(waiting, retries, nowMs)).toMatchObject({
      job: { visibleAtMs: nowMs - 10_000 + 1_800_000 },
    });
  });

  test("waits for the longest delay at most when it was written by a clock that was ahead", () => {
    const ahead = START_MS + 30 * 86_400_000;
    expect(planHop(job({ dueAtMs: ahead, visibleAtMs: ahead }), retries, START_MS)).toMatchObject({
      tier: 4,
      job: { dueAtMs: START_MS + 1_800_000, visibleAtMs: START_MS + 1_800_000 },
    });
  });

  test("is an attempt as soon as the job is due", () => {
    expect(planHop(job({ dueAtMs: START_MS }), retries, START_MS)).toBeUndefined();
  });
});
