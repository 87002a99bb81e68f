// The profile as its Avro record (schemas/profile.avsc); the record's key is the profile's id.
import { parseExactJson } from "#contract";
import type { ProfileState } from "#topics";
import { isAnonymous } from "./identity.ts";
import { leafFromRecord, leafToRecord } from "./leaf-record.ts";
import {
  createProfile,
  isFull,
  MAX_EVENT_NAMES,
  moreUncounted,
  type Profile,
  UNCOUNTED,
  type Uncounted,
} from "./profile.ts";
import { hashesFromBytes, hashesToBytes } from "./recent-calls.ts";
import { findNextDeadline } from "./settle.ts";
import { profileBytes } from "./size.ts";

// Field by field, here and below, because spreads and callbacks take several times as long, and each call writes a whole profile.
function resultsOf({ results }: Profile): ProfileState["results"] {
  const records: ProfileState["results"] = [];
  for (const [computationId, { deadlineMs: due, generation, seq, sinceMs, text }] of results) {
    const deadlineMs = due === Number.POSITIVE_INFINITY ? null : due;
    records.push({ computationId, text, seq, sinceMs, generation, deadlineMs });
  }
  return records;
}

function traitsOf({ traits }: Profile): ProfileState["traits"] {
  const records: ProfileState["traits"] = [];
  for (const [key, { atMs, receivedAtMs, value }] of traits)
    records.push({ key, value: JSON.stringify(value), atMs, receivedAtMs });
  return records;
}

function eventsOf({ events }: Profile): ProfileState["events"] {
  const records: ProfileState["events"] = [];
  for (const { count, firstMs, lastMs, name, type } of events.values())
    records.push({ type, name, count, firstMs, lastMs });
  return records;
}

function leavesOf({ leaves }: Profile): ProfileState["leaves"] {
  const records: ProfileState["leaves"] = [];
  for (const [key, state] of leaves) records.push(leafToRecord(key, state));
  return records;
}

/** Holds nothing of the profile itself, which may change at once. */
export function profileToRecord(profile: Profile): ProfileState {
  return {
    incarnation: profile.incarnation,
    appliedOffset: profile.appliedOffset,
    version: profile.version,
    nextDeadlineMs: Number.isFinite(profile.nextDeadlineMs) ? profile.nextDeadlineMs : null,
    judgedAtMs: profile.judgedAtMs,
    isFrozen: isFull(profile),
    redirectTo: profile.redirectTo ?? null,
    deletedAtMs: profile.deletedAtMs ?? null,
    recentCalls: hashesToBytes(profile.recentCalls),
    traits: traitsOf(profile),
    events: eventsOf(profile),
    leaves: leavesOf(profile),
    lists: [...profile.lists],
    backfilled: Array.from(profile.backfilled, ([leafKey, toOffset]) => ({ leafKey, toOffset })),
    results: resultsOf(profile),
    outbox: profile.outbox.map((flip) => ({ ...flip, toAccount: flip.toAccount ?? "" })),
    outboxOffset: profile.outboxOffset ?? null,
    changedUntilMs: profile.changedUntilMs,
    linkedAtMs: profile.linkedAtMs ?? null,
    suppressions: [...profile.suppressions],
    incompleteFor: [...profile.incompleteFor],
    uncounted: profile.uncounted,
    seenAtMs: profile.seenAtMs,
    forgottenTo: profile.forgottenTo,
    moves: [...profile.moves],
    accounts: Array.from(profile.accounts, ([groupId, { told, toldAtMs }]) => {
      return { groupId, told: [...told], toldAtMs };
    }),
  };
}

function fillMaps(profile: Profile, record: ProfileState): void {
  for (const { atMs, key, receivedAtMs, value } of record.traits)
    profile.traits.set(key, { value: parseExactJson(value), atMs, receivedAtMs });
  for (const { count, firstMs, lastMs, name, type } of record.events)
    profile.events.set(`${type} ${name}`, { type, name, count, firstMs, lastMs });
  for (const leaf of record.leaves) {
    const state = leafFromRecord(leaf);
    if (state !== undefined) profile.leaves.set(leaf.key, state);
  }
  for (const list of record.lists) profile.lists.add(list);
  for (const { groupId, told, toldAtMs } of record.accounts)
    profile.accounts.set(groupId, { told, toldAtMs });
  for (const { leafKey, toOffset } of record.backfilled) profile.backfilled.set(leafKey, toOffset);
  for (const { computationId, deadlineMs, generation, seq, sinceMs, text } of record.results) {
    const due = deadlineMs ?? Number.POSITIVE_INFINITY;
    profile.results.set(computationId, { text, seq, sinceMs, generation, deadlineMs: due });
  }
}

/** A version before said nothing of it. */
export function uncountedOf({ events }: Pick<Profile, "events">, written: number): Uncounted {
  return moreUncounted(written, events.size >= MAX_EVENT_NAMES ? UNCOUNTED.names : UNCOUNTED.nothing);
}

/** A version before said nothing of it: the profile was judged at its last call, or later. */
export function seenAtOf({ id, judgedAtMs }: Pick<Profile, "id" | "judgedAtMs">, writtenMs: number): number {
  return writtenMs === 0 && isAnonymous(id) ? judgedAtMs : writtenMs;
}

/** The profile that was written under this id. */
export function profileFromRecord(id: string, record: ProfileState): Profile {
  const profile = createProfile(id, record.incarnation);
  profile.appliedOffset = record.appliedOffset;
  profile.version = record.version;
  profile.judgedAtMs = record.judgedAtMs;
  profile.recentCalls = hashesFromBytes(record.recentCalls);
  profile.outbox = record.outbox.map(({ toAccount, ...flip }) =>
    toAccount === "" ? flip : { ...flip, toAccount },
  );
  profile.outboxOffset = record.outboxOffset ?? undefined;
  profile.redirectTo = record.redirectTo ?? undefined;
  profile.deletedAtMs = record.deletedAtMs ?? undefined;
  profile.changedUntilMs = record.changedUntilMs;
  profile.linkedAtMs = record.linkedAtMs ?? undefined;
  if (record.incompleteFor.length > 0) profile.incompleteFor = new Set(record.incompleteFor);
  profile.incompleteBefore = profile.incompleteFor;
  if (record.suppressions.length > 0) profile.suppressions = record.suppressions;
  fillMaps(profile, record);
  profile.uncounted = uncountedOf(profile, record.uncounted);
  profile.seenAtMs = seenAtOf(profile, record.seenAtMs);
  profile.forgottenTo = record.forgottenTo;
  if (record.moves.length > 0) profile.moves = record.moves;
  profile.sizeBytes = profileBytes(profile);
  findNextDeadline(profile);
  return profile;
}
