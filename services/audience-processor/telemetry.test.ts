import { expect, test } from "@jest/globals";
import { createMetrics } from "#runtime";
import { recordedLog } from "#support/recorded-log";
import { createTelemetry, watchState } from "./telemetry.ts";

const NOW_MS = 1_800_000_000_000;

function setup() {
  const { logger } = recordedLog();
  const metrics = createMetrics({ service: "audience-processor", version: "0" });
  const telemetry = createTelemetry({ metrics, logger });
  const shown = async (series: string): Promise<number> => {
    const line = (await metrics.expose()).split("\n").find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1));
  };
  return { metrics, shown, telemetry };
}

test("changes are counted by what has made them, every cause from 0 on", async () => {
  const { shown, telemetry } = setup();
  telemetry.changed("call", 2);
  telemetry.changed("call", 0);
  telemetry.changed("time", 1);
  const causes = ["call", "merge", "release", "delete", "list", "time", "configuration"];
  const counts = await Promise.all(
    causes.map((cause) => shown(`hookline_audience_changes_total{cause="${cause}"}`)),
  );
  expect(counts).toEqual([2, 0, 0, 0, 0, 1, 0]);
});

test("a change that is written within 5 s is within the objective, one after that is not", async () => {
  const { shown, telemetry } = setup();
  const flip = { computationId: "a", generation: 1, seq: 1, text: "true", traits: "", isTracked: false };
  telemetry.sent(
    [
      { ...flip, atMs: NOW_MS - 5_000 },
      { ...flip, atMs: NOW_MS - 5_001 },
    ],
    NOW_MS,
  );
  expect(await shown('hookline_audience_identify_delay_seconds_bucket{le="5"}')).toBe(1);
  expect(await shown("hookline_audience_identify_delay_seconds_count")).toBe(2);
  expect(await shown("hookline_audience_identifies_total")).toBe(2);
});

test("a profile that has no room counts once for each audience that misses something", async () => {
  const { shown, telemetry } = setup();
  telemetry.incomplete(new Set(), new Set(["a", "b"]));
  telemetry.incomplete(new Set(["a", "b"]), new Set(["b"]));
  telemetry.incomplete(new Set(["b"]), new Set(["b", "c"]));
  expect(await shown("hookline_audience_incomplete_profiles_total")).toBe(3);
});

test("a restore is measured in seconds", async () => {
  const { shown, telemetry } = setup();
  telemetry.restored(1_500);
  expect(await shown("hookline_audience_restore_duration_seconds_sum")).toBe(1.5);
  expect(await shown('hookline_audience_restore_duration_seconds_bucket{le="2"}')).toBe(1);
});

test("shows what the process holds right now, the moment in seconds", async () => {
  const { metrics, shown } = setup();
  const state = { assignedPartitions: 3, restoringPartitions: 1, outstandingEvents: 2 };
  watchState(metrics, () => ({ ...state, profiles: 7, computations: 4, watermarkMs: NOW_MS }));
  expect(await shown("hookline_audience_restoring_partitions")).toBe(1);
  expect(await shown("hookline_audience_profiles")).toBe(7);
  expect(await shown("hookline_audience_watermark_timestamp_seconds")).toBe(NOW_MS / 1_000);
});
