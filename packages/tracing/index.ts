export { openTracer } from "./open-tracer.ts";
export { tracingSettings } from "./settings.ts";
export { carryTrace, traceStep } from "./traced-step.ts";
export { NO_TRACES, type Span, type SpanEnd, type SpanStart, type Tracer } from "./tracer.ts";
