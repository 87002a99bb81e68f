// The tracer of a service, from its settings.
import type { RecordHeaders } from "#kafka";
import type { ServiceContext } from "#runtime";
import { createSpanCounts } from "./bounded-spans.ts";
import type { SpanExport } from "./span-export.ts";
import { readRecordTrace, readTrace, type TraceContext } from "./trace-context.ts";
import { NO_TRACES, type Span, type SpanStart, type Tracer } from "./tracer.ts";

interface TracingSettings {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly oneIn: number;
  readonly followCallers: boolean;
}

type TracingContext = Pick<
  ServiceContext<{ readonly traces: TracingSettings }>,
  "settings" | "logger" | "metrics" | "health" | "lifecycle" | "host"
> & { readonly name: string };

/**
 * The time that the last spans of a process get at its end: a receiver that is away must not hold the end up.
 */
const FLUSH_MS = 2_000;

/**
 * Opens a tracer. Without HOOKLINE_TRACES_URL it is NO_TRACES, and nothing of OpenTelemetry is loaded. With
 * it the service is ready once the library is loaded. Register it before everything that makes spans: it is
 * closed after that.
 */
export function openTracer(context: TracingContext): Tracer {
  const { health, host, lifecycle, logger, name, settings } = context;
  const { traces } = settings;
  const { url, authorization } = traces;
  const counts = createSpanCounts(context.metrics);
  if (url === undefined) return NO_TRACES;
  let spans: SpanExport | undefined;
  health.readiness("traces can be sent", () => spans !== undefined);
  lifecycle.onStop("traces", async (graceMs) => {
    const isSent = await spans?.close(Math.min(graceMs, FLUSH_MS));
    if (isSent === false) logger.warn({}, "the last spans could not be sent in time");
  });
  // Only here, because a process without traces must not pay for what it does not use.
  import("./span-export.ts").then(
    ({ openSpanExport }) => {
      spans = openSpanExport({ service: name, url, authorization, counts, host, logger });
    },
    (error: unknown) => lifecycle.fail(error),
  );
  return createTracer(traces, {
    begin: (parent, start) => spans?.begin(parent, start),
    random: () => host.random(),
  });
}

interface TracerParts {
  readonly begin: (parent: TraceContext | undefined, start: SpanStart) => Span | undefined;
  readonly random: () => number;
}

export function createTracer(
  { followCallers, oneIn }: Pick<TracingSettings, "followCallers" | "oneIn">,
  { begin, random }: TracerParts,
): Tracer {
  const share = oneIn === 0 ? 0 : 1 / oneIn;
  return {
    enter(caller, start) {
      const given = followCallers ? readTrace(caller) : undefined;
      if (given !== undefined) return given.isSampled ? begin(given, start) : undefined;
      return random() < share ? begin(undefined, start) : undefined;
    },
    follow(headers: RecordHeaders | undefined, start) {
      const parent = headers === undefined ? undefined : readRecordTrace(headers);
      return parent?.isSampled === true ? begin(parent, start()) : undefined;
    },
  };
}
