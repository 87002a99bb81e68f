import { describe, expect, test } from "@jest/globals";
import type { Received } from "#kafka";
import { createMetrics } from "#runtime";
import { valueOfSeries } from "#support/metrics";
import { recordedLog } from "#support/recorded-log";
import type { Call } from "#topics";
import { call } from "./fixtures/calls.ts";
import { createTelemetry, watchState } from "./telemetry.ts";

const NOW_MS = 1_800_000_000_000;

function setup() {
  const { logger, lines } = recordedLog();
  const metrics = createMetrics({ service: "webhook-router", version: "0" });
  const telemetry = createTelemetry({ metrics, logger, nowMs: () => NOW_MS });
  const shown = async (series: string): Promise<number> => valueOfSeries(await metrics.expose(), series);
  return { lines, metrics, shown, telemetry };
}

function record(receivedAtMs: number): Received<Call> {
  const place = { topic: "calls", partition: 1, offset: 7, key: null, value: null, timestampMs: 0 };
  return { ...place, decoded: call({ receivedAtMs }) };
}

const countOf = (outcome: string) => `hookline_router_calls_total{outcome="${outcome}"}`;

describe("what becomes of calls", () => {
  test("is counted by outcome, every outcome from 0 on, and their jobs", async () => {
    const { shown, telemetry } = setup();
    telemetry.routed(record(NOW_MS), 2);
    telemetry.routed(record(NOW_MS), 3);
    telemetry.dropped(record(NOW_MS), "duplicate");
    telemetry.dropped(record(NOW_MS), "no_destination");
    const outcomes = ["routed", "duplicate", "integration_off", "no_destination", "call_type_off"];
    const others = ["event_off", "filter_off", "undecodable", "handler_failed"];
    const counts = await Promise.all([...outcomes, ...others].map((outcome) => shown(countOf(outcome))));
    expect(counts).toEqual([2, 1, 0, 1, 0, 0, 0, 0, 0]);
    expect(await shown("hookline_router_jobs_total")).toBe(5);
  });

  test("shows how old a call was, and when the oldest since the last look was accepted; a clock behind makes no age below 0", async () => {
    const { shown, telemetry } = setup();
    expect(await shown("hookline_router_last_call_timestamp_seconds")).toBe(0);
    telemetry.routed(record(NOW_MS - 2_000), 1);
    expect(await shown("hookline_router_call_age_seconds_sum")).toBe(2);
    telemetry.dropped(record(NOW_MS + 5_000), "event_off");
    expect(await shown("hookline_router_call_age_seconds_sum")).toBe(2);
    expect(await shown("hookline_router_call_age_seconds_count")).toBe(2);
    // Whichever partition came last: the other one may be behind.
    expect(await shown("hookline_router_last_call_timestamp_seconds")).toBe(NOW_MS / 1_000 + 5);
    telemetry.routed(record(NOW_MS - 400_000), 1);
    telemetry.routed(record(NOW_MS), 1);
    const seen = [await shown("hookline_router_last_call_timestamp_seconds")];
    telemetry.routed(record(NOW_MS), 1);
    seen.push(await shown("hookline_router_last_call_timestamp_seconds"));
    expect(seen).toEqual([NOW_MS / 1_000 - 400, NOW_MS / 1_000]);
  });

  test("of a record that was rejected is counted by reason, and an error's line says where it was", async () => {
    const { lines, shown, telemetry } = setup();
    const bad = Object.assign(new Error("bad bytes"), { canRetry: false });
    telemetry.rejected(record(NOW_MS), bad);
    telemetry.rejected(record(NOW_MS), new Error("a bug"));
    expect(await shown('hookline_dead_letters_total{reason="undecodable"}')).toBe(1);
    expect(await shown('hookline_dead_letters_total{reason="handler_failed"}')).toBe(1);
    expect([await shown(countOf("undecodable")), await shown(countOf("handler_failed"))]).toEqual([1, 1]);
    expect(lines).toMatchObject([
      { level: "error", facts: { topic: "calls", partition: 1, offset: 7, reason: "undecodable", err: bad } },
      { level: "error", facts: { reason: "handler_failed" } },
    ]);
  });

  test("calls that are read again and rebalances are counted", async () => {
    const { shown, telemetry } = setup();
    telemetry.repeated();
    telemetry.repeated();
    telemetry.rebalanced();
    expect(await shown("hookline_router_repeated_calls_total")).toBe(2);
    expect(await shown("hookline_router_rebalances_total")).toBe(1);
  });
});

test("gauges show what the process holds when somebody asks", async () => {
  const { metrics, shown } = setup();
  const state = { assignedPartitions: 1, outstandingCalls: 2, openingWindows: 3, lagCalls: 4 };
  watchState(metrics, () => state);
  const gauges = ["assigned_partitions", "outstanding_calls", "opening_windows", "lag_calls"];
  const all = () => Promise.all(gauges.map((name) => shown(`hookline_router_${name}`)));
  expect(await all()).toEqual([1, 2, 3, 4]);
  state.lagCalls = 0;
  expect(await all()).toEqual([1, 2, 3, 0]);
});
