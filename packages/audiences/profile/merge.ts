// An anonymous profile into its user's, or by an alias a user's into another's: as if all calls had carried the survivor's id.
import type { CallIdentity } from "#contract";
import { emptyState, mergeStates } from "../leaves/leaf.ts";
import { noteAccount } from "./accounts.ts";
import { isBackfilled } from "./backfill.ts";
import type { Computation } from "./computation.ts";
import type { ComputationSet } from "./computation-set.ts";
import { countEvents, setTrait } from "./fold.ts";
import { noteLeftOut, noteMissing } from "./incomplete.ts";
import { moreUncounted, type Profile, type ProfileTrait } from "./profile.ts";
import { joinCalls, knowsCall, rememberCall } from "./recent-calls.ts";
import { profileBytes } from "./size.ts";

/** Of two writes at the same time the survivor's own stays. */
function isNewer(moved: ProfileTrait, kept: ProfileTrait | undefined): boolean {
  if (kept === undefined || moved.atMs !== kept.atMs) return kept === undefined || moved.atMs > kept.atMs;
  return moved.receivedAtMs > kept.receivedAtMs;
}

function known(ids: Iterable<string>, { computations }: ComputationSet): Computation[] {
  return [...ids].flatMap((id) => computations.get(id) ?? []);
}

/**
 * Takes what `moved` keeps of its calls into `profile`, and names what is to be evaluated. Lists, results and outbox stay behind: they are
 * the other id's.
 */
export function absorb(
  profile: Profile,
  moved: Profile,
  set: ComputationSet,
  nowMs: number,
): Set<Computation> {
  const touched = new Set<Computation>();
  const room = { set, nowMs, touched };
  for (const [key, trait] of moved.traits) {
    if (!isNewer(trait, profile.traits.get(key)) || !setTrait(profile, key, trait, room)) continue;
    for (const computation of set.traits.get(key) ?? []) touched.add(computation);
  }
  for (const counted of moved.events.values()) countEvents(profile, counted);
  for (const [key, state] of moved.leaves) {
    const use = set.leaves.get(key);
    if (use === undefined) continue;
    const own = profile.leaves.get(key) ?? emptyState(use.plan);
    mergeStates(use.plan, own, state, nowMs);
    profile.leaves.set(key, own);
    for (const computation of use.computations) touched.add(computation);
  }
  for (const groupId of moved.accounts.keys())
    if (!noteAccount(profile, groupId)) noteLeftOut(profile, set.told, set);
  profile.uncounted = moreUncounted(profile.uncounted, moved.uncounted);
  noteMissing(profile, set.leaves.values(), set);
  noteLeftOut(profile, known(moved.incompleteFor, set), set);
  profile.recentCalls = joinCalls(moved.recentCalls, profile.recentCalls);
  profile.sizeBytes = profileBytes(profile);
  return touched;
}

/** Under what a merge is known, or the parts of it that a backfill has found later. */
export function mergeOf(
  profile: Profile,
  { id, incarnation }: Profile,
  parts: readonly string[] = [],
): CallIdentity {
  const messageId = [id, incarnation, ...parts.toSorted()].join(" ");
  return { sourceId: "merge", messageId, userId: profile.id, anonymousId: null };
}

/**
 * False when it was counted before. A part is found again, maybe up to the same offset, when its leaf has forgotten it here and has begun anew. So it
 * is known by when it was found, which stays the same when it is sent again, and by the leaf's life here, as another partition may find
 * it in two lives of the leaf for one of this.
 */
export function rememberMerge(profile: Profile, moved: Profile, { leaves }: ComputationSet): boolean {
  if (!isBackfilled(moved)) return rememberCall(profile, mergeOf(profile, moved));
  const parts = Array.from(moved.backfilled, ([leafKey, toOffset]) => `${leafKey} ${toOffset}`);
  // So a version before has remembered it.
  if (knowsCall(profile, mergeOf(profile, moved, parts))) return false;
  const lives = Array.from(moved.leaves.keys(), (key) => `${key} in life ${leaves.get(key)?.life}`);
  const names = [[`found ${moved.judgedAtMs}`], lives].map((more) =>
    mergeOf(profile, moved, [...parts, ...more]),
  );
  if (names.some((name) => knowsCall(profile, name))) return false;
  for (const name of names) rememberCall(profile, name);
  return true;
}
