// What one webhook made of the test, as it is shown; pure.
import { classifyResult, type RequestResult } from "#contract";
import type { Mask } from "#secrets";
import { webhookFields } from "../../http/webhook-fields.ts";

/** Of a response that much is shown. */
const SHOWN_BYTES = 1_024;
/** Header values have at most 4,096 characters, and no usual form of one is longer than six times that. */
const LONGEST_SECRET_BYTES = 6 * 4_096;
/** A secret that begins inside what is shown is seen whole, and so recognised. */
export const CAPTURED_BYTES = SHOWN_BYTES + LONGEST_SECRET_BYTES;

export interface WebhookOutcomeView {
  readonly webhookId: string;
  readonly url: string;
  readonly outcome: "success" | "retryable" | "permanent";
  /** A slug; null on success. */
  readonly reason: string | null;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** Begins the response's body; null when there was no response. */
  readonly response: string | null;
}

/** For people, and the same whatever the reason was. */
const NO_USABLE_ADDRESS =
  "no request was made: the host of the URL is unknown, or has an address in a private or reserved range that HOOKLINE_EGRESS_ALLOW_CIDRS does not open";

/**
 * Whether there was no address to send to. A name that is unknown and one that is forbidden look alike to whoever asks, in text and
 * time: else anybody with access to the API could find out which names and addresses there are in the operator's network.
 */
export function isWithoutAddress(result: RequestResult): boolean {
  return result.kind === "failure" && (result.failure === "blocked_address" || result.failure === "dns");
}

interface TestedWebhook {
  readonly destinationId: string;
  readonly url: string;
}

export interface OutcomeOptions extends TestedWebhook {
  /** Takes out the destination's secrets, wherever the webhook sent them back. */
  readonly hide: Mask;
  readonly nowMs: number;
}

export function outcomeView(
  result: RequestResult,
  { destinationId, url, hide, nowMs }: OutcomeOptions,
): WebhookOutcomeView {
  const shown = webhookFields(destinationId, url);
  if (isWithoutAddress(result)) {
    const reason = { outcome: "permanent", reason: "no_usable_address", error: NO_USABLE_ADDRESS } as const;
    return { ...shown, ...reason, status: null, durationMs: 0, response: null };
  }
  const outcome = classifyResult(result, nowMs);
  return {
    ...shown,
    outcome: outcome.kind,
    reason: outcome.kind === "success" ? null : outcome.reason,
    status: result.kind === "response" ? result.status : null,
    durationMs: Math.round(result.durationMs),
    error: errorOf(result, outcome.kind === "success", hide),
    response: result.kind === "response" ? hide.beginning(result.body, SHOWN_BYTES) : null,
  };
}

/** Of a webhook whose destination has secrets that no configured key opens; `why` names the key by its id. */
export function unreadableView({ destinationId, url }: TestedWebhook, why: string): WebhookOutcomeView {
  const reason = { outcome: "retryable", reason: "secret_unreadable" } as const;
  const error = `nothing was sent: ${why} (HOOKLINE_ENCRYPTION_KEYS)`;
  return {
    ...webhookFields(destinationId, url),
    ...reason,
    status: null,
    durationMs: 0,
    error,
    response: null,
  };
}

function errorOf(result: RequestResult, isSuccess: boolean, hide: Mask): string | null {
  if (isSuccess) return null;
  return result.kind === "response"
    ? `the webhook answered with status ${result.status}`
    : hide(result.message);
}
