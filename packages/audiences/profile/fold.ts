// One call, folded into what its profile keeps.
import { type CallIdentity, isNamedCallType } from "#contract";
import { emptyState, foldIntoLeaf, type ReadCall, rootOf } from "../leaves/leaf.ts";
import type { Computation } from "./computation.ts";
import type { ComputationSet, LeafUse } from "./computation-set.ts";
import { MAX_TRAITS, type Profile, type ProfileTrait } from "./profile.ts";
import { eventBytes, leafBytes, traitBytes } from "./size.ts";

/** Names of which a profile keeps the count; calls of further names are folded, but not counted by name. */
const MAX_EVENT_NAMES = 200;
const TRAITS = ["traits"];

export interface ProfileCall extends CallIdentity, ReadCall {
  readonly type: string;
  /** The event of a track, the name of a page or screen. */
  readonly name: string | null;
  readonly timestampMs: number;
}

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

function countEvent({ profile, call, atMs }: Folding, name: string): void {
  const key = `${call.type} ${name}`;
  const known = profile.events.get(key);
  if (known !== undefined) {
    known.count += 1;
    known.firstMs = Math.min(known.firstMs, atMs);
    known.lastMs = Math.max(known.lastMs, atMs);
  } else if (profile.events.size < MAX_EVENT_NAMES) {
    profile.events.set(key, { type: call.type, name, count: 1, firstMs: atMs, lastMs: atMs });
    profile.sizeBytes += eventBytes(name);
  }
}

function foldLeaf(use: LeafUse, { profile, call, atMs, nowMs, touched }: Folding): void {
  const { plan, computations, fromOffset } = use;
  if (profile.appliedOffset < fromOffset) return;
  const known = profile.leaves.get(plan.leaf.key);
  const state = known ?? emptyState(plan);
  const before = known === undefined ? 0 : leafBytes(known);
  if (!foldIntoLeaf(plan, state, { atMs, call, nowMs })) return;
  if (known === undefined) profile.leaves.set(plan.leaf.key, state);
  profile.sizeBytes += leafBytes(state) - before;
  for (const computation of computations) touched.add(computation);
}

/** Whether `other` is to stand instead of `kept`: the newest write wins, of two at the same time the later one. */
function wins(other: ProfileTrait, kept: ProfileTrait | undefined): boolean {
  if (kept === undefined || other.atMs !== kept.atMs) return kept === undefined || other.atMs > kept.atMs;
  return other.receivedAtMs >= kept.receivedAtMs;
}

/** Sets one top-level trait. A profile that has as many as it may have takes no new one, and is frozen. */
export function setTrait(profile: Profile, key: string, trait: ProfileTrait): boolean {
  const kept = profile.traits.get(key);
  if (!wins(trait, kept)) return false;
  if (kept === undefined && profile.traits.size >= MAX_TRAITS) {
    profile.isFrozen = true;
    return false;
  }
  profile.sizeBytes += traitBytes(key, trait) - (kept === undefined ? 0 : traitBytes(key, kept));
  profile.traits.set(key, trait);
  return true;
}

function foldTraits({ profile, call, set, atMs, touched }: Folding): void {
  const { traits } = rootOf(call, TRAITS);
  if (typeof traits !== "object" || traits === null) return;
  for (const [key, value] of Object.entries(traits)) {
    if (!setTrait(profile, key, { value, atMs, receivedAtMs: call.receivedAtMs })) continue;
    for (const computation of set.traits.get(key) ?? []) touched.add(computation);
  }
}

/** Changes the profile; names in `touched` what the call may have changed. */
export function foldCall(folding: Folding): void {
  const { call, set } = folding;
  const { name, type } = call;
  if (type === "identify") foldTraits(folding);
  if (!isNamedCallType(type) || name === null) return;
  countEvent(folding, name);
  for (const use of set.events[type].get(name) ?? []) foldLeaf(use, folding);
}
