import { expect, test } from "@jest/globals";
import { createMetrics } from "#runtime";
import { recordedLog } from "#support/recorded-log";
import { job } from "./fixtures/jobs.ts";
import { createTelemetry, watchState } from "./telemetry.ts";

function setup() {
  const { lines, logger } = recordedLog();
  const clock = { nowMs: 0 };
  const metrics = createMetrics({ service: "deliverer", version: "0" });
  const telemetry = createTelemetry({ metrics, logger, nowMs: () => clock.nowMs });
  return { clock, lines, metrics, telemetry };
}

const url = "https://hooks.test/services/a-secret-path";
const timeout = {
  url,
  outcome: { kind: "retryable", reason: "timeout" },
  message: "no response within 5000 ms",
  startedAtMs: 2_000,
  durationMs: 5_000,
} as const;

test("a thousand timeouts of one endpoint are one line, then one with the count of the rest", () => {
  const { clock, lines, telemetry } = setup();
  for (let count = 0; count < 1_000; count += 1) telemetry.requested(job(), timeout);
  clock.nowMs = 60_000;
  telemetry.requested(job(), timeout);
  expect(lines).toMatchObject([
    {
      level: "warn",
      message: "webhook timed out",
      facts: { reason: "timeout", endpoint: "https://hooks.test", heldBack: 0 },
    },
    { level: "warn", facts: { heldBack: 999 } },
  ]);
  expect(JSON.stringify(lines)).not.toContain("a-secret-path");
});

test("requests are counted by outcome and first or retry; the delay is that of first requests only, and none below 0", async () => {
  const { metrics, telemetry } = setup();
  telemetry.requested(job({ receivedAtMs: 1_000 }), timeout);
  telemetry.requested(job({ receivedAtMs: 1_000, attempts: 1, visibleAtMs: 1_500 }), timeout);
  // Accepted by a machine whose clock is ahead.
  telemetry.requested(job({ receivedAtMs: 9_000 }), timeout);
  const text = await metrics.expose();
  expect(text).toContain('hookline_delivery_attempts_total{outcome="timeout",attempt="first"} 2');
  expect(text).toContain('hookline_delivery_attempts_total{outcome="timeout",attempt="retry"} 1');
  expect(text).toContain('hookline_delivery_attempts_total{outcome="success",attempt="first"} 0');
  expect(text).toContain('hookline_delivery_attempt_duration_seconds_bucket{le="5",attempt="first"} 2');
  expect(text).toContain("hookline_delivery_first_attempt_delay_seconds_count 2");
  expect(text).toContain("hookline_delivery_first_attempt_delay_seconds_sum 1");
});

test("calls that were diverted or paused before their first attempt, and replays, do not count for its delay", async () => {
  const { metrics, telemetry } = setup();
  telemetry.requested(job({ receivedAtMs: 1_000, diverts: 2, visibleAtMs: 1_500 }), timeout);
  telemetry.requested(job({ receivedAtMs: 1_000, visibleAtMs: 1_500 }), timeout);
  telemetry.requested(job({ receivedAtMs: 1_000, replayId: "rpl_1" }), timeout);
  const text = await metrics.expose();
  expect(text).toContain("hookline_delivery_first_attempt_delay_seconds_count 0");
});

test("diverts are counted by reason, expired calls by themselves", async () => {
  const { metrics, telemetry } = setup();
  telemetry.ended(job(), { kind: "divert", reason: "stalled", tier: 0, job: job() });
  telemetry.ended(job(), { kind: "dead", reason: "window_over", message: "", job: job() });
  const text = await metrics.expose();
  expect(text).toContain('hookline_delivery_jobs_total{verdict="divert"} 1');
  expect(text).toContain('hookline_delivery_diverted_total{reason="stalled"} 1');
  expect(text).toContain('hookline_delivery_diverted_total{reason="rate_limited"} 0');
  expect(text).toContain("hookline_delivery_expired_total 1");
});

