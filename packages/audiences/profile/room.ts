// Room in a profile that is as large as it may be (docs/use/audiences.md, "Limits"). What is asked for least goes first.
import { cutValues, JOINING_STEPS, joinBuckets, pruneLeaf } from "../leaves/shrink.ts";
import { shortenTold } from "./accounts.ts";
import type { Computation } from "./computation.ts";
import type { ComputationSet } from "./computation-set.ts";
import { noteLeftOut } from "./incomplete.ts";
import { MAX_PROFILE_BYTES, type Profile } from "./profile.ts";
import { leafBytes, profileBytes } from "./size.ts";

/** What makes room is done for some calls at once: it looks at the whole profile. */
const ROOMY_BYTES = (MAX_PROFILE_BYTES * 7) / 8;

export interface Room {
  readonly set: ComputationSet;
  readonly nowMs: number;
  /** What is to be evaluated, because a leaf may come to another value. */
  readonly touched: Set<Computation>;
  /** There was none when it was looked for: it is not looked for again for each of many traits. */
  isSpent?: boolean;
}

export function makeRoomOnce(profile: Profile, room: Room, bytes: number): boolean {
  if (room.isSpent !== true && makeRoom(profile, room, bytes)) return true;
  room.isSpent = true;
  return false;
}

/**
 * Drops states that nobody asks for and what is over; joins buckets; leaves out values of unique. Stops as soon as there is room for some calls.
 * True when the profile, with `bytes` more, is no larger than it may be.
 */
export function makeRoom(profile: Profile, room: Room, bytes = 0): boolean {
  dropUnused(profile, room);
  const isRoomy = (): boolean => profile.sizeBytes + bytes <= ROOMY_BYTES;
  for (const parts of JOINING_STEPS) {
    if (isRoomy()) return true;
    joinAll(profile, room, parts);
  }
  if (profile.sizeBytes + bytes > MAX_PROFILE_BYTES)
    cutAll(profile, room, profile.sizeBytes + bytes - ROOMY_BYTES);
  return profile.sizeBytes + bytes <= MAX_PROFILE_BYTES;
}

/** Results stay: members of an audience that is deleted may have to leave it first. */
function dropUnused(profile: Profile, { nowMs, set }: Room): void {
  const { backfilled, leaves } = profile;
  for (const [key, state] of leaves) {
    const use = set.leaves.get(key);
    if (use === undefined) leaves.delete(key);
    else pruneLeaf(state, use.plan, nowMs);
  }
  for (const key of backfilled.keys()) if (!set.leaves.has(key)) backfilled.delete(key);
  shortenTold(profile);
  profile.sizeBytes = profileBytes(profile);
}

function joinAll(profile: Profile, { set, touched }: Room, parts: number): void {
  for (const [key, state] of profile.leaves) {
    const use = set.leaves.get(key);
    if (use === undefined) continue;
    const before = leafBytes(state);
    if (!joinBuckets(state, use.plan, parts)) continue;
    profile.sizeBytes += leafBytes(state) - before;
    for (const computation of use.computations) touched.add(computation);
  }
}

/** Of the largest ones first. */
function cutAll(profile: Profile, { set, touched }: Room, bytes: number): void {
  const wantedBytes = profile.sizeBytes - bytes;
  const bySize = [...profile.leaves].sort(([, a], [, b]) => leafBytes(b) - leafBytes(a));
  for (const [key, state] of bySize) {
    if (profile.sizeBytes <= wantedBytes) return;
    if (state.kind !== "values") continue;
    const before = leafBytes(state);
    if (!cutValues(state, profile.sizeBytes - wantedBytes, leafBytes)) continue;
    profile.sizeBytes += leafBytes(state) - before;
    const { computations = [] } = set.leaves.get(key) ?? {};
    for (const computation of computations) touched.add(computation);
    noteLeftOut(profile, computations, set);
  }
}
