import type { Dashboard } from "./panels.ts";
import { age, perSecond, total } from "./queries.ts";

export const kafka: Dashboard = {
  uid: "hookline-kafka",
  title: "Hookline / Kafka",
  description: "How Hookline gets on with Kafka: what is behind, who reads what, what was lost.",
  rows: [
    {
      title: "Behind",
      panels: [
        {
          title: "Calls that the router has not read",
          description: "How far each process is behind; below its rate of calls all is well.",
          unit: "short",
          queries: [{ expr: total("hookline_router_lag_calls", ["instance"]), legend: "{{instance}}" }],
        },
        {
          title: "Age of what control shows",
          description: "How old the newest attempts, totals and dead letters are in its index.",
          unit: "s",
          queries: [
            { expr: age("hookline_control_indexed_until_timestamp_seconds", ["topic"]), legend: "{{topic}}" },
          ],
        },
        {
          title: "Last change of each table",
          description: "When a process has last read a change of the configuration; all should agree.",
          unit: "s",
          queries: [
            {
              expr: age("hookline_table_last_record_timestamp_seconds", ["job", "table"]),
              legend: "{{job}} {{table}}",
            },
          ],
        },
      ],
    },
    {
      title: "Groups",
      panels: [
        {
          title: "Assigned partitions",
          description: "Of each process. Steps are rebalances.",
          unit: "short",
          queries: [
            {
              expr: total("hookline_router_assigned_partitions", ["instance"]),
              legend: "router {{instance}}",
            },
            {
              expr: total("hookline_delivery_assigned_partitions", ["instance"]),
              legend: "deliverer {{instance}}",
            },
            {
              expr: total("hookline_audience_assigned_partitions", ["instance"]),
              legend: "audiences {{instance}}",
            },
          ],
        },
        {
          title: "Rebalances",
          description: "A second. Ones that do not end are processes that restart.",
          unit: "cps",
          queries: [
            { expr: perSecond("hookline_router_rebalances_total"), legend: "router" },
            { expr: perSecond("hookline_delivery_rebalances_total"), legend: "deliverer" },
          ],
        },
        {
          title: "Windows being opened",
          description: "Duplicate windows that are brought up to date from Kafka; their partitions wait.",
          unit: "short",
          queries: [{ expr: total("hookline_router_opening_windows", ["instance"]), legend: "{{instance}}" }],
        },
      ],
    },
    {
      title: "Trouble",
      panels: [
        {
          title: "Records lost",
          description: "Removed by retention before they were read. Never anything else than 0.",
          unit: "cps",
          queries: [{ expr: perSecond("hookline_records_lost_total", ["topic"]), legend: "{{topic}}" }],
        },
        {
          title: "Ends of logs lost",
          description:
            "Records that had been read and are gone: a broker came back without them. Never anything else than 0.",
          unit: "cps",
          queries: [{ expr: perSecond("hookline_records_truncated_total", ["topic"]), legend: "{{topic}}" }],
        },
        {
          title: "Unreadable records",
          description: "Of topics of the flow by process, and of the configuration.",
          unit: "cps",
          queries: [
            {
              expr: perSecond(
                "hookline_dead_letters_total",
                ["job"],
                `,reason=~"undecodable|handler_failed"`,
              ),
              legend: "{{job}}",
            },
            {
              expr: perSecond("hookline_control_poison_records_total", ["resource"]),
              legend: "{{resource}}",
            },
          ],
        },
        {
          title: "Attempt records dropped",
          description: "Because Kafka was away for long. Calls are not concerned.",
          unit: "cps",
          queries: [
            {
              expr: perSecond("hookline_delivery_attempt_records_dropped_total", ["kind"]),
              legend: "{{kind}}",
            },
          ],
        },
      ],
    },
  ],
};
