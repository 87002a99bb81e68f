import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Logger, Metrics } from "#runtime";

type OnResult = Parameters<SpanExporter["export"]>[1];

interface BoundedSpansOptions {
  readonly exporter: SpanExporter;
  readonly maxSpans: number;
  readonly counts: SpanCounts;
  readonly logger: Pick<Logger, "info" | "warn">;
}

const SUCCESS = 0;

/**
 * Bounds what a process holds of spans, those that are being sent included, and counts what becomes of them. The library bounds only those
 * that wait, and drops without a word.
 */
export class BoundedSpans implements SpanExporter {
  readonly #options: BoundedSpansOptions;
  #held = 0;
  #isFailing = false;

  constructor(options: BoundedSpansOptions) {
    this.#options = options;
  }

  /** Hands on only as many spans as there is room for. */
  before(processor: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, parent) => processor.onStart(span, parent),
      onEnd: (span) => {
        if (this.#enter()) processor.onEnd(span);
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    };
  }

  export(spans: ReadableSpan[], onResult: OnResult): void {
    this.#options.exporter.export(spans, (result) => {
      this.#held -= spans.length;
      const isSent = result.code === SUCCESS;
      this.#options.counts(isSent ? "sent" : "failed", spans.length);
      this.#tell(isSent, result.error);
      onResult(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#options.exporter.shutdown();
  }

  #enter(): boolean {
    const { counts, maxSpans } = this.#options;
    if (this.#held >= maxSpans) {
      counts("dropped", 1);
      return false;
    }
    this.#held += 1;
    return true;
  }

  /** One line when it begins to fail, one when it is over: calls do not suffer from it. */
  #tell(isSent: boolean, error: Error | undefined): void {
    if (isSent !== this.#isFailing) return;
    this.#isFailing = !isSent;
    if (isSent) this.#options.logger.info({}, "spans are sent again");
    else this.#options.logger.warn({ problem: error?.message }, "spans cannot be sent; calls go on");
  }
}

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
