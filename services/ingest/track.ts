// A tracking request from its headers to what it is answered.
import type { IncomingMessage } from "node:http";
import type { Answer } from "./answers.ts";
import { clientAddress } from "./client-address.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { judgeCalls, type TrackingRoute } from "./judge-calls.ts";
import { busy } from "./load-gate.ts";
import { type ParsedBody, parseBody } from "./parse-body.ts";
import { readPixel } from "./pixel.ts";
import { readBody } from "./read-body.ts";
import type { Route } from "./routes.ts";
import { bodyLimitBytes } from "./size-rejection.ts";
import { headerRejection, resolveSource } from "./write-key.ts";

/** Reads a tracking request, judges its calls and stores them. Nothing is read when there is no room for it. */
export async function track(
  parts: IngestParts,
  request: IncomingMessage,
  route: TrackingRoute,
): Promise<Answer> {
  const refusal = parts.gate.refusal();
  if (refusal !== undefined) return { kind: "refused", refusal };
  const rejection = headerRejection(parts.sources, request.headers.authorization);
  if (rejection !== undefined) return { kind: "refused", refusal: { kind: "invalid", rejection } };
  const reservation = parts.gate.reserve();
  try {
    const limitBytes = bodyLimitBytes(route);
    const reading = await readBody(request, limitBytes, reservation);
    if (reading.kind !== "read") return reading;
    parts.telemetry.received(reading.bytes.length);
    const encoding = request.headers["content-encoding"] ?? "";
    const parsed = parseBody(reading.bytes, encoding, limitBytes);
    const body = "then" in parsed ? await parsed : parsed;
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
  if (judgement.kind === "refused") {
    const { rejection, rejected } = judgement;
    return { kind: "refused", refusal: { kind: "invalid", rejection, rejected } };
  }
  const { id } = resolved.source;
  const { calls, rejected } = judgement;
  const retryAfterMs = parts.rateLimit.take(id, calls.length);
  if (retryAfterMs !== undefined) return { kind: "refused", refusal: { kind: "rate_limited", retryAfterMs } };
  if ((await parts.sink.store(id, calls)) === "unavailable") {
    return { kind: "refused", refusal: busy("kafka") };
  }
  parts.telemetry.stored(calls, rejected);
  return { kind: "stored", rejected };
}

/** A pixel is always answered with the picture: an image cannot show an error (contract 7.1). */
export async function trackPixel(
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
  if (answer.kind === "refused") parts.telemetry.refused(answer.refusal);
  return { kind: "pixel" };
}
