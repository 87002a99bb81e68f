// The delivered JSON (contract 2.4). One object, stringified once: what JSON.parse reads back from it has the same keys in the
// same order, so the body stays as it is under JSON.stringify(JSON.parse(body)) (contract 2.3). Only keys that look
// like array indexes come before `version`: JSON.parse puts them first in every object, and so does JSON.stringify.
import type { CallType } from "./call-types.ts";
import type { JsonObject } from "./json.ts";
import { formatTimestamp } from "./timestamp.ts";

/** The parts of a body. Fields of `call` that are null count as not given: some SDKs send them so. */
export interface BodyParts {
  readonly type: CallType;
  /** The call as received. */
  readonly call: JsonObject;
  readonly context: JsonObject;
  readonly integrations: JsonObject | undefined;
  readonly messageId: string;
  readonly timestampMs: number;
  readonly receivedAtMs: number;
  /** The timestamp as the caller wrote it, of whatever type. */
  readonly originalTimestamp: unknown;
  readonly sentAt: unknown;
}

interface Layout {
  /** Fields between type and timestamp. */
  readonly head: readonly string[];
  /** The object in the head, `{}` when not given. */
  readonly object?: "properties" | "traits";
  /** Fields after anonymousId, name and category. */
  readonly tail: readonly string[];
  /** Every key that has its place; the caller's other keys follow. */
  readonly placed: ReadonlySet<string>;
}

const PLACED_IN_ALL = [
  "version",
  "type",
  "timestamp",
  "context",
  "anonymousId",
  "name",
  "category",
  "integrations",
  "messageId",
  "originalTimestamp",
  "sentAt",
  "receivedAt",
  // Some SDKs put it into every call; it is never delivered (contract 2.4).
  "writeKey",
];

/** Fields of a call whose values the body may not have: what the server says stands there, or another field's value. */
export const UNDELIVERED = [
  "version",
  "sentAt",
  "originalTimestamp",
  "receivedAt",
  "writeKey",
  "Previous ID",
  "User ID",
] as const;

function layout(head: string[], object?: "properties" | "traits", tail: string[] = []): Layout {
  const spaced = tail.includes("previousId") ? ["Previous ID", "User ID"] : [];
  const placed = new Set([...PLACED_IN_ALL, ...head, ...tail, ...spaced]);
  return { head, tail, placed, ...(object !== undefined && { object }) };
}

const LAYOUTS: Readonly<Record<CallType, Layout>> = {
  page: layout(["userId", "properties"], "properties"),
  screen: layout(["userId", "name"], undefined, ["properties"]),
  identify: layout(["userId", "traits"], "traits"),
  track: layout(["userId", "event", "properties"], "properties"),
  alias: layout([], undefined, ["previousId", "userId"]),
  group: layout(["groupId", "userId", "traits"], "traits"),
};

type Body = Record<string, unknown>;

function put(body: Body, key: string, value: unknown): void {
  if (value !== null && value !== undefined) body[key] = value;
}

/** An id that is empty counts as not given too, as it does for the rules (contract 1.5). */
function putId(body: Body, key: "userId" | "anonymousId", value: unknown): void {
  if (value !== "") put(body, key, value);
}

/** Exactly the caller's key and value; assigning to `__proto__` would change the prototype instead. */
function define(body: Body, key: string, value: unknown): void {
  if (key !== "__proto__") body[key] = value;
  else Object.defineProperty(body, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The delivered body of an accepted call. */
export function deliveredBody(parts: BodyParts): string {
  const { type, call } = parts;
  const { head, object, tail, placed } = LAYOUTS[type];
  const body: Body = { version: 1, type };
  for (const field of head) {
    if (field === "userId") putId(body, field, call[field]);
    else put(body, field, call[field] ?? (field === object ? {} : undefined));
  }
  body["timestamp"] = formatTimestamp(parts.timestampMs);
  if (type === "alias") {
    body["Previous ID"] = call["previousId"];
    body["User ID"] = call["userId"];
  }
  body["context"] = parts.context;
  putId(body, "anonymousId", call["anonymousId"]);
  put(body, "name", call["name"]);
  put(body, "category", call["category"]);
  for (const field of tail) put(body, field, call[field]);
  put(body, "integrations", parts.integrations);
  body["messageId"] = parts.messageId;
  put(body, "originalTimestamp", parts.originalTimestamp);
  put(body, "sentAt", parts.sentAt);
  body["receivedAt"] = formatTimestamp(parts.receivedAtMs);
  for (const key in call) if (!placed.has(key)) define(body, key, call[key]);
  return JSON.stringify(body);
}

export interface DeleteParts {
  readonly userId: string;
  readonly timestampMs: number;
  readonly messageId?: string | undefined;
}

/** The delivered body of a deletion: no version, no context (contract 2.4, 5.1). */
export function deleteBody({ userId, timestampMs, messageId }: DeleteParts): string {
  return JSON.stringify({
    type: "delete",
    userId,
    timestamp: formatTimestamp(timestampMs),
    ...(messageId !== undefined && { messageId }),
  });
}