test("a delivered or paused call is no dead letter, and none but one whose time was over is an expired one", async () => {
  const { metrics, telemetry } = setup();
  telemetry.ended(job(), { kind: "delivered" });
  telemetry.paused();
  for (const reason of ["permanent", "not_asked"] as const)
    telemetry.ended(job(), { kind: "dead", reason, message: "", job: job() });
  const text = await metrics.expose();
  expect(text).toContain('hookline_delivery_jobs_total{verdict="delivered"} 1');
  expect(text).toContain('hookline_delivery_jobs_total{verdict="pause"} 1');
  expect(text).toContain('hookline_delivery_jobs_total{verdict="dead"} 2');
  expect(text).toContain('hookline_dead_letters_total{reason="permanent"} 1');
  expect(text).toContain('hookline_dead_letters_total{reason="not_asked"} 1');
  expect(text).toContain("hookline_delivery_expired_total 1");
});

test("a record that went to the dead letters as it is counts each time, and is one line a minute for each reason", async () => {
  const { clock, lines, metrics, telemetry } = setup();
  const record = { topic: "t", partition: 1, offset: 7, key: null, value: null, timestampMs: 0 };
  const undecodable = Object.assign(new Error("garbage"), { canRetry: false });
  const fault = new Error("ours");
  for (const error of [undecodable, undecodable, fault]) telemetry.rejected(record, error);
  clock.nowMs = 60_000;
  telemetry.rejected(record, undecodable);
  const text = await metrics.expose();
  expect(text).toContain('hookline_dead_letters_total{reason="undecodable"} 3');
  expect(text).toContain('hookline_dead_letters_total{reason="handler_failed"} 1');
  const place = { topic: "t", partition: 1, offset: 7 };
  expect(lines).toMatchObject([
    { level: "error", facts: { ...place, reason: "undecodable", err: undecodable, heldBack: 0 } },
    { level: "error", facts: { ...place, reason: "handler_failed", err: fault, heldBack: 0 } },
    { level: "error", facts: { ...place, reason: "undecodable", err: undecodable, heldBack: 1 } },
  ]);
});

test("rebalances are counted, and a fault of ours while a job was handled is an error with the job's ids", async () => {
  const { lines, metrics, telemetry } = setup();
  telemetry.rebalanced();
  const fault = new Error("ours");
  telemetry.failed(job(), fault);
  expect(await metrics.expose()).toContain("hookline_delivery_rebalances_total 1");
  expect(lines).toMatchObject([
    { level: "error", facts: { jobId: "job-1", destinationId: "d1", messageId: "m1", err: fault } },
  ]);
});

test("a thousand destinations make no more series than one", async () => {
  const { metrics, telemetry } = setup();
  const state = {
    requestsInFlight: 1,
    requestsWaiting: 1,
    breakers: { closed: 997, open: 2, half_open: 1 },
    outstandingCalls: 1,
    assignedPartitions: 1,
    waitingCalls: 1,
    oldestDueAtMs: 1_500,
  };
  watchState(metrics, () => state);
  const series = async () => (await metrics.expose()).split("\n").filter((line) => /^hookline_/.test(line));
  const see = (destinationId: string) => {
    const own = job({ destinationId });
    telemetry.requested(own, { ...timeout, url: `https://${destinationId}.test/hook` });
    telemetry.ended(own, { kind: "divert", reason: "breaker_open", tier: 0, job: own });
  };
  see("d0");
  const before = (await series()).length;
  for (let count = 1; count < 1_000; count += 1) see(`d${count}`);
  const after = await series();
  expect(after).toHaveLength(before);
  expect(after.length).toBeLessThan(250);
  expect(after).toContain('hookline_delivery_endpoints{breaker="open"} 2');
  expect(after).toContain("hookline_delivery_oldest_waiting_timestamp_seconds 1.5");
});
