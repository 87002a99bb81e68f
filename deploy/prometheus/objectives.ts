// What Hookline promises, as ratios of bad events to all. The failures of customers' endpoints are in none of them.

/** A duration as Prometheus writes it. */
export type Window = "5m" | "30m" | "1h" | "2h" | "6h" | "1d" | "3d";

export interface Objective {
  /** In the names of its recording rules. */
  readonly id: string;
  readonly alert: string;
  /** Share of events that may be bad, 0 to 1. */
  readonly budget: number;
  /** Rates a second over the window. */
  bad(window: Window): string;
  all(window: Window): string;
  readonly summary: string;
  /** Its dashboard's uid. */
  readonly dashboard: string;
  /** What is bad about a bad event, to follow on a percentage. */
  readonly badEvents: string;
}

const CALLS = 'route=~"call|batch|pixel"';

const ingestRequests = (selector: string, window: Window): string =>
  `sum(rate(hookline_ingest_requests_total{${CALLS},${selector}}[${window}]))`;

/** Prometheus 3 stores a whole boundary as 10.0, and those before it as the process writes it. */
const boundary = (le: string): string => (le.includes(".") ? `le="${le}"` : `le=~"${le}|${le}[.]0"`);

const slowerThan = (
  histogram: string,
  { le, labels = "" }: { le: string; labels?: string },
  window: Window,
) =>
  `sum(rate(${histogram}_count{${labels}}[${window}])) - sum(rate(${histogram}_bucket{${labels}${labels && ","}${boundary(le)}}[${window}]))`;

export const OBJECTIVES: readonly Objective[] = [
  {
    id: "ingest_errors",
    alert: "HooklineIngestErrors",
    budget: 0.001,
    bad: (window) => ingestRequests('status=~"5.."', window),
    all: (window) => ingestRequests('status!="aborted"', window),
    summary: "Ingest answers too many requests with 5xx.",
    dashboard: "hookline-ingest",
    badEvents: "of the requests with calls were answered 500 or 503",
  },
  {
    id: "ingest_slow",
    alert: "HooklineIngestSlow",
    budget: 0.01,
    bad: (window) =>
      slowerThan("hookline_ingest_request_duration_seconds", { le: "0.25", labels: CALLS }, window),
    all: (window) => `sum(rate(hookline_ingest_request_duration_seconds_count{${CALLS}}[${window}]))`,
    summary: "Ingest answers too late.",
    dashboard: "hookline-ingest",
    badEvents: "of the requests with calls took longer than 250 ms",
  },
  {
    id: "first_attempts_late",
    alert: "HooklineFirstAttemptsLate",
    budget: 0.01,
    bad: (window) => slowerThan("hookline_delivery_first_attempt_delay_seconds", { le: "10" }, window),
    all: (window) => `sum(rate(hookline_delivery_first_attempt_delay_seconds_count[${window}]))`,
    summary: "First attempts begin too late.",
    dashboard: "hookline-delivery",
    badEvents:
      "of the first attempts began more than 10 s after their call was accepted (those that wait for their endpoint do not count)",
  },
  {
    id: "audiences_late",
    alert: "HooklineAudiencesLate",
    budget: 0.01,
    bad: (window) => slowerThan("hookline_audience_identify_delay_seconds", { le: "5" }, window),
    all: (window) => `sum(rate(hookline_audience_identify_delay_seconds_count[${window}]))`,
    summary: "Destinations learn of audiences too late.",
    dashboard: "hookline-audiences",
    badEvents:
      "of the changed memberships and computed traits were written more than 5 s after they had changed",
  },
  {
    id: "delivery_faults",
    alert: "HooklineDeliveryFaults",
    budget: 0.001,
    bad: (window) =>
      `sum(rate(hookline_dead_letters_total{reason=~"undecodable|handler_failed"}[${window}]))`,
    all: (window) => `sum(rate(hookline_delivery_jobs_total{verdict=~"delivered|dead"}[${window}]))`,
    summary: "Calls die by faults of our own.",
    dashboard: "hookline-delivery",
    badEvents: "of the calls that ended became dead letters for no reason of their webhooks",
  },
];
