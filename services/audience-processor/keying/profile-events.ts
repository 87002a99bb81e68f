// Which profile a call belongs to, which profiles it merges into that one, and which account it counts for, too.
import { accountProfileId, mergedBy, profileIdOf } from "#audiences";
import { hasPreviousId, isJsonObject, isNamedCallType, type JsonObject, SPACE_SOURCE } from "#contract";
import { type Call, type ProfileEventCall, type ProfileEventRecord, profileEvent } from "#topics";

export interface KeyedEvent {
  readonly profileId: string;
  readonly event: ProfileEventRecord;
}

const NO_BODY = Buffer.from("{}");

function textAt(body: Buffer, field: string): string | null {
  const value = (JSON.parse(body.toString()) as Record<string, unknown>)[field];
  return typeof value === "string" ? value : null;
}

function eventCall(call: Call, groupId: string | undefined): ProfileEventCall {
  const { anonymousId, body, event, messageId, receivedAtMs, sourceId, timestampMs, type, userId } = call;
  const isNamed = isNamedCallType(type);
  return {
    type,
    name: event ?? (isNamed ? textAt(body, "name") : null),
    userId,
    anonymousId,
    previousId: hasPreviousId(type) ? textAt(body, "previousId") : null,
    sourceId,
    messageId,
    timestampMs,
    receivedAtMs,
    // Of other calls it is enough that they were there.
    body: isNamed || type === "identify" ? body : NO_BODY,
    groupId: groupId ?? null,
  };
}

/**
 * What a call is to profiles: nothing, or a call of its own profile and a release for each that it may merge into it. Whether such a one was
 * merged before is known where its state is: a release that comes again changes nothing there. With `hasAccounts` also a call of the account that it
 * names.
 */
export function profileEventsOf(call: Call, hasAccounts = false): KeyedEvent[] {
  if (call.sourceId === SPACE_SOURCE || call.type === "delete") return [];
  const groupId = hasAccounts ? groupIdOf(call) : undefined;
  const folded = eventCall(call, groupId);
  const profileId = profileIdOf(folded);
  if (profileId === undefined) return [];
  const events = releasesOf(folded);
  events.push({ profileId, event: profileEvent("call", { call: folded }) });
  if (groupId === undefined) return events;
  const ofAccount = { ...folded, body: bodyForAccount(call) };
  return [
    ...events,
    { profileId: accountProfileId(groupId), event: profileEvent("call", { call: ofAccount }) },
  ];
}

const GROUP_ID = Buffer.from('"groupId"');

/**
 * The account that the call counts for: a group call names it, any other one may in its context, which ingest does not look into. Most name none, and
 * are not parsed.
 */
function groupIdOf({ body, type }: Call): string | undefined {
  if (!body.includes(GROUP_ID)) return undefined;
  const call = JSON.parse(body.toString()) as JsonObject;
  const named = type === "group" ? call : call["context"];
  const groupId = isJsonObject(named) ? named["groupId"] : undefined;
  // In Kafka's UTF-8 ids that differ only in halves of surrogate pairs would be one account.
  const isId = typeof groupId === "string" && groupId !== "" && groupId.isWellFormed();
  return isId ? groupId : undefined;
}

/** Its traits are those of group calls. */
function bodyForAccount({ body, type }: Call): Buffer {
  return isNamedCallType(type) || type === "group" ? body : NO_BODY;
}

/** A release for each profile that the call may merge into its own. */
export function releasesOf(call: ProfileEventCall): KeyedEvent[] {
  const releaseTo = profileIdOf(call);
  if (releaseTo === undefined) return [];
  const linkedAtMs = Math.min(call.timestampMs, call.receivedAtMs);
  return mergedBy(call).map((profileId) => {
    return { profileId, event: profileEvent("release", { releaseTo, linkedAtMs }) };
  });
}
