// The span of one request that brings calls.
import type { IncomingMessage } from "node:http";
import type { Span, Tracer } from "#tracing";
import type { CallSink, IngestParts } from "../ingest-parts.ts";
import type { Route } from "../routes.ts";

/** Route names for spans, one for each kind: a path itself may hold a write key or a whole call. */
const ROUTES: Readonly<Partial<Record<Route["kind"], string>>> = {
  call: "/v1/{type}",
  batch: "/v1/batch",
  pixel: "/v1/pixel/{type}",
};

/** Undefined when the request is not traced. */
export function enterTrace(
  tracer: Tracer,
  { headers, method = "" }: IncomingMessage,
  route: Route | undefined,
): Span | undefined {
  const path = route === undefined ? undefined : ROUTES[route.kind];
  if (path === undefined) return undefined;
  const caller = { traceparent: textOf(headers["traceparent"]), tracestate: textOf(headers["tracestate"]) };
  return tracer.enter(caller, {
    name: `${method} ${path}`,
    kind: "server",
    attributes: { "http.request.method": method, "http.route": path },
  });
}

/** Node joins headers of one name, but for a few that may come only once. */
function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}

/** The parts for this one request: its calls are stored with the trace that they came in. */
export function tracedParts(parts: IngestParts, span: Span): IngestParts {
  const sink: CallSink = {
    store(sourceId, calls) {
      span.set({ "hookline.source.id": sourceId, "hookline.calls": calls.length });
      return parts.sink.store(sourceId, calls, span.headers);
    },
  };
  return { ...parts, sink };
}

export function endTrace(span: Span, status: number | undefined): void {
  if (status === undefined) span.end({ error: "aborted" });
  else
    span.end({
      attributes: { "http.response.status_code": status },
      error: status >= 500 ? String(status) : undefined,
    });
}
