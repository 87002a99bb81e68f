import type { Metrics } from "#runtime";

const SPAN_OUTCOMES = ["sent", "failed", "dropped"] as const;

/** Counts spans by outcome. */
export type SpanCounts = (outcome: (typeof SPAN_OUTCOMES)[number], spans: number) => void;

export function createSpanCounts(metrics: Metrics): SpanCounts {
  const counter = metrics.counter({
    name: "trace_spans_total",
    help: "Spans by what became of them; dropped: too many waited.",
    labels: { outcome: SPAN_OUTCOMES },
  });
  return (outcome, spans) => counter.inc({ outcome }, spans);
}
