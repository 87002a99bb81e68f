// The profile as its Avro record (schemas/profile.avsc); the record's key is the profile's id.
import type { ProfileState } from "#topics";
import { leafFromRecord, leafToRecord } from "./leaf-record.ts";
import { createProfile, type Profile } from "./profile.ts";
import { MAX_RECENT_CALLS } from "./recent-calls.ts";
import { findNextDeadline } from "./settle.ts";
import { profileBytes } from "./size.ts";

const HASH_BYTES = 6;

function hashesToBytes(hashes: readonly number[]): Buffer {
  const newest = hashes.slice(-MAX_RECENT_CALLS);
  const bytes = Buffer.allocUnsafe(newest.length * HASH_BYTES);
  newest.forEach((hash, place) => {
    bytes.writeUIntLE(hash, place * HASH_BYTES, HASH_BYTES);
  });
  return bytes;
}

function hashesFromBytes(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / HASH_BYTES) }, (_, place) =>
    bytes.readUIntLE(place * HASH_BYTES, HASH_BYTES),
  );
}

function resultsOf(profile: Profile): ProfileState["results"] {
  return Array.from(profile.results, ([computationId, { deadlineMs, ...result }]) => ({
    computationId,
    ...result,
    deadlineMs: Number.isFinite(deadlineMs) ? deadlineMs : null,
  }));
}

/** Holds nothing of the profile itself, which may change at once. */
export function profileToRecord(profile: Profile): ProfileState {
  return {
    incarnation: profile.incarnation,
    appliedOffset: profile.appliedOffset,
    version: profile.version,
    nextDeadlineMs: Number.isFinite(profile.nextDeadlineMs) ? profile.nextDeadlineMs : null,
    judgedAtMs: profile.judgedAtMs,
    isFrozen: profile.isFrozen,
    redirectTo: profile.redirectTo ?? null,
    deletedAtMs: profile.deletedAtMs ?? null,
    recentCalls: hashesToBytes(profile.recentCalls),
    traits: Array.from(profile.traits, ([key, { atMs, receivedAtMs, value }]) => {
      return { key, value: JSON.stringify(value), atMs, receivedAtMs };
    }),
    events: Array.from(profile.events.values(), (event) => ({ ...event })),
    leaves: Array.from(profile.leaves, ([key, state]) => leafToRecord(key, state)),
    lists: [...profile.lists],
    backfilled: Array.from(profile.backfilled, ([leafKey, toOffset]) => ({ leafKey, toOffset })),
    results: resultsOf(profile),
    outbox: [...profile.outbox],
  };
}

function fillMaps(profile: Profile, record: ProfileState): void {
  for (const { atMs, key, receivedAtMs, value } of record.traits)
    profile.traits.set(key, { value: JSON.parse(value), atMs, receivedAtMs });
  for (const event of record.events) profile.events.set(`${event.type} ${event.name}`, { ...event });
  for (const leaf of record.leaves) {
    const state = leafFromRecord(leaf);
    if (state !== undefined) profile.leaves.set(leaf.key, state);
  }
  for (const list of record.lists) profile.lists.add(list);
  for (const { leafKey, toOffset } of record.backfilled) profile.backfilled.set(leafKey, toOffset);
  for (const { computationId, deadlineMs, generation, seq, sinceMs, text } of record.results) {
    const due = deadlineMs ?? Number.POSITIVE_INFINITY;
    profile.results.set(computationId, { text, seq, sinceMs, generation, deadlineMs: due });
  }
}

/** The profile that was written under this id. */
export function profileFromRecord(id: string, record: ProfileState): Profile {
  const profile: Profile = {
    ...createProfile(id, record.incarnation),
    appliedOffset: record.appliedOffset,
    version: record.version,
    judgedAtMs: record.judgedAtMs,
    recentCalls: hashesFromBytes(record.recentCalls),
    outbox: record.outbox.map((flip) => ({ ...flip })),
    isFrozen: record.isFrozen,
    redirectTo: record.redirectTo ?? undefined,
    deletedAtMs: record.deletedAtMs ?? undefined,
  };
  fillMaps(profile, record);
  profile.sizeBytes = profileBytes(profile);
  findNextDeadline(profile);
  return profile;
}
