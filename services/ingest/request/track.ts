// A tracking request from its headers to what it is answered.
import type { IncomingMessage } from "node:http";
import type { Rejection } from "#contract";
import type { IngestParts } from "../ingest-parts.ts";
import { judgeCalls, type RequestFacts, type TrackingRoute } from "../judging/judge-calls.ts";
import { decompress, isLarge, type ParsedBody, parseBatchJson, parseJson } from "../judging/parse-body.ts";
import { type ReadBody, refusedBody } from "../judging/refused-body.ts";
import { bodyLimitBytes } from "../judging/size-rejection.ts";
import { busy } from "../limits/load-gate.ts";
import { ordinaryCalls } from "../limits/rate-limit.ts";
import type { Reservation } from "../limits/reservation.ts";
import type { IndexedRejection } from "../refusal.ts";
import type { Route } from "../routes.ts";
import type { Answer } from "./answers.ts";
import { clientAddress } from "./client-address.ts";
import { readPixel } from "./pixel.ts";
import { readBody } from "./read-body.ts";
import { resolveSource, type Source, type SourceResolution, sourceOfHeader } from "./write-key.ts";

/** From when on an answer is ours to give: while a body comes, its sender takes the time. */
export interface Timing {
  fromMs: number;
}

/** Reads a tracking request, judges its calls and stores them. Nothing is read when there is no room for it. */
export async function track(
  parts: IngestParts,
  request: IncomingMessage,
  route: TrackingRoute,
  timing: Timing,
): Promise<Answer> {
  const seen: Seen = { sourceId: undefined, body: undefined };
  const answer = await readAndStore(parts, request, { route, seen }, timing);
  tellRefused(parts, seen, answer);
  return answer;
}

/** The source of the request and its body, as soon as they are known. */
interface Seen {
  sourceId: string | undefined;
  body: ReadBody | undefined;
}

function tellRefused(
  { refusedCalls, sources, suppressions }: IngestParts,
  { body, sourceId }: Seen,
  answer: Answer,
): void {
  if (sourceId === undefined) return;
  const bodyOf = (index: number | null) => {
    const kept = body && refusedBody(body, index, sources.get(sourceId)?.writeKeys ?? []);
    // Nothing of a suppressed user is kept, nor what may be of one.
    const isHidden =
      kept?.userIds?.some((id) => suppressions.isSuppressed(sourceId, id)) ?? suppressions.hasAny(sourceId);
    return isHidden ? undefined : kept;
  };
  if (answer.kind === "refused") refusedCalls.refused(sourceId, answer.refusal, bodyOf);
  else if (answer.kind === "stored" && answer.rejected.length > 0)
    refusedCalls.rejected(sourceId, answer.rejected, bodyOf);
}

async function readAndStore(
  parts: IngestParts,
  request: IncomingMessage,
  { route, seen }: Pick<Tracking, "route" | "seen">,
  timing: Timing,
): Promise<Answer> {
  const busyNow = parts.gate.refusal();
  if (busyNow !== undefined) return { kind: "refused", refusal: busyNow };
  const found = sourceOfHeader(parts.sources, request.headers.authorization);
  seen.sourceId = found === undefined ? undefined : sourceIdOf(found);
  const refusal = found === undefined ? undefined : refusalOf(parts, found);
  if (refusal !== undefined) return refusal;
  const reservation = parts.gate.reserve();
  try {
    const limitBytes = bodyLimitBytes(route);
    const reading = await readBody(request, limitBytes, reservation);
    timing.fromMs = parts.host.elapsed();
    if (reading.kind !== "read") return reading;
    const { bytes } = reading;
    parts.telemetry.received(bytes.length);
    const inflating = decompress(bytes, request.headers["content-encoding"] ?? "", limitBytes);
    const inflated = "then" in inflating ? await inflating : inflating;
    if (!inflated.ok) return invalid(inflated.rejection);
    if (inflated.bytes !== bytes && !reservation.grow(inflated.bytes.length)) return noRoom(reservation);
    const fromBrowser = request.headers.origin !== undefined;
    if (isLarge(inflated.bytes)) await parts.pause();
    const isBatch = route.kind === "batch";
    const body = isBatch ? parseBatchJson(inflated.bytes) : parseJson(inflated.bytes);
    const value = body.ok ? body.value : undefined;
    seen.body = { bytes: inflated.bytes, value, isBatch };
    return await storeCalls(parts, request, {
      route,
      body,
      fromBrowser,
      reservation,
      source: found?.ok === true ? found.source : undefined,
      seen,
    });
  } finally {
    reservation.release();
  }
}

/** Why nothing is done with the calls of this source; asked as early as it is known. */
function refusalOf({ rateLimit }: IngestParts, found: SourceResolution): Answer | undefined {
  if (!found.ok) return invalid(found.rejection);
  const retryAfterMs = rateLimit.waitMs(found.source.id);
  return retryAfterMs === undefined ? undefined : limited(retryAfterMs);
}

const invalid = (rejection: Rejection, rejected?: readonly IndexedRejection[]): Answer => ({
  kind: "refused",
  refusal: { kind: "invalid", rejection, rejected },
});

const limited = (retryAfterMs: number): Answer => ({
  kind: "refused",
  refusal: { kind: "rate_limited", retryAfterMs },
});

