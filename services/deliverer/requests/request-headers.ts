// The headers of one request, signed for this attempt: the secret may have changed since the last one (contract 2.3, 3.6). Pure.
import { deliveryHeaders, type StandardWebhookOptions } from "#contract";
import type { SecretBox } from "#secrets";
import type { DeliveryJob, DestinationConfig } from "#topics";

/** The secrets that sign a destination's requests, in clear; they live in memory only (contract 6.3). */
export interface Signing {
  /** X-Signature is made with this one alone. */
  readonly sharedSecret: string | undefined;
  /** Whether the Standard Webhooks headers are added. */
  readonly standardWebhooks: boolean;
  /** The secret before; it signs the Standard Webhooks headers too until then, so that receivers can change over in their own time. */
  readonly previous: { readonly secret: string; readonly untilMs: number } | undefined;
}

/** What of a destination decides how its requests are signed. */
export const SIGNING_FIELDS = [
  "standardWebhooks",
  "sharedSecret",
  "previousSecret",
  "previousSecretUntilMs",
] as const satisfies readonly (keyof DestinationConfig)[];

type SigningConfig = Pick<DestinationConfig, "id" | (typeof SIGNING_FIELDS)[number]>;

/** Throws when a secret does not decrypt with the configured keys. */
export function openSigning(config: SigningConfig, secretBox: SecretBox, nowMs: number): Signing {
  const { id, standardWebhooks, previousSecretUntilMs: untilMs } = config;
  const open = (field: "sharedSecret" | "previousSecret"): string | undefined => {
    const secret = config[field];
    return secret === null ? undefined : secretBox.decrypt(secret, { destinationId: id, field });
  };
  const sharedSecret = open("sharedSecret");
  // An old secret that signs nothing must not make the destination unreadable when its key is gone.
  if (!standardWebhooks || untilMs === null || untilMs <= nowMs)
    return { sharedSecret, standardWebhooks, previous: undefined };
  const secret = open("previousSecret");
  return { sharedSecret, standardWebhooks, previous: secret === undefined ? undefined : { secret, untilMs } };
}

export interface RequestParts {
  readonly job: Pick<DeliveryJob, "messageId" | "body">;
  readonly webhook: { readonly headers: Readonly<Record<string, string>>; readonly signing: Signing };
  readonly userAgent: string;
  readonly nowMs: number;
  /** Headers of the request's span, traceparent and tracestate; absent without a span. */
  readonly trace?: ReadonlyMap<string, string> | undefined;
}

export function requestHeaders(parts: RequestParts): Record<string, string> {
  const { job, webhook, userAgent, nowMs, trace } = parts;
  const { headers: staticHeaders, signing } = webhook;
  const { sharedSecret } = signing;
  const { body, messageId } = job;
  const standardWebhooks = signing.standardWebhooks ? standardOptions(signing, messageId, nowMs) : undefined;
  const headers = deliveryHeaders({ body, staticHeaders, sharedSecret, standardWebhooks, userAgent });
  return trace === undefined ? headers : withTrace(headers, trace);
}

const TRACE_HEADERS: readonly string[] = ["traceparent", "tracestate"];

/**
 * Adds trace headers, unless one is configured for the webhook: a trace's state says nothing beside another
 * trace.
 */
function withTrace(
  headers: Record<string, string>,
  trace: ReadonlyMap<string, string>,
): Record<string, string> {
  const isTaken = Object.keys(headers).some((name) => TRACE_HEADERS.includes(name.toLowerCase()));
  return isTaken ? headers : { ...headers, ...Object.fromEntries(trace) };
}

function standardOptions(
  { sharedSecret, previous }: Signing,
  messageId: string,
  nowMs: number,
): StandardWebhookOptions {
  const old = previous !== undefined && nowMs < previous.untilMs ? previous.secret : undefined;
  const secrets = [sharedSecret, old].filter((secret) => secret !== undefined);
  return { messageId, secrets, nowMs };
}
