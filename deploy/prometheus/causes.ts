// The few causes that are worth an alert beside the objectives.
import { type AlertText, alertRule } from "./rule.ts";

const SERVICES = ["ingest", "webhook-router", "deliverer", "audience-processor", "control"] as const;

const ABSENT = SERVICES.map((service) => `absent(hookline_build_info{service="${service}"})`).join(" or ");

const PROCESSES: readonly AlertText[] = [
  {
    alert: "HooklineServiceAbsent",
    severity: "page",
    expr: ABSENT,
    for: "5m",
    summary: "No process of {{ $labels.service }} is there.",
    description: "Prometheus has had no process of {{ $labels.service }} for 5 minutes.",
  },
  {
    alert: "HooklineTargetDown",
    severity: "ticket",
    expr: 'up{job=~".*hookline.*"} == 0',
    for: "5m",
    summary: "{{ $labels.instance }} does not answer.",
    description: "{{ $labels.instance }} of job {{ $labels.job }} has not answered Prometheus for 5 minutes.",
  },
  {
    alert: "HooklineEventLoopBusy",
    severity: "ticket",
    expr: "hookline_event_loop_utilization_ratio > 0.95",
    for: "10m",
    summary: "{{ $labels.instance }} has no CPU time left.",
    description:
      "The event loop of {{ $labels.instance }} is busy {{ $value | humanizePercentage }} of its time.",
  },
  {
    alert: "HooklineIngestSheds",
    severity: "ticket",
    expr: "sum by (reason) (rate(hookline_ingest_requests_shed_total[5m])) > 0.1",
    for: "5m",
    summary: "Ingest refuses requests: {{ $labels.reason }}.",
    description:
      "{{ $value | humanize }} requests a second are answered 503 for the reason {{ $labels.reason }}.",
  },
];

const READERS: readonly AlertText[] = [
  {
    alert: "HooklineRouterStalled",
    severity: "page",
    expr: "hookline_router_lag_calls > 0 and on (job, instance) sum by (job, instance) (rate(hookline_router_calls_total[5m])) == 0",
    for: "3m",
    summary: "{{ $labels.instance }} routes nothing although calls wait.",
    description:
      "{{ $value }} calls wait in the partitions of {{ $labels.instance }}, and none was routed for 5 minutes.",
  },
  {
    alert: "HooklineDelivererStalled",
    severity: "page",
    expr: "hookline_delivery_outstanding_calls > 0 and on (job, instance) sum by (job, instance) (rate(hookline_delivery_jobs_total[5m])) == 0",
    for: "3m",
    summary: "{{ $labels.instance }} settles nothing although it has calls in hand.",
    description: "{{ $labels.instance }} has {{ $value }} calls in hand and settled none for 5 minutes.",
  },
  {
    alert: "HooklineBacklogOld",
    severity: "ticket",
    expr: "(time() - hookline_router_last_call_timestamp_seconds > 300) and on (job, instance) (hookline_router_lag_calls > 0) and on (job, instance) (hookline_router_last_call_timestamp_seconds > 0)",
    for: "10m",
    summary: "{{ $labels.instance }} is behind.",
    description:
      "The call that {{ $labels.instance }} routed last had been accepted {{ $value | humanizeDuration }} ago.",
  },
  {
    alert: "HooklineWaitingCallsOverdue",
    severity: "ticket",
    expr: "(time() - hookline_delivery_oldest_waiting_timestamp_seconds > 600) and on (job, instance) (hookline_delivery_oldest_waiting_timestamp_seconds > 0)",
    for: "10m",
    summary: "Waiting calls of {{ $labels.instance }} are overdue.",
    description:
      "The oldest call that waits in the retry partitions of {{ $labels.instance }} fell due {{ $value | humanizeDuration }} ago.",
  },
  {
    alert: "HooklineAudiencesStalled",
    severity: "page",
    expr: "hookline_audience_outstanding_events > 0 and on (job, instance) sum by (job, instance) (rate(hookline_audience_folded_total[5m])) == 0",
    for: "3m",
    summary: "{{ $labels.instance }} folds nothing although it has events in hand.",
    description:
      "{{ $labels.instance }} has {{ $value }} events of profiles in hand and folded none for 5 minutes.",
  },
  {
    alert: "HooklineAudienceTimersOverdue",
    severity: "ticket",
    expr: "(time() - hookline_audience_watermark_timestamp_seconds > 120) and on (job, instance) (hookline_audience_watermark_timestamp_seconds > 0)",
    for: "5m",
    summary: "Windows of {{ $labels.instance }} end late.",
    description:
      "{{ $labels.instance }} lets nobody go whose time was over within the last {{ $value | humanizeDuration }}.",
  },
  {
    alert: "HooklineAudienceRestoreLong",
    severity: "ticket",
    expr: "hookline_audience_restoring_partitions > 0",
    for: "10m",
    summary: "{{ $labels.instance }} restores profiles for long.",
    description: "{{ $value }} partitions of {{ $labels.instance }} are being restored; their events wait.",
  },
  {
    alert: "HooklineTableStale",
    severity: "ticket",
    expr: "max by (table) (hookline_table_last_record_timestamp_seconds) - on (table) group_right () hookline_table_last_record_timestamp_seconds > 60",
    for: "5m",
    summary: "{{ $labels.instance }} works with an old {{ $labels.table }}.",
    description:
      "The newest record of {{ $labels.table }} that {{ $labels.instance }} has read is {{ $value | humanizeDuration }} older than what another process has.",
  },
  {
    alert: "HooklineIndexBehind",
    severity: "ticket",
    expr: "(time() - hookline_control_indexed_until_timestamp_seconds > 600) and on (job, instance, topic) (hookline_control_indexed_until_timestamp_seconds > 0)",
    for: "10m",
    summary: "The delivery index is behind: {{ $labels.topic }}.",
    description:
      "Attempts and dead letters of the last {{ $value | humanizeDuration }} are not shown ({{ $labels.topic }}, {{ $labels.instance }}).",
  },
];

