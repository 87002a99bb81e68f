import type { Dashboard } from "./panels.ts";
import { age, common, perSecond, quantiles, total } from "./queries.ts";

export const delivery: Dashboard = {
  uid: "hookline-delivery",
  title: "Hookline / Delivery",
  description:
    "Requests to webhooks, what waits, and what endpoints make of it. One destination: `hookline attempts list`.",
  rows: [
    {
      title: "Requests",
      panels: [
        {
          title: "Attempts by outcome",
          description: "success, or why not; docs/use/reasons.md has the reasons.",
          unit: "reqps",
          isStacked: true,
          queries: [
            { expr: perSecond("hookline_delivery_attempts_total", ["outcome"]), legend: "{{outcome}}" },
          ],
        },
        {
          title: "Duration of first attempts",
          description: "To the status line and headers; the endpoint's time.",
          unit: "s",
          queries: quantiles("hookline_delivery_attempt_duration_seconds", `,attempt="first"`),
        },
        {
          title: "First attempts begin",
          description: "From the acceptance of a call to its first request.",
          unit: "s",
          queries: quantiles("hookline_delivery_first_attempt_delay_seconds"),
        },
      ],
    },
    {
      title: "Jobs",
      panels: [
        {
          title: "Jobs by verdict",
          description:
            "delivered, to be tried again, put off for the endpoint, of a paused destination, dead.",
          unit: "cps",
          isStacked: true,
          queries: [{ expr: perSecond("hookline_delivery_jobs_total", ["verdict"]), legend: "{{verdict}}" }],
        },
        {
          title: "Put off, by reason",
          description: "Calls that wait because their endpoint is full, down or wants a pause.",
          unit: "cps",
          isStacked: true,
          queries: [
            { expr: perSecond("hookline_delivery_diverted_total", ["reason"]), legend: "{{reason}}" },
          ],
        },
        {
          title: "Dead letters by reason",
          description: "Calls that have failed for good, a second.",
          unit: "cps",
          isStacked: true,
          queries: [{ expr: perSecond("hookline_dead_letters_total", ["reason"]), legend: "{{reason}}" }],
        },
      ],
    },
    {
      title: "Waiting",
      panels: [
        {
          title: "Waiting calls",
          description: "Calls that are in retry topics, of all deliverers.",
          unit: "short",
          queries: [{ expr: common("hookline_delivery_waiting_calls"), legend: "waiting" }],
        },
        {
          title: "Most overdue waiting call",
          description:
            "How long ago it fell due: for long it asks for more deliverers. Not above 0: none is late.",
          unit: "s",
          queries: [{ expr: age("hookline_delivery_oldest_waiting_timestamp_seconds"), legend: "overdue" }],
        },
        {
          title: "Woken and expired",
          description:
            "Calls taken ahead of their time because their endpoint is back, and those whose time was over.",
          unit: "cps",
          queries: [
            { expr: perSecond("hookline_delivery_woken_calls_total"), legend: "woken" },
            { expr: perSecond("hookline_delivery_expired_total"), legend: "expired" },
          ],
        },
      ],
    },
    {
      title: "Endpoints and load",
      panels: [
        {
          title: "Endpoints by breaker",
          description: "open: not asked but by a probe.",
          unit: "short",
          isStacked: true,
          queries: [{ expr: total("hookline_delivery_endpoints", ["breaker"]), legend: "{{breaker}}" }],
        },
        {
          title: "Requests",
          description: "Under way, and waiting for a place at their endpoint.",
          unit: "short",
          queries: [
            { expr: total("hookline_delivery_requests_in_flight"), legend: "in flight" },
            { expr: total("hookline_delivery_requests_waiting"), legend: "waiting" },
          ],
        },
        {
          title: "Calls in hand",
          description: "Of each process; reading pauses at HOOKLINE_MAX_OUTSTANDING_CALLS.",
          unit: "short",
          queries: [
            { expr: total("hookline_delivery_outstanding_calls", ["instance"]), legend: "{{instance}}" },
          ],
        },
      ],
    },
  ],
};
