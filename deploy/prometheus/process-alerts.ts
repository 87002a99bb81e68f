// Alerts about the processes themselves.
import { SERVICE_NAMES, type ServiceName } from "#contract";
import type { AlertText } from "./rule.ts";

/** A service that this deployment does without is not missed. */
const NOT_WANTED: Partial<Record<ServiceName, string>> = {
  "audience-processor": "max(hookline_control_has_audiences) == 0",
};

function absent(service: ServiceName): string {
  const isAbsent = `absent(hookline_build_info{service="${service}"})`;
  const notWanted = NOT_WANTED[service];
  return notWanted === undefined ? isAbsent : `(${isAbsent} unless on () (${notWanted}))`;
}

const ABSENT = SERVICE_NAMES.map(absent).join(" or ");

export const PROCESSES: readonly AlertText[] = [
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
  {
    alert: "HooklineServiceNotReady",
    severity: "page",
    // A restore of profiles is long and nobody's fault: HooklineNotReady is about that.
    expr: 'max by (service) (hookline_ready{service!="audience-processor"}) == 0',
    for: "3m",
    summary: "No process of {{ $labels.service }} is ready.",
    description:
      "For 3 minutes /readyz of every process of {{ $labels.service }} has said what it waits for: Kafka, the schema registry, a table.",
  },
  {
    alert: "HooklineNotReady",
    severity: "ticket",
    expr: "hookline_ready == 0",
    for: "10m",
    summary: "{{ $labels.instance }} is not ready.",
    description: "/readyz of {{ $labels.instance }} has said for 10 minutes what it waits for.",
  },
  {
    alert: "HooklineRestarts",
    severity: "ticket",
    expr: 'changes(process_start_time_seconds{job=~".*hookline.*"}[1h]) > 4',
    summary: "{{ $labels.instance }} ends and starts again and again.",
    description: "{{ $labels.instance }} has started {{ $value }} times within an hour.",
  },
  {
    alert: "HooklineClockSkew",
    severity: "ticket",
    expr: "abs(hookline_clock_timestamp_seconds - timestamp(hookline_clock_timestamp_seconds)) > 5",
    for: "5m",
    summary: "The clock of {{ $labels.instance }} is wrong, or that of Prometheus.",
    description: "They are {{ $value | humanizeDuration }} apart.",
  },
];
