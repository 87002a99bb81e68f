import type { RecordHeaders } from "#kafka";
import type { CallerHeaders } from "./trace-context.ts";

/** Facts of a span. Never a secret: no body, no header, no path or query of a URL. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** One of a few, whatever the call. */
  readonly name: string;
  readonly kind: "server" | "consumer" | "client";
  readonly attributes: SpanAttributes;
}

export interface SpanEnd {
  readonly attributes?: SpanAttributes;
  /** Why it failed, as one word; absent: it has not. */
  readonly error?: string | undefined;
}

/** One stretch of a call's way that is recorded. */
export interface Span {
  /** Headers for records and HTTP requests: traceparent, and tracestate where the trace has one. */
  readonly headers: RecordHeaders;
  set(attributes: SpanAttributes): void;
  /** Once. */
  end(end: SpanEnd): void;
}

/** Begins spans. It costs a look at one value where a call is not traced. */
export interface Tracer {
  /**
   * Begins a span where calls come in: in the trace that the caller's headers name, or in a new one for some
   * of the others.
   */
  enter(caller: CallerHeaders, start: SpanStart): Span | undefined;
  /** Begins a span behind a record that came in a recorded trace. `start` is called only then. */
  follow(headers: RecordHeaders | undefined, start: () => SpanStart): Span | undefined;
}

/** The tracer of a process without traces. */
export const NO_TRACES: Tracer = { enter: () => undefined, follow: () => undefined };
