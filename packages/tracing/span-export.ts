// Spans by OpenTelemetry. Nothing else imports it, and this is imported only by a process with traces.
import {
  type Attributes,
  createTraceState,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Host } from "#host";
import type { Logger } from "#runtime";
import { BoundedSpans, type SpanCounts } from "./bounded-spans.ts";
import { type TraceContext, writeTrace } from "./trace-context.ts";
import type { Span, SpanStart } from "./tracer.ts";

export interface SpanExportOptions {
  readonly service: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly counts: SpanCounts;
  readonly host: Pick<Host, "now" | "elapsed" | "setTimeout">;
  readonly logger: Pick<Logger, "info" | "warn">;
}

export interface SpanExport {
  begin(parent: TraceContext | undefined, start: SpanStart): Span;
  /** Sends what is left. False when that was not done within so long. */
  close(withinMs: number): Promise<boolean>;
}

/** Spans that wait or are being sent, at most: some 2 MB. More are dropped and counted. */
export const MAX_SPANS = 4_096;
const BATCH_SPANS = 512;
const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 5_000;

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };

/** Seconds and nanoseconds, as OpenTelemetry takes Unix time without a doubt about its unit. */
function toTime(unixMs: number): HrTime {
  const seconds = Math.floor(unixMs / 1_000);
  return [seconds, Math.round((unixMs - seconds * 1_000) * 1_000_000)];
}

function parentOf(parent: TraceContext | undefined) {
  if (parent === undefined) return ROOT_CONTEXT;
  const { spanId, state, traceId } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
    // The library drops what is no member of a list, and a list of more than 512 characters.
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  });
}

export function openSpanExport(options: SpanExportOptions): SpanExport {
  const { authorization, counts, host, logger, service, url } = options;
  const exporter = new OTLPTraceExporter({
    url,
    headers: authorization === undefined ? {} : { Authorization: authorization },
    timeoutMillis: SEND_TIMEOUT_MS,
    concurrencyLimit: 1 + MAX_SPANS / BATCH_SPANS,
  });
  const bounded = new BoundedSpans({ exporter, maxSpans: MAX_SPANS, counts, logger });
  const processor = new BatchSpanProcessor({
    exporter: bounded,
    maxQueueSize: MAX_SPANS,
    maxExportBatchSize: BATCH_SPANS,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: 2 * SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({
      "service.name": `hookline-${service}`,
      "service.namespace": "hookline",
    }),
    spanProcessors: [bounded.before(processor)],
  });
  const tracer = provider.getTracer("hookline");
  return {
    begin(parent, { attributes, kind, name }) {
      const beganAtMs = host.now();
      const beganMs = host.elapsed();
      const options = {
        kind: KINDS[kind],
        attributes: attributes as Attributes,
        startTime: toTime(beganAtMs),
      };
      const span = tracer.startSpan(name, options, parentOf(parent));
      const { spanId, traceId, traceState } = span.spanContext();
      return {
        headers: writeTrace({ traceId, spanId, state: traceState?.serialize() }),
        set: (more) => span.setAttributes(more),
        end({ attributes: more = {}, error }) {
          span.setAttributes(more);
          if (error !== undefined) {
            span.setAttribute("error.type", error);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end(toTime(beganAtMs + host.elapsed() - beganMs));
        },
      };
    },
    close(withinMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = host.setTimeout(() => resolve(false), withinMs);
      provider.shutdown().then(
        () => resolve(true),
        () => resolve(false),
      );
      return promise.finally(() => timer.clear());
    },
  };
}
