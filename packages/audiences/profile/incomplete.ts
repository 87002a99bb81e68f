// Of which audiences and computed traits a profile has left something out, for want of room (docs/use/audiences.md, "Limits").
import { isNamedCallType } from "#contract";
import type { Computation } from "./computation.ts";
import { type ComputationSet, type LeafUse, withNaming } from "./computation-set.ts";
import type { ProfileCall } from "./event.ts";
import { isAnonymous, subjectOf, traitsTypeOf } from "./identity.ts";
import { NOTHING_LEFT_OUT, type Profile, UNCOUNTED } from "./profile.ts";
import { isUnknown } from "./seed.ts";

/** An account has what is of accounts alone, a user what is of users. Of an anonymous profile computed traits say nothing, nor do most audiences. */
export function mayHave(
  { definition, includeAnonymous }: Pick<Computation, "definition" | "includeAnonymous">,
  { id }: Pick<Profile, "id">,
): boolean {
  const of = definition.kind === "list" ? "users" : definition.of;
  if (subjectOf(id) !== of) return false;
  return !isAnonymous(id) || (includeAnonymous && definition.kind === "audience");
}

/** Notes that something was left out which these ask for, and those that name them. */
export function noteLeftOut(
  profile: Profile,
  computations: Iterable<Computation>,
  { naming }: Pick<ComputationSet, "naming">,
): void {
  const { incompleteFor } = profile;
  const found = new Set<Computation>();
  for (const one of computations) if (mayHave(one, profile) && !incompleteFor.has(one.id)) found.add(one);
  if (found.size === 0) return;
  const ids = Array.from(withNaming(found, naming)).filter((one) => mayHave(one, profile));
  profile.incompleteFor = new Set([...incompleteFor, ...ids.map(({ id }) => id)]);
}

/** A full profile does not take the call. */
export function noteCallLeftOut(
  profile: Profile,
  { body, name, type }: ProfileCall,
  set: ComputationSet,
): void {
  profile.uncounted = UNCOUNTED.calls;
  if (type === traitsTypeOf(profile.id)) {
    const { traits } = body;
    for (const key of Object.keys(typeof traits === "object" && traits !== null ? traits : {}))
      noteLeftOut(profile, set.traits.get(key) ?? [], set);
  } else if (isNamedCallType(type) && name !== null)
    for (const { computations } of set.events[type].get(name) ?? []) noteLeftOut(profile, computations, set);
}

/**
 * Notes of leaves that are new what the profile has left out of them already. Returns the computations that ask for calls which may have come, and of
 * which it knows nothing.
 */
export function noteMissing(
  profile: Profile,
  uses: Iterable<LeafUse>,
  set: ComputationSet,
): Set<Computation> {
  const unknown = new Set<Computation>();
  for (const { computations, plan } of uses) {
    const state = profile.leaves.get(plan.leaf.key);
    const isOverflowing = state !== undefined && "isOverflowing" in state && state.isOverflowing;
    if (isOverflowing) noteLeftOut(profile, computations, set);
    if (isUnknown(profile, plan)) for (const one of computations) if (mayHave(one, profile)) unknown.add(one);
  }
  noteLeftOut(profile, unknown, set);
  return unknown.size === 0 ? unknown : withNaming(unknown, set.naming);
}

/** Of what is not there any more nothing is said. */
export function forgetIncomplete(profile: Profile, isKept: (id: string) => boolean): void {
  const kept = [...profile.incompleteFor].filter(isKept);
  if (kept.length === profile.incompleteFor.size) return;
  profile.incompleteFor = kept.length === 0 ? NOTHING_LEFT_OUT : new Set(kept);
}
