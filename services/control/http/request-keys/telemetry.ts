import { type Metrics, watchNumbers } from "#runtime";

/** What became of requests with an Idempotency-Key. */
export interface KeyObserver {
  carriedOut(): void;
  repeated(): void;
  /** The key was another body's, under way, or of an unknown outcome; or Kafka did not answer. */
  refused(): void;
}

export function createKeyObserver(metrics: Metrics, held: () => number): KeyObserver {
  const requests = metrics.counter({
    name: "control_keyed_requests_total",
    help: "Requests with an Idempotency-Key.",
    labels: { outcome: ["carried_out", "repeated", "refused"] },
  });
  watchNumbers(metrics, held, {
    control_request_keys: ["Idempotency-Keys that are known.", (count) => count],
  });
  return {
    carriedOut: () => requests.inc({ outcome: "carried_out" }),
    repeated: () => requests.inc({ outcome: "repeated" }),
    refused: () => requests.inc({ outcome: "refused" }),
  };
}
