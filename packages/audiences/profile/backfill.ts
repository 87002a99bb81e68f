// Calls from before a leaf was there: counted from the log into states of their own, which are then added to what has been counted since.
import { emptyState, foldIntoLeaf, mergeStates } from "../leaves/leaf.ts";
import type { LeafState } from "../leaves/state.ts";
import type { LeafUse } from "./computation-set.ts";
import type { ProfileCall } from "./event.ts";
import { isFull, type Profile } from "./profile.ts";
import { leafBytes, profileBytes } from "./size.ts";

/** Event times before the year 1 count as that: the record's numbers end at 2^52. */
const EARLIEST_MS = -62_135_596_800_000;

/** When the call happened: not after its receipt, and not after now. */
export function eventTimeOf(
  { receivedAtMs, timestampMs }: Pick<ProfileCall, "receivedAtMs" | "timestampMs">,
  nowMs: number,
): number {
  return Math.max(EARLIEST_MS, Math.min(timestampMs, receivedAtMs, nowMs));
}

/** What a stretch of the log says of one profile, by leaf key. */
export type PastStates = Map<string, LeafState>;

export interface PastMoment {
  readonly atMs: number;
  /** What is over by then is not kept. The profile is not judged at an earlier moment any more. */
  readonly nowMs: number;
}

export function foldPast(states: PastStates, call: ProfileCall, { plan }: LeafUse, moment: PastMoment): void {
  const { key } = plan.leaf;
  const state = states.get(key) ?? emptyState(plan);
  if (foldIntoLeaf(plan, state, { ...moment, call })) states.set(key, state);
}

/**
 * Whether the call belongs to the user before the deletion: by the call's own times, which are those of ingest and of the caller. This
 * process's clock may be behind them, and behind the deletion's moment.
 */
export function isOfDeleted(
  { deletedAtMs }: Pick<Profile, "deletedAtMs">,
  { receivedAtMs, timestampMs }: Pick<ProfileCall, "receivedAtMs" | "timestampMs">,
): boolean {
  return deletedAtMs !== undefined && Math.min(timestampMs, receivedAtMs) <= deletedAtMs;
}

/** Whether the call is of no account: the profile takes none any more, or it is of a deleted user. */
export function isPassedOver(
  profile: Pick<Profile, "deletedAtMs" | "sizeBytes">,
  call: Pick<ProfileCall, "receivedAtMs" | "timestampMs">,
): boolean {
  return isFull(profile) || isOfDeleted(profile, call);
}

/**
 * Adds what was counted of the log up to `toOffset`, and notes that: so what is read again after a crash is known. The states become the
 * profile's. Of a merged profile they wait, as at its release, to be given to the surviving one.
 */
export function addPast(
  profile: Profile,
  states: PastStates,
  {
    nowMs,
    toOffset,
    uses,
  }: { readonly uses: readonly LeafUse[]; readonly toOffset: number; readonly nowMs: number },
): void {
  for (const { plan } of uses) {
    const { key } = plan.leaf;
    const state = states.get(key);
    if (state === undefined) continue;
    const own = profile.leaves.get(key);
    if (own !== undefined) mergeStates(plan, state, own, nowMs);
    profile.leaves.set(key, state);
    profile.backfilled.set(key, toOffset);
    profile.sizeBytes += leafBytes(state) - (own === undefined ? 0 : leafBytes(own));
  }
  if (profile.redirectTo !== undefined) profile.judgedAtMs = Math.max(profile.judgedAtMs, nowMs);
}

/** Whether a merged profile brings only what a backfill has found of it. */
export function isBackfilled({ backfilled, events, traits }: Profile): boolean {
  return backfilled.size > 0 && events.size === 0 && traits.size === 0;
}

/** Lets the leaf begin anew. True when there was something. */
export function forgetLeaf(profile: Profile, key: string): boolean {
  const hadState = profile.leaves.delete(key);
  const wasBackfilled = profile.backfilled.delete(key);
  if (hadState) profile.sizeBytes = profileBytes(profile);
  return hadState || wasBackfilled;
}
