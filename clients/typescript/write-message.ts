// A call becomes the JSON of its message, or the reason why it is not accepted.
import { refused } from "./acceptance.ts";
import { nestsDeeperThan } from "./encoding.ts";
import type { Host } from "./host.ts";
import { MAX_MESSAGE_DEPTH, MAX_MESSAGE_ID_CHARACTERS } from "./limits.ts";
import type { CallType } from "./messages.ts";

interface Shape {
  /** Texts, in the order in which they are sent. */
  readonly texts: readonly string[];
  readonly required: readonly string[];
  /** Whether userId or anonymousId must be there. */
  readonly needsSomeone: boolean;
  readonly objects: readonly string[];
}

const PERSON = ["userId", "anonymousId"];
const AROUND = ["context", "integrations"];
const VIEW = [...PERSON, "category", "name"];

/** The order of fields is the one of clients/vectors. */
const SHAPES: Readonly<Record<CallType, Shape>> = {
  identify: { texts: PERSON, required: [], needsSomeone: true, objects: ["traits", ...AROUND] },
  track: {
    texts: [...PERSON, "event"],
    required: ["event"],
    needsSomeone: true,
    objects: ["properties", ...AROUND],
  },
  page: { texts: VIEW, required: ["userId"], needsSomeone: false, objects: ["properties", ...AROUND] },
  screen: { texts: VIEW, required: [], needsSomeone: true, objects: ["properties", ...AROUND] },
  group: {
    texts: [...PERSON, "groupId"],
    required: ["groupId"],
    needsSomeone: true,
    objects: ["traits", ...AROUND],
  },
  alias: {
    texts: ["userId", "previousId"],
    required: ["userId", "previousId"],
    needsSomeone: false,
    objects: AROUND,
  },
};

/** What a message has, by name. */
export type Fields = Readonly<Record<string, unknown>>;

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is wrong with a message's id or time. */
function commonProblem({ messageId, timestamp }: Fields): string | undefined {
  if (!isAbsent(messageId)) {
    if (typeof messageId !== "string") return "messageId must be a text";
    if (messageId.length > MAX_MESSAGE_ID_CHARACTERS && [...messageId].length > MAX_MESSAGE_ID_CHARACTERS)
      return "messageId has more than 100 characters";
  }
  if (isAbsent(timestamp) || typeof timestamp === "string") return undefined;
  const isDate = timestamp instanceof Date && !Number.isNaN(timestamp.getTime());
  return isDate ? undefined : "timestamp must be a text or a valid Date";
}

function problem(shape: Shape, fields: Fields): string | undefined {
  for (const name of shape.texts) {
    const value = fields[name];
    if (!isAbsent(value) && typeof value !== "string") return `${name} must be a text`;
  }
  for (const name of shape.required) if (isAbsent(fields[name])) return `${name} is required`;
  if (shape.needsSomeone && isAbsent(fields["userId"]) && isAbsent(fields["anonymousId"]))
    return "userId or anonymousId is required";
  for (const name of shape.objects) {
    const value = fields[name];
    if (value !== undefined && value !== null && !isObject(value)) return `${name} must be an object`;
  }
  return commonProblem(fields);
}

function timeOf(timestamp: unknown, host: Pick<Host, "nowMs">): string {
  if (timestamp instanceof Date) return timestamp.toISOString();
  return isAbsent(timestamp) ? new Date(host.nowMs()).toISOString() : String(timestamp);
}

export type Written =
  | { readonly ok: true; readonly messageId: string; readonly message: Fields; readonly json: string }
  | ReturnType<typeof refused>;

/** Checks a call and writes its message. Never throws, whatever the caller gave. */
export function writeMessage(type: CallType, given: unknown, host: Pick<Host, "nowMs" | "newId">): Written {
  if (!isObject(given)) return refused("field_wrong", `${type}: the message must be an object`);
  try {
    const fields = given as Fields;
    const shape = SHAPES[type];
    const wrong = problem(shape, fields);
    if (wrong !== undefined) return refused("field_wrong", `${type}: ${wrong}`);
    const messageId = isAbsent(fields["messageId"]) ? host.newId() : String(fields["messageId"]);
    const message: Record<string, unknown> = {
      type,
      messageId,
      timestamp: timeOf(fields["timestamp"], host),
    };
    for (const name of shape.texts) if (!isAbsent(fields[name])) message[name] = fields[name];
    for (const name of shape.objects) message[name] = fields[name] ?? undefined;
    const json = JSON.stringify(message);
    return nestsDeeperThan(json, MAX_MESSAGE_DEPTH)
      ? refused("nested_too_deep", `${type}: nests deeper than ${MAX_MESSAGE_DEPTH} levels`)
      : { ok: true, messageId, message, json };
  } catch (error) {
    return refused("not_json", `${type}: cannot be written as JSON: ${String(error)}`);
  }
}
