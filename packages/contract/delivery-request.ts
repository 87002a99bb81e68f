// The headers that the deliverer sends beside the body (contract 2.2).
import { signBody } from "./signature.ts";
import { standardWebhookHeaders } from "./standard-webhooks.ts";

/** Default User-Agent: the token is configurable, the version is not (contract 2.2). */
export const USER_AGENT = "Hookline/1.0";

/** The values of the Standard Webhooks headers, for destinations that want them (contract 2.3). */
export interface StandardWebhookOptions {
  readonly messageId: string;
  /** The current one first; during a rotation the old one follows. */
  readonly secrets: readonly string[];
  /** Unix ms of this attempt. */
  readonly nowMs: number;
}

export interface DeliveryHeadersOptions {
  readonly body: Buffer;
  /** The webhook's own headers, in clear. */
  readonly staticHeaders: Readonly<Record<string, string>>;
  /** Signs X-Signature; absent: there is none. */
  readonly sharedSecret?: string | undefined;
  readonly standardWebhooks?: StandardWebhookOptions | undefined;
  readonly userAgent?: string | undefined;
}

/** Headers of one request. Ours come last: static headers cannot override them even if one slipped in (contract 2.8). */
export function deliveryHeaders({
  body,
  staticHeaders,
  sharedSecret,
  standardWebhooks,
  userAgent = USER_AGENT,
}: DeliveryHeadersOptions): Record<string, string> {
  const headers: Record<string, string> = {
    ...staticHeaders,
    "User-Agent": userAgent,
    "Content-Type": "application/json",
  };
  if (sharedSecret !== undefined) headers["X-Signature"] = signBody(sharedSecret, body);
  if (standardWebhooks === undefined) return headers;
  const { messageId, nowMs, secrets } = standardWebhooks;
  const timestampSeconds = Math.floor(nowMs / 1_000);
  return Object.assign(headers, standardWebhookHeaders({ secrets, messageId, timestampSeconds, body }));
}
