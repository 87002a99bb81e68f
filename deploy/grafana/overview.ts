import type { Dashboard } from "./panels.ts";
import { age, common, perSecond, quantile, quantiles, total } from "./queries.ts";

/** The golden signals along the way of a call. */
export const overview: Dashboard = {
  uid: "hookline-overview",
  title: "Hookline / Overview",
  description: "Along the way of a call: accepted, routed, delivered or dead.",
  rows: [
    {
      title: "Now",
      panels: [
        {
          title: "Calls accepted",
          description: "Calls a second that ingest has answered with 200.",
          unit: "cps",
          kind: "stat",
          queries: [{ expr: perSecond("hookline_ingest_calls_accepted_total"), legend: "calls" }],
        },
        {
          title: "Calls delivered",
          description: "Delivery jobs a second that a webhook has taken.",
          unit: "cps",
          kind: "stat",
          queries: [
            {
              expr: perSecond("hookline_delivery_jobs_total", [], `,verdict="delivered"`),
              legend: "delivered",
            },
          ],
        },
        {
          title: "Waiting calls",
          description: "Calls in retry topics. Endpoints that are down make it grow; it shrinks by itself.",
          unit: "short",
          kind: "stat",
          queries: [{ expr: common("hookline_delivery_waiting_calls"), legend: "waiting" }],
        },
        {
          title: "Unwell destinations",
          description:
            "Destinations that have taken nothing yet, those that nothing gets through to any more, and those that recover.",
          unit: "short",
          kind: "stat",
          queries: [
            {
              expr: `max by (state) (hookline_control_unwell_destinations{job=~"$job"})`,
              legend: "{{state}}",
            },
          ],
        },
      ],
    },
    {
      title: "Flow",
      panels: [
        {
          title: "Calls along the way",
          description:
            "Accepted, routed and settled calls a second. One call becomes a job for each destination.",
          unit: "cps",
          queries: [
            { expr: perSecond("hookline_ingest_calls_accepted_total"), legend: "accepted" },
            { expr: perSecond("hookline_router_calls_total"), legend: "routed" },
            { expr: perSecond("hookline_router_jobs_total"), legend: "jobs" },
            { expr: perSecond("hookline_delivery_jobs_total", ["verdict"]), legend: "{{verdict}}" },
          ],
        },
        {
          title: "Behind",
          description: "Calls that the router has not read, and calls that deliverers have in hand.",
          unit: "short",
          queries: [
            { expr: total("hookline_router_lag_calls"), legend: "router behind" },
            { expr: total("hookline_delivery_outstanding_calls"), legend: "in deliverers" },
          ],
        },
      ],
    },
    {
      title: "Latency and errors",
      panels: [
        {
          title: "Answers of ingest",
          description: "How long requests with calls take. 99 % are promised within 250 ms.",
          unit: "s",
          queries: quantiles("hookline_ingest_request_duration_seconds", `,route=~"call|batch|pixel"`),
        },
        {
          title: "First attempts begin",
          description: "From the acceptance of a call to its first request. 99 % are promised within 10 s.",
          unit: "s",
          queries: quantiles("hookline_delivery_first_attempt_delay_seconds"),
        },
        {
          title: "Dead letters",
          description: "Calls a second that have failed for good, by reason; docs/use/reasons.md has them.",
          unit: "cps",
          isStacked: true,
          queries: [{ expr: perSecond("hookline_dead_letters_total", ["reason"]), legend: "{{reason}}" }],
        },
      ],
    },
    {
      title: "Processes",
      panels: [
        {
          title: "Event loops",
          description: "How busy each process is: near 1 it carries no more.",
          unit: "percentunit",
          queries: [
            { expr: `hookline_event_loop_utilization_ratio{job=~"$job"}`, legend: "{{job}} {{instance}}" },
          ],
        },
        {
          title: "Memory",
          description: "Resident memory of each process.",
          unit: "bytes",
          queries: [{ expr: `process_resident_memory_bytes{job=~"$job"}`, legend: "{{job}} {{instance}}" }],
        },
        {
          title: "Age of what is behind",
          description:
            "How long ago the last routed call and the oldest unacknowledged call were accepted, at most.",
          unit: "s",
          queries: [
            { expr: age("hookline_router_last_call_timestamp_seconds"), legend: "last routed call" },
            {
              expr: age("hookline_ingest_oldest_unacknowledged_timestamp_seconds"),
              legend: "unacknowledged",
            },
            { ...quantile(0.99, "hookline_router_call_age_seconds"), legend: "at the router, p99" },
          ],
        },
      ],
    },
  ],
};
