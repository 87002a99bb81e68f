import { LATENCY_BUCKETS_SECONDS, type Metrics } from "#runtime";

export type Resource = "source" | "destination" | "audience" | "computed_trait";
type Change = "created" | "updated" | "deleted";
type TestOutcome = "success" | "retryable" | "permanent";

/** What the service counts. Nothing here says what was written or read. */
export interface Telemetry {
  answered(status: number, durationMs: number): void;
  changed(resource: Resource, change: Change): void;
  tested(outcome: TestOutcome): void;
  /** A configuration record that cannot be read: what it is about stays as it was before. */
  poisoned(resource: Resource): void;
}

const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;
const RESOURCES = ["source", "destination", "audience", "computed_trait"] as const;

export function createTelemetry(
  metrics: Metrics,
  sizes: Readonly<Record<Resource, () => number>>,
): Telemetry {
  const requests = metrics.counter({
    name: "control_requests_total",
    help: "Requests to the control API, by class of status.",
    labels: { status: STATUS_CLASSES },
  });
  const durations = metrics.histogram({
    name: "control_request_duration_seconds",
    help: "Time from a request's arrival to its answer.",
    buckets: LATENCY_BUCKETS_SECONDS,
  });
  const changes = metrics.counter({
    name: "control_changes_total",
    help: "Acknowledged changes of the configuration.",
    labels: { resource: RESOURCES, change: ["created", "updated", "deleted"] },
  });
  const tests = metrics.counter({
    name: "control_test_requests_total",
    help: "Requests of test calls, by outcome.",
    labels: { outcome: ["success", "retryable", "permanent"] },
  });
  const poison = metrics.counter({
    name: "control_poison_records_total",
    help: "Unreadable configuration records.",
    labels: { resource: RESOURCES },
  });
  metrics.gauge({
    name: "control_configured",
    help: "Sources, destinations, audiences and computed traits.",
    labels: { resource: RESOURCES },
    collect(gauge) {
      for (const resource of RESOURCES) gauge.set({ resource }, sizes[resource]());
    },
  });
  return {
    answered(status, durationMs) {
      requests.inc({ status: STATUS_CLASSES[Math.floor(status / 100) - 2] ?? "5xx" });
      durations.observe({}, durationMs / 1000);
    },
    changed: (resource, change) => changes.inc({ resource, change }),
    tested: (outcome) => tests.inc({ outcome }),
    poisoned: (resource) => poison.inc({ resource }),
  };
}
