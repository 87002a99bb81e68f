// Alerts about what is read, and what is not.
import { type AlertText, grown } from "./rule.ts";

export const READERS: readonly AlertText[] = [
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
      "{{ $labels.instance }} routes calls that were accepted {{ $value | humanizeDuration }} ago.",
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
    alert: "HooklineAudienceProfilesIncomplete",
    severity: "ticket",
    expr: grown("hookline_audience_incomplete_profiles_total"),
    summary: "Profiles have no room for what audiences ask for.",
    description:
      "About {{ $value | humanize }} times within the last hour a profile left out something that an audience or computed trait asks for.",
  },
  {
    alert: "HooklineTableStale",
    severity: "ticket",
    expr: "max by (namespace, app_kubernetes_io_instance, table) (hookline_table_last_record_timestamp_seconds) - on (namespace, app_kubernetes_io_instance, table) group_right () hookline_table_last_record_timestamp_seconds > 60",
    for: "5m",
    summary: "{{ $labels.instance }} works with an old {{ $labels.table }}.",
    description:
      "The newest record of {{ $labels.table }} that {{ $labels.instance }} has read is {{ $value | humanizeDuration }} older than what another process has.",
  },
  {
    alert: "HooklineIndexBehind",
    severity: "ticket",
    expr: "time() - hookline_control_indexed_until_timestamp_seconds > 600",
    for: "10m",
    summary: "The delivery index is behind: {{ $labels.topic }}.",
    description:
      "Attempts and dead letters of the last {{ $value | humanizeDuration }} are not shown ({{ $labels.topic }}, {{ $labels.instance }}).",
  },
  {
    alert: "HooklinePartitionStalled",
    severity: "page",
    expr: "max by (topic) (hookline_control_stalled_partitions) > 0",
    for: "10m",
    summary: "Nobody works on some partitions of {{ $labels.topic }}.",
    description:
      "In {{ $value }} partitions of {{ $labels.topic }} records wait, and the group has committed nothing there for more than 15 minutes.",
  },
  {
    alert: "HooklineRecordsExpire",
    severity: "page",
    expr: "max by (topic) (hookline_control_expiring_partitions) > 0",
    for: "5m",
    summary: "Records of {{ $labels.topic }} are about to be removed unread.",
    description:
      "In {{ $value }} partitions of {{ $labels.topic }} the oldest record that nobody has worked on is two days old; the default retention is three days.",
  },
  {
    alert: "HooklineConfigurationLost",
    severity: "page",
    expr: "max by (topic) (hookline_configuration_lost) > 0",
    for: "1m",
    summary: "A configuration topic is gone, empty or half restored: {{ $labels.topic }}.",
    description:
      "The topic had records of {{ $labels.topic }}, or a restore of them has not ended. Processes that run go on with what they know; do not restart them before it is restored.",
  },
  {
    alert: "HooklineRecordsLost",
    severity: "page",
    expr: grown("hookline_records_lost_total", "job, topic"),
    summary: "Records of {{ $labels.topic }} were removed unread by {{ $labels.job }}.",
    description:
      "Retention removed about {{ $value | humanize }} records of {{ $labels.topic }} within the last hour before they were read.",
  },
  {
    alert: "HooklineRecordsTruncated",
    severity: "page",
    expr: grown("hookline_records_truncated_total", "job, topic"),
    summary: "The end of {{ $labels.topic }} was lost, says {{ $labels.job }}.",
    description:
      "Within the last hour at least {{ $value | humanize }} records of {{ $labels.topic }} were gone that had been read, and perhaps others behind them: a broker came back without them.",
  },
];
