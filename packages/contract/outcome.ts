// The meaning of one request to a webhook for its call (contract 3.3).
import type { RequestFailure, RequestResult } from "./attempt.ts";
import { MAX_RETRY_AFTER_MS } from "./limits.ts";
import type { PermanentReason, RetryReason } from "./reasons/outcomes.ts";

export type AttemptOutcome =
  | { readonly kind: "success"; readonly status: number }
  | {
      readonly kind: "retryable";
      readonly reason: RetryReason;
      readonly status?: number;
      /** The delay from now that the endpoint asked for with Retry-After. */
      readonly retryAfterMs?: number;
    }
  | { readonly kind: "permanent"; readonly reason: PermanentReason; readonly status?: number };

function classifyFailure(failure: RequestFailure): AttemptOutcome {
  switch (failure) {
    case "self_signed":
    case "blocked_address":
    case "invalid_request":
      return { kind: "permanent", reason: failure };
    case "timeout":
    case "tls":
    case "dns":
    case "connect":
    case "reset":
    case "invalid_response":
      return { kind: "retryable", reason: failure };
  }
}

function retryReasonOf(status: number): RetryReason | undefined {
  if (status === 408) return "http_408";
  if (status === 429) return "http_429";
  if (status >= 500 && status <= 599) return "http_5xx";
  // A final 1xx, or a number that is no HTTP status: the endpoint did not answer in HTTP.
  if (status < 200 || status > 599) return "invalid_response";
  return undefined;
}

/** The outcome of one request; `nowMs` is only the base of a Retry-After that is a date. */
export function classifyResult(result: RequestResult, nowMs: number): AttemptOutcome {
  if (result.kind === "failure") return classifyFailure(result.failure);
  const { status } = result;
  const retryReason = retryReasonOf(status);
  if (retryReason !== undefined) {
    const retryAfterMs = parseRetryAfterMs(result.retryAfter, nowMs);
    return {
      kind: "retryable",
      reason: retryReason,
      status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  if (status < 300) return { kind: "success", status };
  return { kind: "permanent", reason: status < 400 ? "http_3xx" : "http_4xx", status };
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Retry-After, seconds or an HTTP date, as milliseconds from now: at least 0, at most MAX_RETRY_AFTER_MS. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? "";
  const waitMs = /^\d+(?:\.\d+)?$/.test(value)
    ? Number(value) * 1_000
    : HTTP_DATE.test(value)
      ? Date.parse(value) - nowMs
      : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
