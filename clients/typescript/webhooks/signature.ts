import { isRawBody, isSigned, type RawBody, type Secrets, secretList } from "./secrets.ts";

export type SignatureFailure =
  /** None of the secrets has a character: a mistake in the receiver's configuration. */
  | "no_secret"
  /** The body is neither text nor bytes: it was parsed before it was verified. */
  | "body_not_raw"
  | "signature_missing"
  /** The header is not 40 hexadecimal digits. */
  | "signature_malformed"
  | "signature_wrong";

export type SignatureVerification =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: SignatureFailure };

const HEX_SHA1 = /^[0-9a-f]{40}$/i;

/**
 * Verifies `X-Signature`: HMAC-SHA1 over the body, in hex, keyed with the destination's shared secret. `header` is its value as
 * node or fetch give it. Never throws, and compares in constant time.
 */
export function verifySignature(
  body: RawBody,
  header: string | readonly string[] | null | undefined,
  secrets: Secrets,
): SignatureVerification {
  const keys = secretList(secrets).map((secret) => Buffer.from(secret, "utf8"));
  if (keys.length === 0) return { ok: false, reason: "no_secret" };
  if (!isRawBody(body)) return { ok: false, reason: "body_not_raw" };
  if (header === undefined || header === null || header === "")
    return { ok: false, reason: "signature_missing" };
  if (typeof header !== "string" || !HEX_SHA1.test(header))
    return { ok: false, reason: "signature_malformed" };
  const isValid = isSigned({ algorithm: "sha1", keys, parts: [body] }, [Buffer.from(header, "hex")]);
  return isValid ? { ok: true } : { ok: false, reason: "signature_wrong" };
}
