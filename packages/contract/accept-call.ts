import { CALL_TYPES, type CallType, hasPreviousId, isCallType } from "./call-types.ts";
import { withClientIp } from "./client-context.ts";
import { deliveredBody, UNDELIVERED } from "./delivered-body.ts";
import { readIntegrations } from "./integrations.ts";
import { describeJson, type JsonObject, jsonSizeBytes } from "./json.ts";
import { MAX_CALL_BYTES, MAX_CALL_DEPTH } from "./limits.ts";
import { jsonFault, outOfRange, pathOfInfinity } from "./nesting.ts";
import type { Rejection } from "./reasons/rejections.ts";
import { type CallWarning, correctedTimestampMs, timestampWarning } from "./timestamp.ts";
import { callRejection, notAnObject, type ValidCall } from "./validate-call.ts";

/** Facts about a call beside itself. */
export interface AcceptContext {
  /** The type in the route; without it the call's own `type` is read, as in a batch. */
  readonly type?: CallType | undefined;
  readonly receivedAtMs: number;
  /** The batch's `sentAt`: when the request was sent, so it goes before a `sentAt` of the call. */
  readonly sentAt?: unknown;
  /** The batch's root: merged into the call, whose own keys win (contract 7.1). */
  readonly root?: BatchRoot | undefined;
  /** The address that the request came from. */
  readonly ip?: string | undefined;
  /** The request itself shows that a browser sent it. */
  readonly fromBrowser?: boolean | undefined;
  /** Of a call that the product itself makes, about an account: it needs no user (contract 8.9). */
  readonly accountId?: string | undefined;
  /** The whole request was no larger than one call may be, so this call need not be measured. */
  readonly sizeIsBounded?: boolean | undefined;
  newMessageId(): string;
}

export interface BatchRoot {
  readonly context?: JsonObject | undefined;
  readonly integrations?: JsonObject | undefined;
}

/** A valid call, normalised (contract 1.4 to 1.7); `body` is the delivered JSON. */
export interface AcceptedCall {
  readonly messageId: string;
  readonly type: CallType;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** The account, of a call that has no user. */
  readonly groupId: string | null;
  /** The previous id of an alias. */
  readonly previousId: string | null;
  readonly event: string | null;
  readonly integrations: Record<string, boolean>;
  readonly timestampMs: number;
  readonly receivedAtMs: number;
  readonly body: string;
  /** A warning for the caller beside the success; usually undefined. */
  readonly warning?: CallWarning | undefined;
}

export type Acceptance =
  | { readonly ok: true; readonly call: AcceptedCall }
  | ({ readonly ok: false } & Rejection);

/** Turns one parsed call into what is stored and delivered, or says why not. */
export function acceptCall(raw: unknown, context: AcceptContext): Acceptance {
  const rejection = notAnObject("a call", raw);
  if (rejection !== undefined) return { ok: false, ...rejection };
  const call = raw as ValidCall;
  const type = context.type ?? call["type"];
  if (!isCallType(type)) return { ok: false, ...invalidType(type) };
  const refused =
    faultRejection(call) ?? (context.accountId === undefined ? callRejection(call, type) : undefined);
  if (refused !== undefined) return { ok: false, ...refused };
  const accepted = normalise(call, type, context);
  const tooLarge = context.sizeIsBounded === true ? undefined : sizeRejection(call, accepted.body);
  return tooLarge === undefined ? { ok: true, call: accepted } : { ok: false, ...tooLarge };
}

const TYPES = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(CALL_TYPES);

function invalidType(type: unknown): Rejection {
  const found = typeof type === "string" ? `"${type.slice(0, 40)}"` : describeJson(type);
  return { code: "invalid_type", message: `type must be ${TYPES}, is ${found}` };
}

function faultRejection(call: JsonObject): Rejection | undefined {
  const code = jsonFault(call, MAX_CALL_DEPTH);
  switch (code) {
    case undefined:
      return undefined;
    case "too_deep":
      return { code: "nested_too_deep", message: `a call may nest at most ${MAX_CALL_DEPTH} levels deep` };
    case "number_out_of_range":
      return { code, message: outOfRange(pathOfInfinity(call)) };
  }
}

/** More of a field that is not delivered asks for the whole call to be measured. */
const MAX_UNDELIVERED_CHARACTERS = 256;

/**
 * The size of a call in a batch is that of its compact JSON (contract 7.5). UTF-8 takes at most three bytes per UTF-16
 * unit and the body holds all of the call but what `UNDELIVERED` names, of which a short text takes at most six bytes per
 * unit: where the body and each of those are short, the second stringify is spared.
 */
function sizeRejection(call: JsonObject, body: string): Rejection | undefined {
  if (body.length * 3 < MAX_CALL_BYTES / 2 && UNDELIVERED.every((field) => isShort(call[field])))
    return undefined;
  const sizeBytes = jsonSizeBytes(call);
  if (sizeBytes <= MAX_CALL_BYTES) return undefined;
  return {
    code: "message_too_large",
    message: `the call has ${sizeBytes} bytes, at most ${MAX_CALL_BYTES} are allowed`,
  };
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_UNDELIVERED_CHARACTERS;
  return typeof value !== "object" || value === null;
}

/** Root and own object as one, the own keys win; undefined when there is neither. */
function merge(root: JsonObject | undefined, own: JsonObject | null | undefined): JsonObject | undefined {
  if (own === null || own === undefined) return root;
  return root === undefined ? own : { ...root, ...own };
}

function normalise(call: ValidCall, type: CallType, context: AcceptContext): AcceptedCall {
  const { receivedAtMs, root } = context;
  const sentAt = context.sentAt ?? call["sentAt"];
  const originalTimestamp = call["timestamp"] ?? call["originalTimestamp"];
  const timestampMs = correctedTimestampMs({ original: originalTimestamp, sentAt, receivedAtMs });
  const messageId = call.messageId || context.newMessageId();
  const integrations = merge(root?.integrations, call.integrations);
  const body = deliveredBody({
    type,
    call,
    context: withClientIp(merge(root?.context, call.context) ?? {}, context.ip, context.fromBrowser === true),
    integrations,
    messageId,
    timestampMs,
    receivedAtMs,
    originalTimestamp,
    sentAt,
  });
  return {
    messageId,
    type,
    userId: call.userId || null,
    anonymousId: call.anonymousId || null,
    groupId: context.accountId ?? null,
    previousId: hasPreviousId(type) ? (call.previousId ?? null) : null,
    event: type === "track" ? (call.event ?? null) : null,
    integrations: readIntegrations(integrations),
    timestampMs,
    receivedAtMs,
    body,
    // Only a time that could not be read is replaced by that of the receipt.
    warning: timestampMs === receivedAtMs ? timestampWarning(originalTimestamp) : undefined,
  };
}
