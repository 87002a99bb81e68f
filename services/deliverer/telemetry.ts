import { DEAD_LETTER_REASONS, DIVERT_REASONS, OUTCOME_REASONS, type OutcomeReason } from "#contract";
import type { RawRecord } from "#kafka";
import { LATENCY_BUCKETS_SECONDS, type Logger, type Metrics, watchNumbers } from "#runtime";
import { brokenRecordReason, type DeliveryJob } from "#topics";
import { BREAKER_STATES, type BreakerState } from "./endpoints/breaker.ts";
import type { JobVerdict } from "./job/judge.ts";
import { createLogLimit } from "./log-limit.ts";
import type { WebhookResult } from "./outcomes.ts";

/** The metrics of calls, and log lines where a person needs them. */
export interface Telemetry {
  /** One request to one webhook has ended. */
  requested(job: DeliveryJob, result: WebhookResult): void;
  /** A job has left the process. */
  ended(job: DeliveryJob, verdict: JobVerdict): void;
  /** A job has left the process as it is, for a retry topic: its destination is paused. */
  paused(): void;
  /** A record became a dead letter without being a job that could be judged. */
  rejected(record: RawRecord, error: Error): void;
  /** The group gave out its partitions again. */
  rebalanced(): void;
  /** A fault of ours while a job was handled. */
  failed(job: DeliveryJob, error: unknown): void;
}

/** The state that is read at each scrape. */
export interface DeliveryState {
  readonly requestsInFlight: number;
  readonly requestsWaiting: number;
  /** Endpoints that are known right now, by the state of their breaker. */
  readonly breakers: Readonly<Record<BreakerState, number>>;
  readonly outstandingCalls: number;
  readonly assignedPartitions: number;
  readonly waitingCalls: number;
  /** Unix ms; 0 when none waits. */
  readonly oldestDueAtMs: number;
}

/** Reasons that somebody has to act on; everything else passes by itself or is the customer's to see. */
const ERRORS: ReadonlySet<OutcomeReason> = new Set(["self_signed", "secret_unreadable", "invalid_request"]);

/** One line per destination, endpoint and reason in this time. */
const LOG_PERIOD_MS = 60_000;

function meters(metrics: Metrics) {
  const attempt = ["first", "retry"] as const;
  return {
    attempts: metrics.counter({
      name: "delivery_attempts_total",
      help: "Requests to webhooks by outcome.",
      labels: { outcome: ["success", ...OUTCOME_REASONS], attempt },
    }),
    duration: metrics.histogram({
      name: "delivery_attempt_duration_seconds",
      help: "From the start of a request to its status line and headers, or to its failure.",
      labels: { attempt },
      buckets: LATENCY_BUCKETS_SECONDS,
    }),
    firstAttemptDelay: metrics.histogram({
      name: "delivery_first_attempt_delay_seconds",
      help: "From the acceptance of a call to the start of its first request.",
      buckets: LATENCY_BUCKETS_SECONDS,
    }),
    jobs: metrics.counter({
      name: "delivery_jobs_total",
      help: "Verdicts on delivery jobs, one each time a job was in hand.",
      labels: { verdict: ["delivered", "wait", "divert", "pause", "dead"] },
    }),
    diverted: metrics.counter({
      name: "delivery_diverted_total",
      help: "Calls put off without a request: their endpoint was full, down, or wanted a pause.",
      labels: { reason: DIVERT_REASONS },
    }),
    expired: metrics.counter({
      name: "delivery_expired_total",
      help: "Calls whose window for retries ended without success.",
    }),
    deadLetters: metrics.counter({
      name: "dead_letters_total",
      help: "Calls that failed for good, by reason.",
      labels: { reason: DEAD_LETTER_REASONS },
    }),
    rebalances: metrics.counter({
      name: "delivery_rebalances_total",
      help: "Rebalances of the consumer group.",
    }),
  };
}

export interface TelemetryOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export function createTelemetry({ metrics, logger, nowMs }: TelemetryOptions): Telemetry {
  const meter = meters(metrics);
  const heldBackBefore = createLogLimit(LOG_PERIOD_MS, nowMs);

