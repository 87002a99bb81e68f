// One record of profile-events on its profile: what changes, and what is passed on.
import {
  applyEvent,
  type ComputationSet,
  isOfDeleted,
  isUse,
  noteUse,
  type Outcome,
  type Profile,
  type ProfileEvent,
  seedLeaves,
} from "#audiences";
import { isNamedCallType } from "#contract";
import type { OutgoingRecord, Received } from "#kafka";
import type { ProfileEventRecord } from "#topics";
import { type KeyedEvent, releasesOf } from "../keying/profile-events.ts";
import type { ProcessorRecords } from "../records.ts";
import type { Happening } from "./event.ts";

/** Two aliases that name each other send an event in a circle until both merges are done. */
const MAX_HOPS = 100;

/** The id is in use all the same. */
const TAKES_NOTHING: ReadonlySet<Outcome> = new Set(["redirected", "frozen"]);

export interface Applied {
  readonly outcome: Outcome;
  /** What it says to other profiles. */
  readonly passedOn: readonly OutgoingRecord[];
  /** Whether the profile is to be written. */
  readonly isToWrite: boolean;
}

/** When the event is judged: a call when it was received, what else happens when it was written; never in the future. */
function judgedAt({ decoded, timestampMs }: Received<Happening>, watermarkMs: number, nowMs: number): number {
  const { event } = decoded;
  const atMs = event.kind === "call" ? event.call.receivedAtMs : timestampMs;
  return Math.max(watermarkMs, Math.min(atMs, nowMs));
}

/** A leaf that is new gets what the profile knows of its past before anything is counted into it. */
function seed(profile: Profile, event: ProfileEvent, { events, leaves }: ComputationSet): void {
  if (event.kind === "call") {
    const { name, type } = event.call;
    if (name === null || !isNamedCallType(type)) return;
    seedLeaves(profile, events[type].get(name) ?? []);
  } else if (event.kind === "merge") {
    seedLeaves(profile, leaves.values());
    seedLeaves(event.moved, leaves.values());
  }
}

export function applyHappening(
  profile: Profile,
  record: Received<Happening>,
  {
    set,
    watermarkMs,
    nowMs,
    records,
    noteEveryMs,
  }: {
    readonly set: ComputationSet;
    readonly watermarkMs: number;
    readonly nowMs: number;
    readonly records: Pick<ProcessorRecords, "profileEvent">;
    /** That an anonymous id is used whose profile takes nothing is noted so often. */
    readonly noteEveryMs: number;
  },
): Applied {
  const { event, record: written } = record.decoded;
  seed(profile, event, set);
  const moment = {
    offset: record.offset,
    nowMs: judgedAt(record, watermarkMs, nowMs),
    passedByLinkMs: written.passedBy.at(-1)?.linkedAtMs,
    endedAtMs: written.endedAtMs ?? undefined,
  };
  const outcome = applyEvent(profile, event, set, moment);
  const said = saidToOthers(profile, written, outcome);
  const isNoted = TAKES_NOTHING.has(outcome) && isUse(event) && noteUse(profile, moment.nowMs, noteEveryMs);
  return {
    outcome,
    passedOn: said.map(({ event: one, profileId }) => records.profileEvent(profileId, one)),
    isToWrite: outcome === "applied" || isNoted || isToWrite(profile, record.decoded, outcome),
  };
}

function saidToOthers(profile: Profile, written: ProfileEventRecord, outcome: Outcome): KeyedEvent[] {
  if (outcome === "redirected") return passedOn(profile, written);
  if (outcome === "unlinked") return givenBack(profile, written);
  if (profile.deletedAtMs === undefined || written.call === null) return [];
  // The one that wrote the call may think the link known still, which the deletion has ended. Read again, it may not have been said.
  const isCounted = outcome === "applied" || outcome === "already_applied";
  return isCounted && !isOfDeleted(profile, written.call) ? releasesOf(written.call) : [];
}

/** To the surviving profile. */
function passedOn(
  { id, linkedAtMs = 0, redirectTo = "" }: Profile,
  written: ProfileEventRecord,
): KeyedEvent[] {
  const passedBy = [...written.passedBy, { profileId: id, linkedAtMs }];
  return [
    { profileId: redirectTo, event: { ...written, hops: nextHop(written), passedBy, endedAtMs: null } },
  ];
}

/** To the merged profile, which stands for itself from then on. */
function givenBack({ deletedAtMs }: Profile, written: ProfileEventRecord): KeyedEvent[] {
  const passedBy = written.passedBy.slice(0, -1);
  const profileId = written.passedBy.at(-1)?.profileId ?? "";
  return [
    { profileId, event: { ...written, hops: nextHop(written), passedBy, endedAtMs: deletedAtMs ?? null } },
  ];
}

function nextHop({ hops }: ProfileEventRecord): number {
  if (hops >= MAX_HOPS) throw new Error("an event goes from one merged profile to the other for ever");
  return hops + 1;
}

/**
 * Whether the profile is to be written with an event that it has not taken. Read again, that is not settled before what was written with it is
 * sent. One that it passes on or gives back: behind the state of the merged profile, which may have a copy of the
 * same call; or because of what it has changed on the way.
 */
function isToWrite({ judgedAtMs, outbox }: Profile, { event, record }: Happening, outcome: Outcome): boolean {
  if (outcome === "already_applied") return outbox.length > 0;
  if (outcome !== "redirected" && outcome !== "unlinked") return false;
  return judgedAtMs > 0 || event.kind === "delete" || record.endedAtMs !== null;
}
