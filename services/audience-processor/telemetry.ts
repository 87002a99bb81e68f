import type { Outcome, ProfileEvent } from "#audiences";
import { BROKEN_RECORD_REASONS } from "#contract";
import type { RawRecord } from "#kafka";
import { LATENCY_BUCKETS_SECONDS, type Logger, type Metrics, watchNumbers } from "#runtime";
import { brokenRecordReason } from "#topics";
import type { ChangeCause, ExpiryStep, ProfileTelemetry } from "./profiles/profile-telemetry.ts";

/** What happens to calls and profiles, as metrics, and as log lines where a person needs them. */
export interface Telemetry extends ProfileTelemetry {
  /** A call became so many events of profiles. */
  keyed(events: number): void;
  /** A partition was restored. */
  restored(tookMs: number): void;
  /** The record became a dead letter. */
  rejected(record: RawRecord, error: Error): void;
}

/** What is looked at when somebody asks. */
export interface ProcessorState {
  readonly assignedPartitions: number;
  readonly restoringPartitions: number;
  readonly outstandingEvents: number;
  readonly profiles: number;
  readonly computations: number;
  readonly watermarkMs: number;
}

const KINDS: readonly ProfileEvent["kind"][] = [
  "call",
  "merge",
  "release",
  "delete",
  "list",
  "suppress",
  "member",
];
const CAUSES: readonly ChangeCause[] = [...KINDS, "time", "configuration", "expiry"];
const EXPIRY_STEPS: readonly ExpiryStep[] = ["emptied", "removed", "unlinked"];
/** From a checkpoint that is a moment old to a million profiles. */
const RESTORE_BUCKETS_SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const OUTCOMES: readonly Outcome[] = [
  "applied",
  "already_applied",
  "redirected",
  "unlinked",
  "deleted",
  "suppressed",
  "frozen",
  "duplicate",
];

function meters(metrics: Metrics) {
  return {
    keyed: metrics.counter({ name: "audience_calls_total", help: "Calls keyed by profile." }),
    written: metrics.counter({
      name: "audience_profile_events_total",
      help: "Events of profiles that calls became.",
    }),
    folded: metrics.counter({
      name: "audience_folded_total",
      help: "Events of profiles by outcome.",
      labels: { kind: KINDS, outcome: OUTCOMES },
    }),
    timers: metrics.counter({
      name: "audience_timers_total",
      help: "Profiles judged because time had passed.",
    }),
    changes: metrics.counter({
      name: "audience_changes_total",
      help: "Values that have changed, by cause. After a crash some are counted again.",
      labels: { cause: CAUSES },
    }),
    incomplete: metrics.counter({
      name: "audience_incomplete_profiles_total",
      help: "Profiles without room for something that an audience or computed trait asks for.",
    }),
    expired: metrics.counter({
      name: "audience_expired_profiles_total",
      help: "Profiles of unused anonymous ids; unlinked: merged into a user's.",
      labels: { step: EXPIRY_STEPS },
    }),
    restores: metrics.histogram({
      name: "audience_restore_duration_seconds",
      help: "From the begin of a partition's restore to work on its events.",
      buckets: RESTORE_BUCKETS_SECONDS,
    }),
    identifies: metrics.counter({
      name: "audience_identifies_total",
      help: "Identify calls written for changed values.",
    }),
    delay: metrics.histogram({
      name: "audience_identify_delay_seconds",
      help: "From the change of a value to the acknowledgement of its identify call.",
      buckets: LATENCY_BUCKETS_SECONDS,
    }),
    deadLetters: metrics.counter({
      name: "dead_letters_total",
      help: "Records that failed for good, by reason.",
      labels: { reason: BROKEN_RECORD_REASONS },
    }),
  };
}

export function createTelemetry({
  logger,
  metrics,
}: {
  readonly metrics: Metrics;
  readonly logger: Logger;
}): Telemetry {
  const meter = meters(metrics);
  return {
    keyed(events) {
      meter.keyed.inc({});
      meter.written.inc({}, events);
    },
    folded: (kind, outcome) => meter.folded.inc({ kind, outcome }),
    timerFired: () => meter.timers.inc({}),
    changed: (cause, values) => void (values > 0 && meter.changes.inc({ cause }, values)),
    restored: (tookMs) => meter.restores.observe({}, tookMs / 1000),
    unreadable: (error) => logger.error({ err: error }, "a profile cannot be read; it stays as it is"),
    incomplete(before, now) {
      for (const id of now) if (!before.has(id)) meter.incomplete.inc({});
    },
    expired: (step, profiles) => void (profiles > 0 && meter.expired.inc({ step }, profiles)),
    sent(flips, nowMs) {
      meter.identifies.inc({}, flips.length);
      for (const { atMs } of flips) meter.delay.observe({}, Math.max(0, nowMs - atMs) / 1000);
    },
    rejected({ topic, partition, offset }, error) {
      const reason = brokenRecordReason(error);
      meter.deadLetters.inc({ reason });
      logger.error(
        { topic, partition, offset, reason, err: error },
        "a record went to the dead letters as it is",
      );
    },
  };
}

/** Gauges of what the process holds right now. */
export function watchState(metrics: Metrics, state: () => ProcessorState): void {
  watchNumbers(metrics, state, {
    audience_assigned_partitions: [
      "Partitions of profiles that this process owns.",
      (now) => now.assignedPartitions,
    ],
    audience_restoring_partitions: [
      "Partitions being restored; their events wait.",
      (now) => now.restoringPartitions,
    ],
    audience_outstanding_events: ["Events in memory, not settled yet.", (now) => now.outstandingEvents],
    audience_profiles: ["Profiles on disk.", (now) => now.profiles],
    audience_computations: ["Audiences, computed traits and lists.", (now) => now.computations],
    audience_watermark_timestamp_seconds: [
      "Up to when windows have ended, of the partition furthest behind; 0 while none is open. Ten seconds old where no audience or trait is defined.",
      (now) => now.watermarkMs / 1000,
    ],
  });
}
