import type { Dashboard } from "./panels.ts";
import { age, perSecond, quantiles, total } from "./queries.ts";

export const ingest: Dashboard = {
  uid: "hookline-ingest",
  title: "Hookline / Ingest",
  description: "What comes in, what is refused and why.",
  rows: [
    {
      title: "Requests",
      panels: [
        {
          title: "Requests by status",
          description: "503 is asked for again by SDKs, so nothing is lost while their queues hold.",
          unit: "reqps",
          isStacked: true,
          queries: [{ expr: perSecond("hookline_ingest_requests_total", ["status"]), legend: "{{status}}" }],
        },
        {
          title: "Requests by route",
          description: "Single calls, batches, and what browsers ask beside them.",
          unit: "reqps",
          isStacked: true,
          queries: [{ expr: perSecond("hookline_ingest_requests_total", ["route"]), legend: "{{route}}" }],
        },
        {
          title: "Duration",
          description: "Of requests with calls; an answer waits for Kafka's acknowledgement.",
          unit: "s",
          queries: quantiles("hookline_ingest_request_duration_seconds", `,route=~"call|batch|pixel"`),
        },
      ],
    },
    {
      title: "Calls",
      panels: [
        {
          title: "Accepted by type",
          description: "Calls that are durable in Kafka, a second.",
          unit: "cps",
          isStacked: true,
          queries: [
            { expr: perSecond("hookline_ingest_calls_accepted_total", ["type"]), legend: "{{type}}" },
          ],
        },
        {
          title: "Rejected by code",
          description: "Mistakes of senders; docs/use/reasons.md says what each code means.",
          unit: "cps",
          isStacked: true,
          queries: [
            { expr: perSecond("hookline_ingest_calls_rejected_total", ["code"]), legend: "{{code}}" },
          ],
        },
        {
          title: "Dropped and rate limited",
          description: "Calls of suppressed users, and requests of sources that send more than they may.",
          unit: "cps",
          queries: [
            { expr: perSecond("hookline_ingest_calls_dropped_total", ["reason"]), legend: "{{reason}}" },
            { expr: perSecond("hookline_ingest_requests_rate_limited_total"), legend: "rate limited" },
          ],
        },
      ],
    },
    {
      title: "Load",
      panels: [
        {
          title: "Refused for load, by reason",
          description: "More than nothing for long asks for more processes, or for a look at Kafka.",
          unit: "reqps",
          isStacked: true,
          queries: [
            { expr: perSecond("hookline_ingest_requests_shed_total", ["reason"]), legend: "{{reason}}" },
          ],
        },
        {
          title: "Bytes",
          description: "Bytes of bodies that were received, a second.",
          unit: "Bps",
          queries: [{ expr: perSecond("hookline_ingest_received_bytes_total"), legend: "received" }],
        },
        {
          title: "Waiting bytes",
          description: "Bodies being read or waiting for Kafka.",
          unit: "bytes",
          queries: [{ expr: total("hookline_ingest_waiting_bytes", ["instance"]), legend: "{{instance}}" }],
        },
        {
          title: "Oldest unacknowledged call",
          description: "Above 2 s requests are refused until Kafka acknowledges again.",
          unit: "s",
          queries: [
            {
              expr: age("hookline_ingest_oldest_unacknowledged_timestamp_seconds", ["instance"]),
              legend: "{{instance}}",
            },
          ],
        },
      ],
    },
  ],
};
