// Why a request did not deliver its call (contract 3.3). A retryable one is tried again, a permanent one is not.
import { type Reasons, reasonsOf } from "./reason.ts";

export type RetryReason =
  | "timeout"
  | "http_5xx"
  | "http_408"
  | "http_429"
  | "tls"
  | "dns"
  | "connect"
  | "reset"
  | "invalid_response";

export type PermanentReason = "http_4xx" | "http_3xx" | "self_signed" | "blocked_address" | "invalid_request";

/** `secret_unreadable`: no request was made. An operator can put the key back within the window, so it is retried. */
export type OutcomeReason = RetryReason | PermanentReason | "secret_unreadable";

export const RETRYABLE: Reasons<RetryReason | "secret_unreadable"> = {
  timeout: {
    meaning: "no status line and headers came within HOOKLINE_RESPONSE_DEADLINE",
    action: "answer first and work afterwards, or raise the deadline",
  },
  http_5xx: { meaning: "the endpoint answered with a status of 500 to 599", action: "look at its own log" },
  http_408: { meaning: "the endpoint answered 408", action: "look at its own log" },
  http_429: {
    meaning: "the endpoint answered 429",
    action: "set the destination's maxRequestsPerSecond to what it takes",
  },
  tls: {
    meaning: "the TLS connection failed, for instance by an expired certificate",
    action: "renew or mend the endpoint's certificate",
  },
  dns: { meaning: "the host's name has no address", action: "look at the name in the URL, and at its DNS" },
  connect: { meaning: "no connection came about", action: "see that the endpoint runs and can be reached" },
  reset: {
    meaning: "the connection ended before a response",
    action: "look at what is in front of the endpoint",
  },
  invalid_response: { meaning: "the answer was no HTTP", action: "see that the URL leads to an HTTP server" },
  secret_unreadable: {
    meaning: "the destination's secrets do not decrypt with the configured keys; nothing was sent",
    action: "put the missing key back into HOOKLINE_ENCRYPTION_KEYS",
  },
};

export const PERMANENT: Reasons<PermanentReason> = {
  http_4xx: {
    meaning: "the endpoint refused the call with a status of 400 to 499 other than 408 and 429",
    action: "look at the response with a test call, mend the endpoint, replay",
  },
  http_3xx: {
    meaning: "the endpoint redirected, which is not followed",
    action: "set the URL that it redirects to",
  },
  self_signed: {
    meaning: "the endpoint's certificate vouches for itself",
    action: "give the endpoint a certificate of an authority",
  },
  blocked_address: {
    meaning: "the host's address is private or reserved",
    action: "use a public address, or allow it with HOOKLINE_EGRESS_ALLOW_CIDRS",
  },
  invalid_request: {
    meaning: "no request can be made of the URL or the headers",
    action: "correct the destination's URL and headers",
  },
};

/**
 * Tells whether a reason is permanent, by the slug that attempts carry; false for a reason that is not known
 * any more.
 */
export function isPermanent(slug: string): boolean {
  return Object.hasOwn(PERMANENT, slug);
}

export const OUTCOME_REASONS = reasonsOf<OutcomeReason>({ ...RETRYABLE, ...PERMANENT });