/** When a source has its share of the room, the next of its calls may come as soon as one of them is stored. */
const SHARE_RETRY_AFTER_MS = 1_000;

const noRoom = ({ isOverShare }: Reservation): Answer =>
  isOverShare ? limited(SHARE_RETRY_AFTER_MS) : { kind: "refused", refusal: busy("waiting_bytes") };

interface Tracking {
  readonly route: TrackingRoute;
  readonly body: ParsedBody;
  readonly fromBrowser: boolean;
  readonly reservation: Reservation;
  /** The source by the header; undefined: the body must name it. */
  readonly source: Source | undefined;
  readonly seen: Seen;
}

function sourceIdOf(found: SourceResolution): string | undefined {
  return found.ok ? found.source.id : found.sourceId;
}

/** Judges the calls and stores the valid ones that are kept; 200 only once they are stored (contract 5.2, 7.2). */
async function storeCalls(parts: IngestParts, request: IncomingMessage, tracking: Tracking): Promise<Answer> {
  const { body, reservation } = tracking;
  if (!body.ok) return invalid(body.rejection);
  const found = resolve(parts, request, tracking, body.value);
  tracking.seen.sourceId = sourceIdOf(found);
  if (!found.ok) return invalid(found.rejection);
  const { id } = found.source;
  // A batch is work: it is not judged when its source is over its rate. A call's own turn to be counted comes soon enough.
  const refusal = tracking.route.kind === "batch" ? refusalOf(parts, found) : undefined;
  if (refusal !== undefined) return refusal;
  if (!reservation.assign(id)) return noRoom(reservation);
  const judging = judgeCalls(tracking.route, body.value, factsOf(parts, request, tracking, body.sizeBytes));
  const judgement = "then" in judging ? await judging : judging;
  if (judgement.kind === "no_room") return noRoom(reservation);
  if (judgement.kind === "refused") return invalid(judgement.rejection, judgement.rejected);
  const { calls, rejected, warnings } = judgement;
  const retryAfterMs = parts.rateLimit.take(id, ordinaryCalls(calls));
  if (retryAfterMs !== undefined) return limited(retryAfterMs);
  const keeping = parts.suppressions.keep(id, calls, parts.pause);
  const kept = "then" in keeping ? await keeping : keeping;
  if (kept.length > 0 && (await parts.sink.store(id, kept)) === "unavailable") {
    return { kind: "refused", refusal: busy("kafka") };
  }
  parts.telemetry.stored(kept, { rejected, warnings });
  noteKey(parts, request, found.source);
  if (kept.length < calls.length) parts.telemetry.suppressed(calls.length - kept.length);
  return { kind: "stored", rejected, warnings };
}

/** Of a call that is stored. */
function noteKey(
  { formerKeys, trustedProxies }: IngestParts,
  { headers, socket }: IncomingMessage,
  { formerKey, id }: Source,
): void {
  if (formerKey === undefined) return;
  const address = clientAddress(socket.remoteAddress, headers["x-forwarded-for"], trustedProxies);
  formerKeys.used(id, formerKey, { userAgent: headers["user-agent"], address });
}

function resolve(
  { sources }: IngestParts,
  { headers }: IncomingMessage,
  { source }: Tracking,
  body: unknown,
): SourceResolution {
  return source === undefined ? resolveSource(sources, headers.authorization, body) : { ok: true, source };
}

function factsOf(
  parts: IngestParts,
  { socket, headers }: IncomingMessage,
  { fromBrowser, reservation }: Tracking,
  sizeBytes: number,
): RequestFacts {
  return {
    receivedAtMs: parts.nowMs(),
    sizeBytes,
    ip: clientAddress(socket.remoteAddress, headers["x-forwarded-for"], parts.trustedProxies),
    fromBrowser,
    newMessageId: parts.newMessageId,
    reservation,
    pause: parts.pause,
  };
}

/** A pixel is always answered with the picture: an image cannot show an error (contract 7.1). */
export async function trackPixel(
  parts: IngestParts,
  request: IncomingMessage,
  route: Extract<Route, { kind: "pixel" }>,
): Promise<Answer> {
  const refusal = parts.gate.refusal();
  const { type, bytes, body } = readPixel(route.type, route.data);
  const value = body.ok ? body.value : undefined;
  const seen: Seen = { sourceId: undefined, body: { bytes, value, isBatch: false } };
  const answer: Answer =
    refusal === undefined
      ? await storePixel(parts, request, {
          route: { kind: "call", type },
          body,
          fromBrowser: true,
          source: undefined,
          seen,
        })
      : { kind: "refused", refusal };
  if (answer.kind === "refused") parts.telemetry.refused(answer.refusal);
  tellRefused(parts, seen, answer);
  return { kind: "pixel" };
}

async function storePixel(
  parts: IngestParts,
  request: IncomingMessage,
  tracking: Omit<Tracking, "reservation">,
): Promise<Answer> {
  const reservation = parts.gate.reserve();
  try {
    if (!reservation.grow(tracking.body.ok ? tracking.body.sizeBytes : 0)) return noRoom(reservation);
    return await storeCalls(parts, request, { ...tracking, reservation });
  } finally {
    reservation.release();
  }
}
