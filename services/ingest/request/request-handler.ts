// One request from its headers to its answer. What it needs of the outside comes in as `IngestParts`.
import type { IncomingMessage, ServerResponse } from "node:http";
import { givenRequestId } from "#contract";
import type { IngestParts } from "../ingest-parts.ts";
import { invalid } from "../refusal.ts";
import { methodsOf, type Route, routeOf } from "../routes.ts";
import { type RouteLabel, statusLabel } from "../telemetry.ts";
import { type Answer, send, toHttp } from "./answers.ts";
import { discardBody, isLastOfConnection } from "./read-body.ts";
import { publicHost, settingsReply } from "./settings-reply.ts";
import { endTrace, enterTrace, tracedParts } from "./traced-request.ts";
import { type Timing, track, trackPixel } from "./track.ts";
import { boundUnread } from "./unread-answer.ts";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export function createRequestHandler(parts: IngestParts): RequestHandler {
  return (request, response) => {
    handle(parts, request, response).catch((error: unknown) =>
      parts.onUnexpected(error, requestIdOf(parts, request)),
    );
  };
}

async function handle(parts: IngestParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const timing: Timing = { fromMs: parts.host.elapsed() };
  const { method = "", url = "" } = request;
  const route = method === "OPTIONS" ? undefined : routeOf(method, url);
  const label: RouteLabel = route?.kind ?? (method === "OPTIONS" ? "preflight" : "unknown");
  const span = enterTrace(parts.tracer, request, route);
  const own = span === undefined ? parts : tracedParts(parts, span);
  const { answer, requestId } = await answerOrError(own, request, route, timing);
  const http = toHttp(answer, parts.nowMs());
  if (http !== undefined && !response.destroyed) {
    send(request, response, http, {
      closing: parts.stopping() || isLastOfConnection(request),
      requestId,
    });
    // The system has taken nearly every answer at once.
    if (response.writableLength > 0) boundUnread(parts, request, response, Buffer.byteLength(http.body));
  }
  discardBody(request, parts.host);
  if (answer.kind === "refused") parts.telemetry.refused(answer.refusal);
  if (span !== undefined) endTrace(span, http?.status);
  parts.telemetry.answered(label, statusLabel(http?.status), parts.host.elapsed() - timing.fromMs);
}

interface Answered {
  readonly answer: Answer;
  /** The caller's own; of what fails unexpectedly always one. */
  readonly requestId: string | undefined;
}

async function answerOrError(
  parts: IngestParts,
  request: IncomingMessage,
  route: Route | undefined,
  timing: Timing,
): Promise<Answered> {
  try {
    const answer = await answerTo(parts, request, route, timing);
    // A success that nobody gave an id has none: there is nothing to look for.
    const isGood = answer.kind === "stored" || answer.kind === "pixel";
    const requestId = isGood ? givenRequestId(request.headers["x-request-id"]) : requestIdOf(parts, request);
    return { answer, requestId };
  } catch (error) {
    const requestId = requestIdOf(parts, request);
    parts.onUnexpected(error, requestId);
    // An image cannot show an error (contract 7.1).
    return { answer: { kind: route?.kind === "pixel" ? "pixel" : "internal_error" }, requestId };
  }
}

function requestIdOf({ newRequestId }: IngestParts, { headers }: IncomingMessage): string {
  return givenRequestId(headers["x-request-id"]) ?? newRequestId();
}

async function answerTo(
  parts: IngestParts,
  request: IncomingMessage,
  route: Route | undefined,
  timing: Timing,
): Promise<Answer> {
  const { headers, httpVersion, method, url = "" } = request;
  if (headers.host === undefined && httpVersion !== "1.0") return { kind: "no_host" };
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue")
    return { kind: "unknown_expectation" };
  if (method === "OPTIONS") return { kind: "preflight" };
  switch (route?.kind) {
    case "call":
    case "batch":
      return track(parts, request, route, timing);
    case "pixel":
      // A request for the head only has not shown the picture to anybody.
      return method === "HEAD" ? { kind: "pixel" } : trackPixel(parts, request, route);
    case "settings":
      return startSettings(parts, request, route.writeKey);
    case "client-metrics":
      return { kind: "stored", rejected: [], warnings: [] };
    case undefined:
      return nothingHere(`${method} ${url.slice(0, 200)}`, methodsOf(url));
  }
}

function nothingHere(what: string, allowed: readonly string[]): Answer {
  return allowed.length === 0 ? { kind: "not_found", what } : { kind: "method_not_allowed", allowed };
}

function startSettings(parts: IngestParts, request: IncomingMessage, writeKey: string): Answer {
  const refusal = parts.gate.refusal();
  // The sources are in memory: once they are loaded this needs neither Kafka nor room.
  if (refusal?.reason === "starting") return { kind: "refused", refusal };
  if (parts.sources.byWriteKey(writeKey) === undefined) {
    return { kind: "refused", refusal: invalid("unknown_source", "the write key belongs to no source") };
  }
  const host = publicHost(parts.publicHost, request.headers.host);
  return { kind: "document", document: settingsReply(writeKey, host) };
}
