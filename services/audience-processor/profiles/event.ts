// A record of profile-events, as it is applied.
import { type ProfileCall, type ProfileEvent, profileFromRecord } from "#audiences";
import { type JsonObject, parseExactJson } from "#contract";
import type { RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { ProfileEventCall, ProfileEventRecord, ProfileState, TopicMap } from "#topics";
import { fieldIn, UNDECIDED } from "./json-field.ts";

/** A decoded record: as it was written, and as it is applied. */
export interface Happening {
  readonly record: ProfileEventRecord;
  readonly event: ProfileEvent;
}

/** No waiting makes it usable: it belongs into the dead letters. */
class UnusableEventError extends Error {
  override readonly name = "UnusableEventError";
  readonly canRetry = false;
}

/** Parses of the body what leaves ask for: most calls touch no leaf, and no leaf asks for all of it. */
class FoldedCall implements ProfileCall {
  readonly #call: ProfileEventCall;
  #body: JsonObject | undefined;
  /** Fields that were asked for. */
  #fields: Record<string, unknown> | undefined;

  constructor(call: ProfileEventCall) {
    this.#call = call;
  }

  get type() {
    return this.#call.type;
  }

  get name() {
    return this.#call.name;
  }

  get userId() {
    return this.#call.userId;
  }

  get anonymousId() {
    return this.#call.anonymousId;
  }

  get sourceId() {
    return this.#call.sourceId;
  }

  get messageId() {
    return this.#call.messageId;
  }

  get timestampMs() {
    return this.#call.timestampMs;
  }

  get receivedAtMs() {
    return this.#call.receivedAtMs;
  }

  get groupId() {
    return this.#call.groupId;
  }

  get body(): JsonObject {
    this.#body ??= parseExactJson(this.#call.body.toString()) as JsonObject;
    return this.#body;
  }

  bodyWith(field: string): JsonObject {
    if (this.#body !== undefined) return this.#body;
    this.#fields ??= {};
    if (Object.hasOwn(this.#fields, field)) return this.#fields;
    const value = fieldIn(this.#call.body, field);
    if (value === UNDECIDED) return this.body;
    this.#fields[field] = value;
    return this.#fields;
  }
}

function simpleEvent(record: ProfileEventRecord): ProfileEvent {
  const { call, deletedAtMs, isMember, isSuppressed, kind, linkedAtMs, listedAtMs, listId, releaseTo } =
    record;
  if (kind === "call" && call !== null) return { kind, call: new FoldedCall(call) };
  if (kind === "release" && releaseTo !== null)
    return { kind, to: releaseTo, ...(linkedAtMs !== null && { linkedAtMs }) };
  if (kind === "delete" && deletedAtMs !== null) return { kind, atMs: deletedAtMs };
  if (kind === "list" && listId !== null && isMember !== null)
    return { kind, listId, isMember, ...(listedAtMs !== null && { atMs: listedAtMs }) };
  if (kind === "member") return memberEvent(record);
  if (kind === "suppress" && isSuppressed !== null)
    return { kind, sourceId: record.suppressedIn, isSuppressed };
  throw unusable(kind);
}

function unusable(kind: string): UnusableEventError {
  return new UnusableEventError(`an event of profiles of kind ${kind} lacks what it needs, or is not known`);
}

function memberEvent({ audienceKeys, kind, memberId, toldAtMs }: ProfileEventRecord): ProfileEvent {
  if (memberId === null || toldAtMs === null) throw unusable(kind);
  return { kind: "member", userId: memberId, audienceKeys, atMs: toldAtMs };
}

function merge(movedId: string, state: ProfileState): ProfileEvent {
  try {
    return { kind: "merge", moved: profileFromRecord(movedId, state) };
  } catch (error) {
    throw new UnusableEventError("the state of a merged profile cannot be read", { cause: error });
  }
}

/** A promise while a writer's schema is not known yet. Throws, or rejects, with an error that cannot be retried when it is no event. */
export function eventDecoder(
  serde: Pick<Serde, "decode">,
  topics: Pick<TopicMap, "profileEvents" | "profiles">,
): (record: RawRecord) => Happening | Promise<Happening> {
  function happening(record: ProfileEventRecord): Happening | Promise<Happening> {
    const { kind, movedId, movedState } = record;
    if (kind !== "merge" || movedId === null || movedState === null)
      return { record, event: simpleEvent(record) };
    const state = serde.decode(topics.profiles, movedState);
    if ("then" in state) return state.then((known) => ({ record, event: merge(movedId, known) }));
    return { record, event: merge(movedId, state) };
  }
  return ({ value }) => {
    const record = serde.decode(topics.profileEvents, value ?? Buffer.alloc(0));
    return "then" in record ? record.then(happening) : happening(record);
  };
}
