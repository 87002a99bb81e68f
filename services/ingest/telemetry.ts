import {
  CALL_TYPES,
  type CallType,
  type CallWarning,
  type DropReason,
  REJECTION_CODES,
  type Rejection,
  WARNING_CODES,
} from "#contract";
import { LATENCY_BUCKETS_SECONDS, type Metrics, watchNumbers } from "#runtime";
import { BUSY_REASONS, type Refusal } from "./refusal.ts";

const ROUTES = ["call", "batch", "client-metrics", "pixel", "settings", "preflight", "unknown"] as const;
const STATUSES = ["200", "400", "404", "405", "417", "429", "500", "503", "aborted"] as const;

/** The only drop reason that is ingest's. */
const SUPPRESSED = ["suppressed"] as const satisfies readonly DropReason[];

export type RouteLabel = (typeof ROUTES)[number];
export type StatusLabel = (typeof STATUSES)[number];

export function statusLabel(status: number | undefined): StatusLabel {
  return STATUSES.find((label) => label === String(status)) ?? "aborted";
}

/** The metrics and log lines of ingest. */
export interface Telemetry {
  answered(route: RouteLabel, status: StatusLabel, durationMs: number): void;
  received(bytes: number): void;
  /** Calls of one request that are stored, those of it that were refused, and warnings about the stored ones. */
  stored(
    calls: readonly { readonly type: CallType }[],
    told: { readonly rejected: readonly Rejection[]; readonly warnings: readonly CallWarning[] },
  ): void;
  /** Calls answered 200 and dropped, because their users are suppressed (contract 5.2). */
  suppressed(calls: number): void;
  /** A whole request that was refused. */
  refused(refusal: Refusal): void;
}

export function createTelemetry(metrics: Metrics): Telemetry {
  const requests = metrics.counter({
    name: "ingest_requests_total",
    help: "Requests by route and status; aborted: the caller went away.",
    labels: { route: ROUTES, status: STATUSES },
  });
  const duration = metrics.histogram({
    name: "ingest_request_duration_seconds",
    help: "From the end of a request's body to the answer; not of those whose caller went away.",
    labels: { route: ROUTES },
    buckets: LATENCY_BUCKETS_SECONDS.filter((seconds) => seconds <= 10),
  });
  const bytes = metrics.counter({
    name: "ingest_received_bytes_total",
    help: "Bytes of request bodies as sent, compressed ones compressed.",
  });
  const accepted = metrics.counter({
    name: "ingest_calls_accepted_total",
    help: "Calls stored durably.",
    labels: { type: CALL_TYPES },
  });
  const rejected = metrics.counter({
    name: "ingest_calls_rejected_total",
    help: "Calls, or whole requests, refused for good.",
    labels: { code: REJECTION_CODES },
  });
  const warned = metrics.counter({
    name: "ingest_call_warnings_total",
    help: "Accepted calls of which something could not be used; timestamp_unreadable: they have the time of receipt.",
    labels: { code: WARNING_CODES },
  });
  const dropped = metrics.counter({
    name: "ingest_calls_dropped_total",
    help: "Calls answered 200 and not stored; suppressed: a regulation has suppressed their user.",
    labels: { reason: SUPPRESSED },
  });
  const busy = metrics.counter({
    name: "ingest_requests_shed_total",
    help: "Requests answered 503, by reason.",
    labels: { reason: BUSY_REASONS },
  });
  const limited = metrics.counter({
    name: "ingest_requests_rate_limited_total",
    help: "Requests answered 429.",
  });
  return {
    answered(route, status, durationMs) {
      requests.inc({ route, status });
      if (status !== "aborted") duration.observe({ route }, durationMs / 1_000);
    },
    received: (count) => bytes.inc({}, count),
    stored(calls, told) {
      countTypes(calls, (type, count) => accepted.inc({ type }, count));
      for (const { code } of told.rejected) rejected.inc({ code });
      for (const { code } of told.warnings) warned.inc({ code });
    },
    suppressed: (calls) => dropped.inc({ reason: "suppressed" }, calls),
    refused(refusal) {
      if (refusal.kind === "busy") busy.inc({ reason: refusal.reason });
      else if (refusal.kind === "rate_limited") limited.inc({});
      else for (const { code } of refusal.rejected ?? [refusal.rejection]) rejected.inc({ code });
    },
  };
}

/** One increment for each run of calls of the same type: a batch is mostly one type. */
function countTypes(
  calls: readonly { readonly type: CallType }[],
  add: (type: CallType, count: number) => void,
): void {
  let start = 0;
  for (let end = 1; end <= calls.length; end += 1) {
    const type = calls[start]?.type;
    if (type === undefined || (end < calls.length && calls[end]?.type === type)) continue;
    add(type, end - start);
    start = end;
  }
}

export interface Levels {
  waitingBytes(): number;
  unacknowledgedMs(): number | undefined;
  nowMs(): number;
}

/** Levels that are asked for at each scrape. */
export function watchLevels(metrics: Metrics, levels: Levels): void {
  metrics.gauge({
    name: "ingest_waiting_bytes",
    help: "Bytes of bodies being read or waiting for Kafka's acknowledgement.",
    collect: (gauge) => gauge.set({}, levels.waitingBytes()),
  });
  metrics.gauge({
    name: "ingest_oldest_unacknowledged_timestamp_seconds",
    help: "When the oldest record was handed over that Kafka has not acknowledged; 0 when there is none.",
    collect(gauge) {
      const ageMs = levels.unacknowledgedMs();
      gauge.set({}, ageMs === undefined ? 0 : (levels.nowMs() - ageMs) / 1_000);
    },
  });
}

/** Publishes how many users are suppressed, and how old the table is. */
export function watchSuppressions(
  metrics: Metrics,
  table: { readonly size: number; readonly lastRecordAtMs: number | undefined },
): void {
  watchNumbers(metrics, () => table, {
    ingest_suppressions: ["Suppressed users, of all sources or of one.", ({ size }) => size],
    ingest_suppressions_last_record_timestamp_seconds: [
      "When the newest suppression read was written; 0 before the first.",
      ({ lastRecordAtMs }) => (lastRecordAtMs ?? 0) / 1_000,
    ],
  });
}

/** Returns a counter; call it for each record of refused calls that Kafka did not get. */
export function watchRefusedRecords(metrics: Metrics): () => void {
  const dropped = metrics.counter({
    name: "ingest_refused_records_dropped_total",
    help: "Records of refused calls that Kafka did not take: live events lack them, statistics have them ten seconds later.",
  });
  return () => dropped.inc({}, 1);
}