const OUTCOMES: readonly AlertText[] = [
  {
    alert: "HooklineRecordsLost",
    severity: "page",
    expr: "sum by (topic) (increase(hookline_records_lost_total[1h])) > 0",
    summary: "Records of {{ $labels.topic }} were removed unread.",
    description:
      "Retention removed about {{ $value | humanize }} records of {{ $labels.topic }} within the last hour before they were read.",
  },
  {
    alert: "HooklineDeadLettersGrow",
    severity: "ticket",
    expr: 'sum(increase(hookline_dead_letters_total{reason=~"permanent|window_over"}[1h])) > 100 and sum(rate(hookline_dead_letters_total{reason=~"permanent|window_over"}[1h])) / sum(rate(hookline_delivery_jobs_total{verdict=~"delivered|dead"}[1h])) > 0.05',
    for: "10m",
    summary: "Many calls end as dead letters.",
    description:
      "{{ $value | humanize }} calls became dead letters within the last hour, more than one of twenty.",
  },
  {
    alert: "HooklineUnreadableRecords",
    severity: "ticket",
    expr: 'sum by (reason) (increase(hookline_dead_letters_total{reason=~"undecodable|handler_failed"}[1h])) > 0',
    summary: "Records cannot be handled: {{ $labels.reason }}.",
    description: "{{ $value | humanize }} records of the last hour went to the dead letters as they were.",
  },
  {
    alert: "HooklineUnreadableConfiguration",
    severity: "ticket",
    expr: "sum by (resource) (increase(hookline_control_poison_records_total[1h])) > 0",
    summary: "A {{ $labels.resource }} cannot be read.",
    description:
      "A record of the configuration of a {{ $labels.resource }} cannot be read; what was known of it before goes on.",
  },
  {
    alert: "HooklineAttemptRecordsDropped",
    severity: "ticket",
    expr: "sum(increase(hookline_delivery_attempt_records_dropped_total[1h])) > 0",
    summary: "Attempts are missing in the delivery index.",
    description:
      "{{ $value | humanize }} records of attempts did not reach Kafka within the last hour. No call is lost by it.",
  },
  {
    alert: "HooklineOperationalEventsExpire",
    severity: "ticket",
    expr: 'sum(increase(hookline_control_operational_events_total{outcome="expired"}[1h])) > 0',
    summary: "The operator's webhook does not take events.",
    description: "{{ $value | humanize }} events about destinations were given up within the last hour.",
  },
  {
    alert: "HooklineImportHeld",
    severity: "ticket",
    expr: "(time() - max(hookline_control_imports_oldest_held_timestamp_seconds) > 14400) and max(hookline_control_imports_oldest_held_timestamp_seconds) > 0",
    for: "5m",
    summary: "An import of members waits to be confirmed.",
    description:
      "An import that takes many members off its list has waited {{ $value | humanizeDuration }} for somebody to confirm it.",
  },
  {
    alert: "HooklineDestinationsFailing",
    severity: "info",
    expr: 'max(hookline_control_unwell_destinations{state="failing"}) > 0',
    for: "15m",
    summary: "Nothing gets through to some destinations.",
    description: "{{ $value }} destinations have taken nothing for 15 minutes.",
  },
  {
    alert: "HooklineWatchdog",
    severity: "none",
    expr: "vector(1)",
    summary: "Alerts arrive.",
    description: "This one always fires. Something outside should miss it when it does not arrive.",
  },
];

export const causeAlerts = [...PROCESSES, ...READERS, ...OUTCOMES].map(alertRule);
