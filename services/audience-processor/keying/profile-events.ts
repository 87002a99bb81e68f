// Which profile a call belongs to, and which profiles it merges into that one.
import { mergedBy, profileIdOf } from "#audiences";
import { hasPreviousId, isNamedCallType, SPACE_SOURCE } from "#contract";
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

function eventCall(call: Call): ProfileEventCall {
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
  };
}

/**
 * What a call is to profiles: nothing, or a call of its own profile and a release for each that it may merge into it. Whether such a one was
 * merged before is known where its state is: a release that comes again changes nothing there.
 */
export function profileEventsOf(call: Call): KeyedEvent[] {
  if (call.sourceId === SPACE_SOURCE || call.type === "delete") return [];
  const folded = eventCall(call);
  const profileId = profileIdOf(folded);
  if (profileId === undefined) return [];
  const events = releasesOf(folded);
  events.push({ profileId, event: profileEvent("call", { call: folded }) });
  return events;
}

/** A release for each profile that the call may merge into its own. */
export function releasesOf(call: ProfileEventCall): KeyedEvent[] {
  const releaseTo = profileIdOf(call);
  if (releaseTo === undefined) return [];
  const linkedAtMs = Math.min(call.timestampMs, call.receivedAtMs);
  return mergedBy(call, () => undefined).map((profileId) => {
    return { profileId, event: profileEvent("release", { releaseTo, linkedAtMs }) };
  });
}
