// Standard Webhooks 1.0.0, symmetric signatures (https://www.standardwebhooks.com).
import { isRawBody, isSigned, type RawBody, type Secrets, secretList } from "./secrets.ts";

/** The headers of a request, as node's IncomingMessage, fetch's Request or a plain object has them. */
export type HeaderSource =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface StandardWebhookOptions {
  /** How far the request's time may lie from ours, into the past and the future. Default 300. */
  readonly toleranceSeconds?: number;
  /** Our time, Unix ms. Default: now. */
  readonly nowMs?: number;
}

export type StandardWebhookFailure =
  /** None of the secrets has a byte: a mistake in the receiver's configuration. */
  | "no_secret"
  /** The body is neither text nor bytes: it was parsed before it was verified. */
  | "body_not_raw"
  /** webhook-id, webhook-timestamp or webhook-signature is not there, or there more than once. */
  | "header_missing"
  | "timestamp_malformed"
  /** The header has no `v1` signature of 32 bytes in base64. */
  | "signature_malformed"
  | "signature_wrong"
  /** Signed, but long ago: perhaps an old request that somebody sends again. */
  | "too_old"
  | "too_new";

export type StandardWebhookVerification =
  /** `messageId` is the call's, the same over all attempts. Several users' calls may have one: what was seen with the same user can be ignored. */
  | { readonly ok: true; readonly messageId: string; readonly timestampSeconds: number }
  | { readonly ok: false; readonly reason: StandardWebhookFailure };

const SECRET_PREFIX = "whsec_";
const DEFAULT_TOLERANCE_SECONDS = 300;

const UNIX_SECONDS = /^\d{1,12}$/;
const V1_SIGNATURE = /^v1,([0-9A-Za-z+/]{43}=)$/;

/** `whsec_` announces base64; any other secret is used as it is written. */
function keysOf(secrets: Secrets): Buffer[] {
  const keys = secretList(secrets).map((secret) =>
    secret.startsWith(SECRET_PREFIX)
      ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
      : Buffer.from(secret, "utf8"),
  );
  return keys.filter((key) => key.length > 0);
}

/** One header by its lower-case name; undefined when it is not there exactly once. */
export function headerOf(headers: HeaderSource, name: string): string | undefined {
  // Callers without types may have nothing at all.
  const source = headers ?? {};
  if (typeof source.get === "function")
    return (source.get as (name: string) => string | null)(name) ?? undefined;
  const found = Object.entries(source).filter(([key]) => key.toLowerCase() === name);
  const [, value] = found[0] ?? [];
  return found.length === 1 && typeof value === "string" ? value : undefined;
}

/** The sender escapes what a header cannot carry. */
function messageIdOf(webhookId: string): string {
  try {
    return decodeURIComponent(webhookId);
  } catch {
    // Not escaped, so from another sender: the id as it is.
    return webhookId;
  }
}

/**
 * Verifies the Standard Webhooks headers: HMAC-SHA256 over id, timestamp and body, with a timestamp near ours. A
 * request may carry several signatures while the sender changes the secret. Never throws, and compares in constant time.
 */
export function verifyStandardWebhook(
  body: RawBody,
  headers: HeaderSource,
  secrets: Secrets,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, nowMs = Date.now() }: StandardWebhookOptions = {},
): StandardWebhookVerification {
  const keys = keysOf(secrets);
  if (keys.length === 0) return { ok: false, reason: "no_secret" };
  if (!isRawBody(body)) return { ok: false, reason: "body_not_raw" };
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signature = headerOf(headers, "webhook-signature");
  if (!id || !timestamp || !signature) return { ok: false, reason: "header_missing" };
  if (!UNIX_SECONDS.test(timestamp)) return { ok: false, reason: "timestamp_malformed" };
  const given = signature.split(" ").flatMap((each) => {
    const [, base64] = V1_SIGNATURE.exec(each) ?? [];
    return base64 === undefined ? [] : [Buffer.from(base64, "base64")];
  });
  if (given.length === 0) return { ok: false, reason: "signature_malformed" };
  const parts = [`${id}.${timestamp}.`, body];
  if (!isSigned({ algorithm: "sha256", keys, parts }, given)) return { ok: false, reason: "signature_wrong" };
  const timestampSeconds = Number(timestamp);
  const ageSeconds = Math.floor(nowMs / 1_000) - timestampSeconds;
  const isNear = Math.abs(ageSeconds) <= toleranceSeconds;
  if (!isNear) return { ok: false, reason: ageSeconds > 0 ? "too_old" : "too_new" };
  return { ok: true, messageId: messageIdOf(id), timestampSeconds };
}
