// One call, folded into what its profile keeps.
import { isNamedCallType } from "#contract";
import { emptyState, foldIntoLeaf, rootOf } from "../leaves/leaf.ts";
import type { Computation } from "./computation.ts";
import type { ComputationSet, LeafUse } from "./computation-set.ts";
import type { ProfileCall } from "./event.ts";
import { traitsTypeOf } from "./identity.ts";
import { noteLeftOut } from "./incomplete.ts";
import {
  type EventSummary,
  MAX_EVENT_NAMES,
  MAX_PROFILE_BYTES,
  MAX_TRAITS,
  moreUncounted,
  type Profile,
  type ProfileTrait,
  UNCOUNTED,
} from "./profile.ts";
import { makeRoomOnce, type Room } from "./room.ts";
import { counts } from "./seed.ts";
import { eventBytes, leafBytes, traitBytes } from "./size.ts";

/** From this size on unique takes no further values: what else a profile counts needs the rest. */
export const VALUES_MAX_BYTES = (MAX_PROFILE_BYTES * 3) / 4;
const TRAITS = ["traits"];

/** A call at its moment: `atMs` is its event time, `nowMs` when it is folded. */
export interface Folding {
  readonly profile: Profile;
  readonly call: ProfileCall;
  readonly set: ComputationSet;
  readonly atMs: number;
  readonly nowMs: number;
  /** What is to be evaluated after it. */
  readonly touched: Set<Computation>;
}

/** Adds calls of one name to the counts. One without room is left out, and then each further one: a part of its calls would pass for all. */
export function countEvents(profile: Profile, counted: EventSummary): void {
  const { count, firstMs, lastMs, name, type } = counted;
  const key = `${type} ${name}`;
  const known = profile.events.get(key);
  if (known !== undefined) {
    known.count += count;
    known.firstMs = Math.min(known.firstMs, firstMs);
    known.lastMs = Math.max(known.lastMs, lastMs);
  } else if (
    profile.uncounted !== UNCOUNTED.names &&
    profile.events.size < MAX_EVENT_NAMES &&
    profile.sizeBytes + eventBytes(name) <= MAX_PROFILE_BYTES
  ) {
    // What is merged comes from an event that may be read again.
    profile.events.set(key, { ...counted });
    profile.sizeBytes += eventBytes(name);
  } else profile.uncounted = moreUncounted(profile.uncounted, UNCOUNTED.names);
}

function foldLeaf(use: LeafUse, { profile, call, set, atMs, nowMs, touched }: Folding): void {
  const { plan, computations, fromOffset } = use;
  if (profile.appliedOffset < fromOffset || !counts(plan.leaf, profile.id)) return;
  const known = profile.leaves.get(plan.leaf.key);
  const state = known ?? emptyState(plan);
  const before = known === undefined ? 0 : leafBytes(known);
  const hasRoom = profile.sizeBytes < VALUES_MAX_BYTES;
  if (!foldIntoLeaf(plan, state, { atMs, call, nowMs, hasRoom })) return;
  if (known === undefined) profile.leaves.set(plan.leaf.key, state);
  profile.sizeBytes += leafBytes(state) - before;
  for (const computation of computations) touched.add(computation);
  if ("isOverflowing" in state && state.isOverflowing) noteLeftOut(profile, computations, set);
}

/** Whether `other` is to stand instead of `kept`: the newest write wins, of two at the same time the later one. */
function wins(other: ProfileTrait, kept: ProfileTrait | undefined): boolean {
  if (kept === undefined || other.atMs !== kept.atMs) return kept === undefined || other.atMs > kept.atMs;
  return other.receivedAtMs >= kept.receivedAtMs;
}

/** Lets go of the removed trait that has been removed longest. False when there is none. */
function dropRemoved(profile: Profile): boolean {
  let oldest: readonly [string, ProfileTrait] | undefined;
  for (const [key, trait] of profile.traits)
    if (trait.value === null && trait.atMs < (oldest?.[1].atMs ?? Number.POSITIVE_INFINITY))
      oldest = [key, trait];
  if (oldest === undefined) return false;
  const [key, trait] = oldest;
  profile.sizeBytes -= traitBytes(key, trait);
  return profile.traits.delete(key);
}

/** Sets one top-level trait. One for which there is no room is left out. */
export function setTrait(profile: Profile, key: string, trait: ProfileTrait, room: Room): boolean {
  const kept = profile.traits.get(key);
  if (!wins(trait, kept)) return false;
  const bytes = traitBytes(key, trait) - (kept === undefined ? 0 : traitBytes(key, kept));
  const isOneTooMany = kept === undefined && profile.traits.size >= MAX_TRAITS && !dropRemoved(profile);
  const isTooLarge = bytes > 0 && profile.sizeBytes + bytes > MAX_PROFILE_BYTES;
  if (isOneTooMany || (isTooLarge && !makeRoomOnce(profile, room, bytes))) {
    noteLeftOut(profile, room.set.traits.get(key) ?? [], room.set);
    return false;
  }
  profile.sizeBytes += bytes;
  profile.traits.set(key, trait);
  return true;
}

function foldTraits({ profile, call, set, atMs, nowMs, touched }: Folding): void {
  const { traits } = rootOf(call, TRAITS);
  if (typeof traits !== "object" || traits === null) return;
  const room = { set, nowMs, touched };
  for (const [given, value] of Object.entries(traits)) {
    // The profile's record has no halves of surrogate pairs: read again, it would have the trait under another name.
    const key = given.toWellFormed();
    if (!setTrait(profile, key, { value, atMs, receivedAtMs: call.receivedAtMs }, room)) continue;
    for (const computation of set.traits.get(key) ?? []) touched.add(computation);
  }
}

/** Changes the profile; names in `touched` what the call may have changed. */
export function foldCall(folding: Folding): void {
  const { atMs, call, profile, set } = folding;
  const { name, type } = call;
  if (type === traitsTypeOf(profile.id)) foldTraits(folding);
  if (!isNamedCallType(type) || name === null) return;
  countEvents(profile, { type, name, count: 1, firstMs: atMs, lastMs: atMs });
  for (const use of set.events[type].get(name) ?? []) foldLeaf(use, folding);
}
