// One request from its headers to its answer. What it needs of the outside comes in as `IngestParts`.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AcceptedCall } from "#contract";
import { type Answer, send, toHttp } from "./answers.ts";
import { clientAddress } from "./client-address.ts";
import { judgeCalls, type TrackingRoute } from "./judge-calls.ts";
import { busy, type LoadGate } from "./load-gate.ts";
import { type ParsedBody, parseBody } from "./parse-body.ts";
import { readPixel } from "./pixel.ts";
import type { RateLimit } from "./rate-limit.ts";
import { discardBody, readBody } from "./read-body.ts";
import { invalid, type Refusal } from "./refusal.ts";
import { type Route, routeOf } from "./routes.ts";
import { publicHost, settingsReply } from "./settings-reply.ts";
import { bodyLimitBytes } from "./size-rejection.ts";
import { type RouteLabel, statusLabel, type Telemetry } from "./telemetry.ts";
import { resolveSource, type SourceLookup } from "./write-key.ts";

/** Where accepted calls go. */
export interface CallSink {
  /** Whether every call is stored durably; "unavailable" when that was not certain in time. */
  store(sourceId: string, calls: readonly AcceptedCall[]): Promise<"stored" | "unavailable">;
}

export interface IngestParts {
  readonly sources: SourceLookup;
  readonly sink: CallSink;
  readonly gate: LoadGate;
  readonly rateLimit: RateLimit;
  readonly telemetry: Telemetry;
  /** Proxies in front of ingest that append to X-Forwarded-For. */
  readonly trustedProxies: number;
  readonly publicHost: string | undefined;
  /** The service is ending: connections are not kept. */
  readonly stopping: () => boolean;
  nowMs(): number;
  newMessageId(): string;
  /** Told of an error that nobody expected; the request was answered 500. */
  onUnexpected(error: unknown): void;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export function createRequestHandler(parts: IngestParts): RequestHandler {
  return (request, response) => {
    const startedAtMs = performance.now();
    const route = request.method === "OPTIONS" ? undefined : routeOf(request.method ?? "", request.url ?? "");
    const label: RouteLabel = route?.kind ?? (request.method === "OPTIONS" ? "preflight" : "unknown");
    void answerTo(parts, request, route)
      .catch((error: unknown): Answer => {
        parts.onUnexpected(error);
        return { kind: "internal_error" };
      })
      .then((answer) => {
        const http = toHttp(answer, parts.nowMs());
        if (http !== undefined && !response.destroyed) send(request, response, http, parts.stopping());
        discardBody(request);
        if (answer.kind === "refused") countRefusal(parts.telemetry, answer.refusal);
        parts.telemetry.answered(label, statusLabel(http?.status), performance.now() - startedAtMs);
      });
  };
}

function countRefusal(telemetry: Telemetry, refusal: Refusal): void {
  if (refusal.kind === "busy") telemetry.refusedBusy(refusal.reason);
  else if (refusal.kind === "rate_limited") telemetry.rateLimited();
  else if ((refusal.rejected ?? []).length === 0) telemetry.rejected(refusal.rejection.code);
}

async function answerTo(
  parts: IngestParts,
  request: IncomingMessage,
  route: Route | undefined,
): Promise<Answer> {
  if (request.method === "OPTIONS") return { kind: "preflight" };
  switch (route?.kind) {
    case "call":
    case "batch":
      return track(parts, request, route);
    case "pixel":
      return trackPixel(parts, request, route);
    case "settings":
      return startSettings(parts, request, route.writeKey);
    case "client-metrics":
      return { kind: "stored", rejected: [] };
    case undefined:
      return { kind: "not_found", what: `${request.method} ${(request.url ?? "").slice(0, 200)}` };
  }
}

async function track(parts: IngestParts, request: IncomingMessage, route: TrackingRoute): Promise<Answer> {
  const refusal = parts.gate.refusal();
  if (refusal !== undefined) return { kind: "refused", refusal };
  const reservation = parts.gate.reserve();
  try {
    const limitBytes = bodyLimitBytes(route);
    const reading = await readBody(request, limitBytes, reservation);
    if (reading.kind !== "read") return reading;
    parts.telemetry.received(reading.bytes.length);
    const encoding = request.headers["content-encoding"] ?? "";
    const body = await parseBody(reading.bytes, encoding, limitBytes);
    return await storeCalls(parts, request, {
      route,
      body,
      fromBrowser: request.headers.origin !== undefined,
    });
  } finally {
    reservation.release();
  }
}

interface Tracking {
  readonly route: TrackingRoute;
  readonly body: ParsedBody;
  readonly fromBrowser: boolean;
}

/** Judges the calls and stores the valid ones; 200 only once they are stored (contract 7.2). */
async function storeCalls(parts: IngestParts, request: IncomingMessage, tracking: Tracking): Promise<Answer> {
  const { route, body, fromBrowser } = tracking;
  if (!body.ok) return { kind: "refused", refusal: { kind: "invalid", rejection: body.rejection } };
  const resolved = resolveSource(parts.sources, request.headers.authorization, body.value);
  if (!resolved.ok) return { kind: "refused", refusal: { kind: "invalid", rejection: resolved.rejection } };
  const judgement = judgeCalls(route, body.value, {
    receivedAtMs: parts.nowMs(),
    sizeBytes: body.sizeBytes,
    ip: clientAddress(request.socket.remoteAddress, request.headers["x-forwarded-for"], parts.trustedProxies),
    fromBrowser,
    newMessageId: parts.newMessageId,
  });
  const { rejected } = judgement;
  if (judgement.kind === "refused") {
    for (const { code } of rejected) parts.telemetry.rejected(code);
    return { kind: "refused", refusal: { kind: "invalid", rejection: judgement.rejection, rejected } };
  }
  const { id } = resolved.source;
  const retryAfterMs = parts.rateLimit.take(id, judgement.calls.length);
  if (retryAfterMs !== undefined) return { kind: "refused", refusal: { kind: "rate_limited", retryAfterMs } };
  if ((await parts.sink.store(id, judgement.calls)) === "unavailable") {
    return { kind: "refused", refusal: busy("kafka") };
  }
  for (const { code } of rejected) parts.telemetry.rejected(code);
  parts.telemetry.accepted(judgement.calls);
  return { kind: "stored", rejected };
}

/** A pixel is always answered with the picture: an image cannot show an error (contract 7.1). */
async function trackPixel(
  parts: IngestParts,
  request: IncomingMessage,
  route: Extract<Route, { kind: "pixel" }>,
): Promise<Answer> {
  const refusal = parts.gate.refusal();
  const { type, body } = readPixel(route.type, route.data);
  const answer: Answer =
    refusal === undefined
      ? await storeCalls(parts, request, { route: { kind: "call", type }, body, fromBrowser: true })
      : { kind: "refused", refusal };
  if (answer.kind === "refused") countRefusal(parts.telemetry, answer.refusal);
  return { kind: "pixel" };
}

function startSettings(parts: IngestParts, request: IncomingMessage, writeKey: string): Answer {
  const refusal = parts.gate.refusal();
  if (refusal !== undefined) return { kind: "refused", refusal };
  if (parts.sources.byWriteKey(writeKey) === undefined) {
    return { kind: "refused", refusal: invalid("unknown_source", "the write key belongs to no source") };
  }
  const host = publicHost(parts.publicHost, request.headers.host);
  return { kind: "document", document: settingsReply(writeKey, host) };
}
