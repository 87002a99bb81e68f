// The answers that callers see (contract 7.2, 7.3, 7.6).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { IndexedRejection, IndexedWarning, Refusal } from "../refusal.ts";
import { PIXEL_GIF } from "./pixel.ts";

export type Answer =
  | {
      readonly kind: "stored";
      readonly rejected: readonly IndexedRejection[];
      readonly warnings: readonly IndexedWarning[];
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "document"; readonly document: object }
  | { readonly kind: "pixel" }
  | { readonly kind: "preflight" }
  | { readonly kind: "not_found"; readonly what: string }
  | { readonly kind: "method_not_allowed"; readonly allowed: readonly string[] }
  | { readonly kind: "no_host" }
  | { readonly kind: "unknown_expectation" }
  | { readonly kind: "internal_error" }
  /** Nobody is there any more to be answered. */
  | { readonly kind: "aborted" };

/** An answer as HTTP. Headers are a flat list of names and values, which is the cheapest for node:http. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

const SUCCESS = '{"success":true}';
const JSON_TYPE: readonly string[] = ["Content-Type", "application/json"];
/** Some SDKs wait at most this long, and take more for a mistake (sdk-facts). */
const MAX_RETRY_AFTER_SECONDS = 300;

/** The calls of a batch often share one mistake: its answer need not repeat it 2,500 times. */
const MAX_WARNINGS = 20;

function storedBody({ rejected, warnings }: Answer & { readonly kind: "stored" }): string {
  if (rejected.length === 0 && warnings.length === 0) return SUCCESS;
  return JSON.stringify({
    success: true,
    ...(rejected.length > 0 && { rejected }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, MAX_WARNINGS) }),
  });
}

function retryAfter(retryAfterMs: number): { readonly seconds: number; readonly headers: readonly string[] } {
  const seconds = Math.min(Math.max(Math.ceil(retryAfterMs / 1_000), 1), MAX_RETRY_AFTER_SECONDS);
  return { seconds, headers: ["Retry-After", String(seconds)] };
}

function failure(status: number, details: { code: string; message: string; rejected?: unknown }): HttpAnswer {
  const { code, message, rejected } = details;
  const body = { success: false, code, message, error: message, ...(rejected !== undefined && { rejected }) };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

function refusalAnswer(refusal: Refusal, nowMs: number): HttpAnswer {
  switch (refusal.kind) {
    case "invalid": {
      const { rejection, rejected } = refusal;
      return failure(400, { ...rejection, ...(rejected !== undefined && { rejected }) });
    }
    case "rate_limited": {
      const { seconds, headers } = retryAfter(refusal.retryAfterMs);
      const message = `the source sends more calls than it may; try again in ${seconds} s`;
      const answer = failure(429, { code: "rate_limited", message });
      const resetAt = String(Math.ceil(nowMs / 1_000) + seconds);
      return { ...answer, headers: [...answer.headers, ...headers, "X-RateLimit-Reset", resetAt] };
    }
    case "busy": {
      const { headers } = retryAfter(refusal.retryAfterMs);
      const answer = failure(503, { code: "unavailable", message: `try again later: ${refusal.reason}` });
      return { ...answer, headers: [...answer.headers, ...headers] };
    }
  }
}

/** It may name the host that the caller asked: no cache that others share may give it to them. */
const DOCUMENT: readonly string[] = [
  ...JSON_TYPE,
  "Cache-Control",
  "private, no-store",
  "Vary",
  "Host, Origin",
];

const ALLOW_PREFLIGHT: readonly string[] = [
  "Access-Control-Allow-Methods",
  "GET, POST, OPTIONS",
  "Access-Control-Allow-Headers",
  "authorization, content-type, content-encoding, x-retry-count, x-request-id, traceparent, tracestate",
  // A browser asks for each route by itself; a day is the longest that any of them remembers the answer.
  "Access-Control-Max-Age",
  "86400",
];

function notAllowed(allowed: readonly string[]): HttpAnswer {
  const methods = allowed.join(", ");
  const answer = failure(405, { code: "method_not_allowed", message: `here only ${methods} can be asked` });
  return { ...answer, headers: [...answer.headers, "Allow", methods] };
}

/** The answer as HTTP; undefined when there is nobody to answer. `nowMs` is the base of X-RateLimit-Reset. */
export function toHttp(answer: Answer, nowMs: number): HttpAnswer | undefined {
  switch (answer.kind) {
    case "stored": {
      return { status: 200, headers: JSON_TYPE, body: storedBody(answer) };
    }
    case "refused":
      return refusalAnswer(answer.refusal, nowMs);
    case "document":
      return { status: 200, headers: DOCUMENT, body: JSON.stringify(answer.document) };
    case "pixel":
      return {
        status: 200,
        headers: ["Content-Type", "image/gif", "Cache-Control", "no-store"],
        body: PIXEL_GIF,
      };
    case "preflight":
      return { status: 200, headers: ALLOW_PREFLIGHT, body: "" };
    case "not_found":
      return failure(404, { code: "not_found", message: `there is nothing at ${answer.what}` });
    case "method_not_allowed":
      return notAllowed(answer.allowed);
    case "no_host":
      return failure(400, { code: "invalid_request", message: "the request has no Host header" });
    case "unknown_expectation":
      return failure(417, {
        code: "unknown_expectation",
        message: "Expect must be 100-continue or left out",
      });
    case "internal_error":
      return failure(500, { code: "internal_error", message: "the request could not be handled" });
    case "aborted":
      return undefined;
  }
}

const CORS: readonly string[] = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "Retry-After, X-RateLimit-Reset, X-Request-Id",
];

interface Sending {
  /** Asks the caller not to use the connection again. */
  readonly closing: boolean;
  readonly requestId: string | undefined;
}

/** Writes the answer. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpAnswer,
  { closing, requestId }: Sending,
): void {
  const { status, headers, body } = answer;
  const all = [...headers, "Content-Length", String(Buffer.byteLength(body))];
  if (requestId !== undefined) all.push("X-Request-Id", requestId);
  if (request.headers.origin !== undefined) all.push(...CORS);
  if (closing) all.push("Connection", "close");
  response.writeHead(status, all);
  response.end(body);
}
