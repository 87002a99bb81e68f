import type { Dashboard } from "./panels.ts";
import { age, perSecond, quantiles, total } from "./queries.ts";

export const audiences: Dashboard = {
  uid: "hookline-audiences",
  title: "Hookline / Audiences",
  description: "Profiles, what changes in audiences and computed traits, and how soon it is told.",
  rows: [
    {
      title: "Changes",
      panels: [
        {
          title: "Identify calls",
          description: "Changes of audiences and computed traits that were sent, a second.",
          unit: "cps",
          queries: [{ expr: perSecond("hookline_audience_identifies_total"), legend: "sent" }],
        },
        {
          title: "Delay",
          description:
            "From a call, or a deadline, to the identify call that follows from it. 99 % are wanted within 5 s.",
          unit: "s",
          queries: quantiles("hookline_audience_identify_delay_seconds"),
        },
        {
          title: "Timers",
          description: "Profiles judged because time had passed, a second.",
          unit: "cps",
          queries: [{ expr: perSecond("hookline_audience_timers_total"), legend: "timers" }],
        },
      ],
    },
    {
      title: "Events",
      panels: [
        {
          title: "Calls and events",
          description: "Calls read, and events of profiles written, a second.",
          unit: "cps",
          queries: [
            { expr: perSecond("hookline_audience_calls_total"), legend: "calls" },
            { expr: perSecond("hookline_audience_profile_events_total"), legend: "profile events" },
          ],
        },
        {
          title: "Folded, by outcome",
          description: "What became of events at their profile.",
          unit: "cps",
          isStacked: true,
          queries: [
            { expr: perSecond("hookline_audience_folded_total", ["outcome"]), legend: "{{outcome}}" },
          ],
        },
        {
          title: "Behind",
          description: "How far back all calls are known to be counted.",
          unit: "s",
          queries: [
            {
              expr: age("hookline_audience_watermark_timestamp_seconds", ["instance"]),
              legend: "{{instance}}",
            },
          ],
        },
      ],
    },
    {
      title: "State",
      panels: [
        {
          title: "Profiles",
          description: "On the disk of each process.",
          unit: "short",
          queries: [{ expr: total("hookline_audience_profiles", ["instance"]), legend: "{{instance}}" }],
        },
        {
          title: "Incomplete profiles",
          description:
            "Profiles that had no room for something that an audience or computed trait asks for, an hour.",
          unit: "short",
          queries: [
            {
              expr: 'sum(increase(hookline_audience_incomplete_profiles_total{job=~"$job"}[1h]))',
              legend: "profiles",
            },
          ],
        },
        {
          title: "Computations",
          description: "Audiences, computed traits and lists that are configured.",
          unit: "short",
          queries: [{ expr: `max(hookline_audience_computations{job=~"$job"})`, legend: "configured" }],
        },
        {
          title: "Partitions",
          description: "Assigned, those whose profiles are being restored from Kafka, and events in hand.",
          unit: "short",
          queries: [
            { expr: total("hookline_audience_assigned_partitions"), legend: "assigned" },
            { expr: total("hookline_audience_restoring_partitions"), legend: "restoring" },
            { expr: total("hookline_audience_outstanding_events"), legend: "events in hand" },
          ],
        },
      ],
    },
  ],
};
