// What one webhook made of the test, as it is shown; pure.
import { classifyResult, type RequestResult } from "#contract";
import { MASK } from "../destinations/secrets.ts";

/** Of a response that much is shown. */
const SHOWN_BYTES = 1_024;
/** A secret that begins inside what is shown is seen whole, and so recognised: header values have at most 4,096 characters. */
export const CAPTURED_BYTES = SHOWN_BYTES + 4_096;
/** Shorter values occur in any text by chance. */
const SHORTEST_SECRET_CHARACTERS = 4;

export interface WebhookOutcomeView {
  readonly url: string;
  readonly outcome: "success" | "retryable" | "permanent";
  /** A slug that also names it in metrics and dead letters; null on success. */
  readonly reason: string | null;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** Begins the response's body; null when there was no response. */
  readonly response: string | null;
}

/** `secrets` are replaced by the mask wherever the webhook sent them back. */
export function outcomeView(
  result: RequestResult,
  { url, secrets, nowMs }: { url: string; secrets: readonly string[]; nowMs: number },
): WebhookOutcomeView {
  const outcome = classifyResult(result, nowMs);
  const hide = (text: string) => withoutSecrets(text, secrets);
  return {
    url,
    outcome: outcome.kind,
    reason: outcome.kind === "success" ? null : outcome.reason,
    status: result.kind === "response" ? result.status : null,
    durationMs: Math.round(result.durationMs),
    error: errorOf(result, outcome.kind === "success", hide),
    response: result.kind === "response" ? firstBytes(hide(result.body.toString("utf8"))) : null,
  };
}

function errorOf(result: RequestResult, isSuccess: boolean, hide: (text: string) => string): string | null {
  if (isSuccess) return null;
  return result.kind === "response"
    ? `the webhook answered with status ${result.status}`
    : hide(result.message);
}

/** Longest first: one secret may be a part of another. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const hidden = secrets
    .filter(({ length }) => length >= SHORTEST_SECRET_CHARACTERS)
    .sort((one, other) => other.length - one.length);
  return hidden.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
}

/** A character that the limit cuts is left out. */
function firstBytes(text: string): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, SHOWN_BYTES), { stream: true });
}
