// Alerts about what became of calls and of what was asked for.
import { type AlertText, grown } from "./rule.ts";

/** More than half of fewer endpoints or destinations is no share of anything. */
const LEAST = 4;
/** All destinations, of these or more: one alone is its customer's matter. */
const LEAST_OF_ALL = 2;
const UNWELL = 'hookline_control_unwell_destinations{state="failing"}';
const TRIED = "hookline_control_tried_destinations";
const OPEN = 'sum(hookline_delivery_endpoints{breaker!="closed"})';
const ENDPOINTS = "sum(hookline_delivery_endpoints)";

export const OUTCOMES: readonly AlertText[] = [
  {
    alert: "HooklineDeadLettersGrow",
    severity: "ticket",
    expr: 'sum(increase(hookline_dead_letters_total{reason=~"permanent|window_over|not_asked"}[1h])) > 100 and sum(rate(hookline_dead_letters_total{reason=~"permanent|window_over|not_asked"}[1h])) / sum(rate(hookline_delivery_jobs_total{verdict=~"delivered|dead"}[1h])) > 0.05',
    for: "10m",
    summary: "Many calls end as dead letters.",
    description:
      "{{ $value | humanize }} calls became dead letters within the last hour, more than one of twenty.",
  },
  {
    alert: "HooklineUnreadableRecords",
    severity: "ticket",
    expr: grown('hookline_dead_letters_total{reason=~"undecodable|handler_failed"}', "reason"),
    summary: "Records cannot be handled: {{ $labels.reason }}.",
    description: "{{ $value | humanize }} records of the last hour went to the dead letters as they were.",
  },
  {
    alert: "HooklineUnreadableConfiguration",
    severity: "ticket",
    expr: grown("hookline_control_poison_records_total", "resource"),
    summary: "A {{ $labels.resource }} cannot be read.",
    description:
      "A record of the configuration of a {{ $labels.resource }} cannot be read; what was known of it before goes on.",
  },
  {
    alert: "HooklineAttemptRecordsDropped",
    severity: "ticket",
    expr: grown("hookline_delivery_attempt_records_dropped_total", "kind"),
    summary: "Attempts are missing in the delivery index.",
    description:
      "{{ $value | humanize }} records of attempts did not reach Kafka within the last hour. No call is lost by it.",
  },
  {
    alert: "HooklineOperationalEventsExpire",
    severity: "ticket",
    expr: grown('hookline_control_operational_events_total{outcome="expired"}', "outcome"),
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
  {
    alert: "HooklineMostEndpointsDown",
    severity: "ticket",
    expr: `(max(${UNWELL}) / max(${TRIED}) > 0.5 and max(${TRIED}) >= ${LEAST}) or (max(${UNWELL}) / max(${TRIED}) >= 1 and max(${TRIED}) >= ${LEAST_OF_ALL}) or (${OPEN} / ${ENDPOINTS} > 0.5 and ${ENDPOINTS} >= ${LEAST})`,
    for: "10m",
    summary: "Most endpoints take nothing.",
    description:
      "{{ $value | humanizePercentage }} of the destinations that are sent calls, or of their endpoints, have taken nothing for 10 minutes: more likely our way out than all of them.",
  },
  {
    alert: "HooklineSecretsUnreadable",
    severity: "page",
    expr: `max(hookline_control_unreadable_destinations) > 0 or ${grown('hookline_delivery_attempts_total{outcome="secret_unreadable"}')}`,
    for: "1m",
    summary: "Secrets of destinations do not open.",
    description:
      "No encryption key of control opens the secrets of {{ $value | humanize }} destinations, or none of the deliverers did for as many requests of the last hour. They get no call, and their calls wait until the window of retries is over.",
  },
];
