// All of receiving in one call: read the raw body within a bound, verify it, parse it.
import { type BodyReading, type ReadBodyOptions, type RequestBody, readRawBody } from "./read-body.ts";
import type { Secrets } from "./secrets.ts";
import { type SignatureFailure, verifySignature } from "./signature.ts";
import {
  type HeaderSource,
  headerOf,
  type StandardWebhookFailure,
  type StandardWebhookOptions,
  verifyStandardWebhook,
} from "./standard-webhooks.ts";

/** A tracking call as Hookline delivers it. */
export interface DeliveredCall {
  readonly type: string;
  /** The same over all attempts. Several users' calls may have one: a copy has the user, too (userId, else anonymousId). */
  readonly messageId?: string;
  readonly userId?: string;
  readonly [field: string]: unknown;
}

/** node's IncomingMessage, or fetch's Request. */
export type IncomingCall =
  | (RequestBody & { readonly headers: HeaderSource })
  | { readonly headers: HeaderSource; readonly body: RequestBody | null };

/** Which signature a request must carry. Only `standard-webhooks` also refuses an old request that is sent again. */
export type Scheme = "x-signature" | "standard-webhooks" | "both";

export interface ReceiveOptions extends ReadBodyOptions, StandardWebhookOptions {
  readonly secrets: Secrets;
  /** Default `x-signature`: what every destination with a secret sends. */
  readonly scheme?: Scheme;
}

export type ReceiveFailure =
  | Extract<BodyReading, { ok: false }>["reason"]
  | SignatureFailure
  | StandardWebhookFailure
  | "body_not_a_call";

export type Receipt =
  | { readonly ok: true; readonly call: DeliveredCall; readonly body: Buffer }
  /** `status` is a fitting answer: Hookline tries again after 408 (`body_incomplete`), and not after the others. */
  | { readonly ok: false; readonly status: 400 | 401 | 408 | 413; readonly reason: ReceiveFailure };

function bodyOf(request: IncomingCall): RequestBody | null {
  return Symbol.asyncIterator in request ? request : request.body;
}

/** Why the request is not to be believed; undefined when it is. */
function refusalOf(body: Buffer, request: IncomingCall, options: ReceiveOptions): ReceiveFailure | undefined {
  const { headers } = request;
  const { scheme = "x-signature", secrets } = options;
  if (scheme !== "standard-webhooks") {
    const verification = verifySignature(body, headerOf(headers, "x-signature"), secrets);
    if (!verification.ok) return verification.reason;
  }
  if (scheme !== "x-signature") {
    const verification = verifyStandardWebhook(body, headers, secrets, options);
    if (!verification.ok) return verification.reason;
  }
  return undefined;
}

function parseCall(body: Buffer): DeliveredCall | undefined {
  try {
    const call: unknown = JSON.parse(body.toString("utf8"));
    const isCall =
      typeof call === "object" && call !== null && "type" in call && typeof call.type === "string";
    return isCall ? (call as DeliveredCall) : undefined;
  } catch {
    return undefined;
  }
}

/** Takes one request: its call, or why it is refused and with which status. Never rejects. */
export async function receiveCall(request: IncomingCall, options: ReceiveOptions): Promise<Receipt> {
  const reading = await readRawBody(bodyOf(request), options);
  if (!reading.ok) {
    return { ok: false, status: reading.reason === "body_too_large" ? 413 : 408, reason: reading.reason };
  }
  const { body } = reading;
  const refusal = refusalOf(body, request, options);
  if (refusal !== undefined) return { ok: false, status: 401, reason: refusal };
  const call = parseCall(body);
  return call === undefined
    ? { ok: false, status: 400, reason: "body_not_a_call" }
    : { ok: true, call, body };
}
