// One record of profile-events on its profile: what changes, and what is passed on.
import {
  applyEvent,
  type ComputationSet,
  type Outcome,
  type Profile,
  type ProfileEvent,
  seedLeaves,
} from "#audiences";
import type { OutgoingRecord, Received } from "#kafka";
import type { ProcessorRecords } from "../records.ts";
import type { Happening } from "./event.ts";

/** Two aliases that name each other send an event in a circle until both merges are done. */
const MAX_HOPS = 100;

export interface Applied {
  readonly outcome: Outcome;
  readonly passedOn: OutgoingRecord | undefined;
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
    if (name === null || (type !== "track" && type !== "page" && type !== "screen")) return;
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
  }: {
    readonly set: ComputationSet;
    readonly watermarkMs: number;
    readonly nowMs: number;
    readonly records: Pick<ProcessorRecords, "profileEvent">;
  },
): Applied {
  const { event, record: written } = record.decoded;
  seed(profile, event, set);
  const moment = { offset: record.offset, nowMs: judgedAt(record, watermarkMs, nowMs) };
  const outcome = applyEvent(profile, event, set, moment);
  // The first link stays: a release of what was merged already is over.
  if (outcome !== "redirected" || event.kind === "release") return { outcome, passedOn: undefined };
  if (written.hops >= MAX_HOPS)
    throw new Error("an event goes from one merged profile to the other for ever");
  const passedOn = records.profileEvent(profile.redirectTo ?? "", { ...written, hops: written.hops + 1 });
  return { outcome, passedOn };
}

/** Of a profile that may be deleted or merged. */
export function membersOf({ results }: Profile): string[] {
  const ids: string[] = [];
  for (const [id, { text }] of results) if (text === "true") ids.push(id);
  return ids;
}
