import type { BatchRoot } from "./accept-call.ts";
import { describeJson, type JsonObject, jsonSizeBytes } from "./json.ts";
import { MAX_BATCH_CALLS, MAX_CALL_BYTES, MAX_CALL_DEPTH } from "./limits.ts";
import { type JsonFault, jsonFault, outOfRange, pathOfInfinity } from "./nesting.ts";
import type { Rejection } from "./reasons/rejections.ts";
import { batchRootRejection, notAnObject } from "./validate-call.ts";

/** A batch request taken apart (contract 7.1). Its root `timestamp` is not a call's (1.7), nor its `messageId`. */
export interface Batch {
  readonly calls: readonly unknown[];
  readonly root: BatchRoot;
  readonly sentAt: unknown;
  /** Bytes that the root's context, integrations and sentAt come to when they are merged into every call. */
  readonly mergedBytes: number;
}

export type BatchReading =
  | { readonly ok: true; readonly batch: Batch }
  | ({ readonly ok: false } & Rejection);

/**
 * The size that all calls of a batch may have with the root merged into each: a request of 500 KB whose root
 * makes up half of it would otherwise become 600 MB. A full batch with a root of 4 KB still fits.
 */
const MAX_MERGED_BYTES = 16_000_000;

/** Takes the parsed body of a batch request apart; `sizeBytes` is its length, decompressed. */
export function readBatch(raw: unknown, sizeBytes: number): BatchReading {
  const rejection = notAnObject("the body", raw);
  if (rejection !== undefined) return { ok: false, ...rejection };
  const body = raw as JsonObject;
  const calls = body["batch"];
  if (!Array.isArray(calls) || calls.length === 0) {
    const found = Array.isArray(calls) ? "empty" : describeJson(calls);
    return {
      ok: false,
      code: "empty_batch",
      message: `batch must be an array of at least one call, is ${found}`,
    };
  }
  const refused = countRejection(calls.length) ?? rootRejection(body);
  if (refused !== undefined) return { ok: false, ...refused };
  const root = rootOf(body);
  const sentAt = body["sentAt"] ?? undefined;
  const rootBytes = sizeOf(root, sentAt);
  const mergedBytes = rootBytes * calls.length;
  const isSmall = sizeBytes <= MAX_CALL_BYTES && sizeBytes * calls.length <= MAX_MERGED_BYTES;
  const isTooLarge = rootBytes > MAX_CALL_BYTES || mergedBytes > MAX_MERGED_BYTES;
  if (isTooLarge && !isSmall) return { ok: false, ...sizeRejection(rootBytes, calls.length) };
  return { ok: true, batch: { calls, root, sentAt, mergedBytes } };
}

function rootOf(body: JsonObject): BatchRoot {
  return {
    context: (body["context"] ?? undefined) as JsonObject | undefined,
    integrations: (body["integrations"] ?? undefined) as JsonObject | undefined,
  };
}

function countRejection(count: number): Rejection | undefined {
  if (count <= MAX_BATCH_CALLS) return undefined;
  return {
    code: "too_many_messages",
    message: `batch has ${count} calls, at most ${MAX_BATCH_CALLS} are allowed`,
  };
}

function rootRejection(body: JsonObject): Rejection | undefined {
  const { context, integrations } = rootOf(body);
  const refused = context === undefined && integrations === undefined ? undefined : batchRootRejection(body);
  if (refused !== undefined) return { ...refused, message: `the batch's ${refused.message}` };
  for (const [field, value] of Object.entries({ context, integrations, sentAt: body["sentAt"] })) {
    const fault = jsonFault(value, MAX_CALL_DEPTH - 1);
    if (fault !== undefined) return faultRejection(fault, field, value);
  }
  return undefined;
}

function faultRejection(fault: JsonFault, field: string, value: unknown): Rejection {
  if (fault === "too_deep") {
    const message = `the batch's ${field} may nest at most ${MAX_CALL_DEPTH - 1} levels deep`;
    return { code: "nested_too_deep", message };
  }
  return { code: fault, message: `the batch's ${outOfRange(pathOfInfinity({ [field]: value }))}` };
}

/** The size of all that is written into each call, a `sentAt` of any type included. */
function sizeOf({ context, integrations }: BatchRoot, sentAt: unknown): number {
  if (sentAt !== undefined) return jsonSizeBytes([context, integrations, sentAt]);
  return context === undefined && integrations === undefined ? 0 : jsonSizeBytes([context, integrations]);
}

function sizeRejection(rootBytes: number, count: number): Rejection {
  return {
    code: "message_too_large",
    message: `the batch's context, integrations and sentAt have ${rootBytes} bytes, too many to be merged into ${count} calls`,
  };
}
