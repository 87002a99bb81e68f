import { BROKEN_RECORD_REASONS, DROP_REASONS, type DropReason } from "#contract";
import type { RawRecord, Received } from "#kafka";
import { LATENCY_BUCKETS_SECONDS, type Logger, type Metrics, watchNumbers } from "#runtime";
import { brokenRecordReason, type Call } from "#topics";

/** The metrics of calls, and log lines where a person needs them. */
export interface Telemetry {
  /** The call became so many delivery jobs. */
  routed(record: Received<Call>, jobs: number): void;
  dropped(record: Received<Call>, reason: DropReason): void;
  /** The record had been noted before: it is routed a second time after a crash or a rebalance. */
  repeated(): void;
  /** The record became a dead letter. */
  rejected(record: RawRecord, error: Error): void;
  /** The group gave out its partitions again. */
  rebalanced(): void;
}

/** The state that is read at each scrape. */
export interface RouterState {
  readonly assignedPartitions: number;
  readonly outstandingCalls: number;
  readonly openingWindows: number;
  readonly lagCalls: number;
}

export function createTelemetry(options: {
  readonly metrics: Metrics;
  readonly logger: Logger;
  nowMs(): number;
}): Telemetry {
  const { logger, nowMs } = options;
  const meter = meters(options.metrics);
  // Of the calls since the last scrape: of several partitions only one may be behind.
  let oldest = { atMs: 0, isShown: true };
  options.metrics.gauge({
    name: "router_last_call_timestamp_seconds",
    help: "When the oldest call routed since the last scrape was accepted.",
    collect(gauge) {
      gauge.set({}, oldest.atMs / 1000);
      oldest.isShown = true;
    },
  });

  function observe({ decoded }: Received<Call>): void {
    meter.age.observe({}, Math.max(0, nowMs() - decoded.receivedAtMs) / 1000);
    if (oldest.isShown || decoded.receivedAtMs < oldest.atMs)
      oldest = { atMs: decoded.receivedAtMs, isShown: false };
  }

  return {
    routed(record, jobs) {
      meter.calls.inc({ outcome: "routed" });
      meter.jobs.inc({}, jobs);
      observe(record);
    },
    dropped(record, reason) {
      meter.calls.inc({ outcome: reason });
      observe(record);
    },
    repeated: () => meter.repeated.inc({}),
    rejected({ topic, partition, offset }, error) {
      const reason = brokenRecordReason(error);
      meter.calls.inc({ outcome: reason });
      meter.deadLetters.inc({ reason });
      const facts = { topic, partition, offset, reason, err: error };
      logger.error(facts, "a record went to the dead letters as it is");
    },
    rebalanced: () => meter.rebalances.inc({}),
  };
}

function meters(metrics: Metrics) {
  return {
    calls: metrics.counter({
      name: "router_calls_total",
      help: "Calls by what became of them.",
      labels: { outcome: ["routed", ...DROP_REASONS, ...BROKEN_RECORD_REASONS] },
    }),
    jobs: metrics.counter({ name: "router_jobs_total", help: "Delivery jobs made." }),
    repeated: metrics.counter({
      name: "router_repeated_calls_total",
      help: "Calls read again after a crash or a rebalance.",
    }),
    age: metrics.histogram({
      name: "router_call_age_seconds",
      help: "From the acceptance of a call to its routing.",
      buckets: LATENCY_BUCKETS_SECONDS,
    }),
    deadLetters: metrics.counter({
      name: "dead_letters_total",
      help: "Records that failed for good, by reason.",
      labels: { reason: BROKEN_RECORD_REASONS },
    }),
    rebalances: metrics.counter({
      name: "router_rebalances_total",
      help: "Rebalances of the consumer group.",
    }),
  };
}

/** Gauges of what the process holds right now. */
export function watchState(metrics: Metrics, state: () => RouterState): void {
  watchNumbers(metrics, state, {
    router_assigned_partitions: ["Partitions this process reads.", (now) => now.assignedPartitions],
    router_outstanding_calls: ["Calls in memory, not settled yet.", (now) => now.outstandingCalls],
    router_opening_windows: [
      "Partitions whose duplicate window is being brought up to date; their calls wait.",
      (now) => now.openingWindows,
    ],
    router_lag_calls: ["Calls of the assigned partitions not committed yet.", (now) => now.lagCalls],
  });
}
