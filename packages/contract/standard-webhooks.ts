// The headers of the Standard Webhooks specification 1.0.0 (contract 2.3).
import { createHmac } from "node:crypto";
import { createSigningKeys } from "./signing-keys.ts";

const SECRET_PREFIX = "whsec_";

/** `whsec_` announces base64; any other secret is used as it is written. */
const keyOf = createSigningKeys((secret) =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret, "utf8"),
);

/** Visible ASCII, less the full stop, which separates what is signed, and the percent sign, which escapes. */
const PLAIN_ID = /^[!-$&-\-/-~]+$/;

/**
 * A messageId as `webhook-id`. A caller may choose any text for it (contract 1.7); what a header cannot carry is percent-encoded,
 * and full stops too: the specification forbids them, because they would let a caller shift what is signed.
 * `decodeURIComponent` gives the messageId back.
 */
export function webhookId(messageId: string): string {
  if (PLAIN_ID.test(messageId)) return messageId;
  return encodeURIComponent(messageId.toWellFormed()).replaceAll(".", "%2E");
}

export interface StandardWebhookParts {
  /** The current secret first; during a rotation the old one signs too. None: the request says its id and time, unsigned. */
  readonly secrets: readonly string[];
  /** The call's messageId: the same over all attempts (contract 1.7). */
  readonly messageId: string;
  /** The time of this attempt, Unix seconds. */
  readonly timestampSeconds: number;
  readonly body: Buffer;
}

export function standardWebhookHeaders(parts: StandardWebhookParts): Record<string, string> {
  const { body, messageId, secrets, timestampSeconds } = parts;
  const id = webhookId(messageId);
  const headers: Record<string, string> = {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
  };
  if (secrets.length === 0) return headers;
  const prefix = `${id}.${timestampSeconds}.`;
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", keyOf(secret)).update(prefix).update(body);
    return `v1,${hmac.digest("base64")}`;
  });
  headers["webhook-signature"] = signatures.join(" ");
  return headers;
}
