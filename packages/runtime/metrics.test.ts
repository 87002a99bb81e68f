import { describe, expect, test } from "@jest/globals";
import { countRecordsLost, createMetrics } from "./metrics.ts";

const create = () => createMetrics({ service: "test", version: "1.2.3" });

describe("metrics", () => {
  test("every declared label set is exposed as 0 from the start", async () => {
    const metrics = create();
    metrics.counter({ name: "calls_total", help: "h", labels: { outcome: ["routed", "dropped"] } });
    metrics.histogram({ name: "age_seconds", help: "h", labels: { stage: ["a"] }, buckets: [1] });
    const text = await metrics.expose();
    expect(text).toContain('hookline_calls_total{outcome="routed"} 0');
    expect(text).toContain('hookline_calls_total{outcome="dropped"} 0');
    expect(text).toContain('hookline_age_seconds_count{stage="a"} 0');
  });

  test("counters count, gauges are asked at each scrape, histograms observe", async () => {
    const metrics = create();
    const calls = metrics.counter({ name: "calls_total", help: "h", labels: { outcome: ["routed"] } });
    calls.inc({ outcome: "routed" });
    calls.inc({ outcome: "routed" }, 4);
    let lag = 3;
    metrics.gauge({ name: "lag_records", help: "h", collect: (gauge) => gauge.set({}, lag) });
    metrics.histogram({ name: "age_seconds", help: "h", buckets: [1, 5] }).observe({}, 2);
    const text = await metrics.expose();
    expect(text).toContain('hookline_calls_total{outcome="routed"} 5');
    expect(text).toContain("hookline_lag_records 3");
    expect(text).toContain('hookline_age_seconds_bucket{le="5"} 1');
    lag = 7;
    expect(await metrics.expose()).toContain("hookline_lag_records 7");
  });

  test("a counter whose totals are kept elsewhere is asked at each scrape", async () => {
    const metrics = create();
    let total = 3;
    metrics.counter({
      name: "requests_total",
      help: "h",
      labels: { api: ["Fetch", "Produce"] },
      collect: (totals) => totals.set({ api: "Fetch" }, total),
    });
    expect(await metrics.expose()).toContain('hookline_requests_total{api="Fetch"} 3');
    total = 4;
    const text = await metrics.expose();
    expect(text).toContain('hookline_requests_total{api="Fetch"} 4');
    expect(text).toContain('hookline_requests_total{api="Produce"} 0');
  });

  test("the clock is shown in seconds, as it is at the scrape", async () => {
    const text = await create().expose();
    const [, seconds] = /^hookline_clock_timestamp_seconds (.*)$/m.exec(text) ?? [];
    expect(Math.abs(Number(seconds) - Date.now() / 1_000)).toBeLessThan(5);
  });

  test("records that nobody read are counted by topic, from 0 on", async () => {
    const metrics = create();
    const lost = countRecordsLost(metrics, ["calls", "jobs"]);
    lost({ topic: "calls", records: 30, kind: "unread" });
    lost({ topic: "calls", records: 12, kind: "unread" });
    lost({ topic: "jobs", records: 5, kind: "truncated" });
    const text = await metrics.expose();
    expect(text).toContain('hookline_records_lost_total{topic="calls"} 42');
    expect(text).toContain('hookline_records_lost_total{topic="jobs"} 0');
    expect(text).toContain('hookline_records_truncated_total{topic="calls"} 0');
    expect(text).toContain('hookline_records_truncated_total{topic="jobs"} 5');
  });

  test("a histogram counts a value in every bucket that is wide enough, and each label set alone", async () => {
    const metrics = create();
    const age = metrics.histogram({
      name: "age_seconds",
      help: "h",
      labels: { stage: ["a", "b"], try: ["first", "retry"] },
      buckets: [1, 5],
    });
    for (const value of [0.5, 1, 2, 9]) age.observe({ stage: "a", try: "retry" }, value);
    age.observe({ stage: "b", try: "first" }, 5);
    const text = await metrics.expose();
    const lines = text.split("\n").filter((line) => line.includes("age_seconds") && !line.endsWith(" 0"));
    expect(lines).toEqual([
      "# HELP hookline_age_seconds h",
      "# TYPE hookline_age_seconds histogram",
      'hookline_age_seconds_bucket{le="1",stage="a",try="retry"} 2',
      'hookline_age_seconds_bucket{le="5",stage="a",try="retry"} 3',
      'hookline_age_seconds_bucket{le="+Inf",stage="a",try="retry"} 4',
      'hookline_age_seconds_sum{stage="a",try="retry"} 12.5',
      'hookline_age_seconds_count{stage="a",try="retry"} 4',
      'hookline_age_seconds_bucket{le="5",stage="b",try="first"} 1',
      'hookline_age_seconds_bucket{le="+Inf",stage="b",try="first"} 1',
      'hookline_age_seconds_sum{stage="b",try="first"} 5',
      'hookline_age_seconds_count{stage="b",try="first"} 1',
    ]);
  });

  test("a value that was not declared, a number that is none and a shrinking counter are refused", () => {
    const metrics = create();
    const calls = metrics.counter({ name: "calls_total", help: "h", labels: { outcome: ["routed"] } });
    const age = metrics.histogram({ name: "age_seconds", help: "h", buckets: [1] });
    expect(() => calls.inc({ outcome: "lost" as "routed" })).toThrow("not a declared label value");
    expect(() => calls.inc({ outcome: "routed" }, -1)).toThrow("cannot grow");
    expect(() => age.observe({}, Number.NaN)).toThrow("cannot observe");
  });

  test("process, event loop and build are there without being asked for", async () => {
    const text = await create().expose();
    expect(text).toContain('hookline_build_info{service="test",version="1.2.3"');
    expect(text).toContain("hookline_event_loop_utilization_ratio");
    expect(text).toContain("process_cpu_seconds_total");
    expect(text).toContain("nodejs_eventloop_lag_seconds");
    // A timer that wakes an idle process a hundred times a second would be needed for it.
    expect(text).not.toMatch(/nodejs_eventloop_lag_\w+_seconds/);
  });

  test("unbounded labels and counters without _total are refused", () => {
    const many = Array.from({ length: 1000 }, (_, index) => `user-${index}`);
    expect(() => create().counter({ name: "calls_total", help: "h", labels: { user: many } })).toThrow(
      "bounded",
    );
    expect(() => create().counter({ name: "calls", help: "h" })).toThrow("_total");
  });
});