  /** Contract 2.5, 2.7: timeouts and self-signed certificates are errors that can be read; so are the other failures. */
  function logFailure(job: DeliveryJob, { url, outcome, message }: WebhookResult): void {
    if (outcome.kind === "success") return;
    const { reason } = outcome;
    // The log names the origin alone: paths of webhooks often are their secrets.
    const endpoint = URL.parse(url)?.origin ?? "unreadable URL";
    const { destinationId, messageId } = job;
    const heldBack = heldBackBefore(`${destinationId} ${endpoint} ${reason}`);
    if (heldBack === undefined) return;
    const facts = {
      destinationId,
      messageId,
      endpoint,
      reason,
      attempt: job.attempts + 1,
      error: message,
      heldBack,
    };
    if (ERRORS.has(reason))
      logger.error(facts, "webhook request failed for a reason that somebody must mend");
    else logger.warn(facts, reason === "timeout" ? "webhook timed out" : "webhook did not take a call");
  }

  return {
    requested(job, result) {
      const { outcome, startedAtMs, durationMs } = result;
      const attempt = job.attempts === 0 ? "first" : "retry";
      meter.attempts.inc({ outcome: outcome.kind === "success" ? "success" : outcome.reason, attempt });
      meter.duration.observe({ attempt }, durationMs / 1_000);
      // A job that has waited was put off for its endpoint or paused, and a replay's call was accepted long ago.
      if (job.visibleAtMs === 0 && job.replayId === null)
        meter.firstAttemptDelay.observe({}, Math.max(0, startedAtMs - job.receivedAtMs) / 1_000);
      logFailure(job, result);
    },
    ended(_job, verdict) {
      meter.jobs.inc({ verdict: verdict.kind });
      if (verdict.kind === "divert") meter.diverted.inc({ reason: verdict.reason });
      if (verdict.kind !== "dead") return;
      meter.deadLetters.inc({ reason: verdict.reason });
      if (verdict.reason === "window_over" || verdict.reason === "not_asked") meter.expired.inc({});
    },
    paused: () => meter.jobs.inc({ verdict: "pause" }),
    rejected({ topic, partition, offset }, error) {
      const reason = brokenRecordReason(error);
      meter.deadLetters.inc({ reason });
      const heldBack = heldBackBefore(reason);
      if (heldBack === undefined) return;
      logger.error(
        { topic, partition, offset, reason, err: error, heldBack },
        "a record went to the dead letters as it is",
      );
    },
    rebalanced: () => meter.rebalances.inc({}),
    failed({ jobId, destinationId, messageId }, error) {
      logger.error({ jobId, destinationId, messageId, err: error }, "handling a delivery job failed");
    },
  };
}

/** Gauges of what the process holds right now. */
export function watchState(metrics: Metrics, state: () => DeliveryState): void {
  watchNumbers(metrics, state, {
    delivery_requests_in_flight: ["Requests to webhooks under way.", (now) => now.requestsInFlight],
    delivery_requests_waiting: [
      "Requests that wait for a place at their endpoint.",
      (now) => now.requestsWaiting,
    ],
    delivery_outstanding_calls: ["Calls in memory, not settled yet.", (now) => now.outstandingCalls],
    delivery_assigned_partitions: ["Partitions this process reads.", (now) => now.assignedPartitions],
    delivery_waiting_calls: [
      "Calls in the retry topics, of all processes together.",
      (now) => now.waitingCalls,
    ],
    delivery_oldest_waiting_timestamp_seconds: [
      "When the first call in this process's retry partitions falls or fell due; 0 without any.",
      (now) => now.oldestDueAtMs / 1_000,
    ],
  });
  metrics.gauge({
    name: "delivery_endpoints",
    help: "Endpoints that this process knows, by state of their breaker.",
    labels: { breaker: BREAKER_STATES },
    collect(gauge) {
      const { breakers } = state();
      for (const breaker of BREAKER_STATES) gauge.set({ breaker }, breakers[breaker]);
    },
  });
}
