// The only way in which a profile changes: one record of profile-events, or the passing of time.
import { eventTimeOf, isBackfilled, isOfDeleted } from "./backfill.ts";
import type { Computation, ComputationSet } from "./computation-set.ts";
import { foldCall, type ProfileCall } from "./fold.ts";
import { absorb } from "./merge.ts";
import { emptyProfile, MAX_PROFILE_BYTES, type Profile } from "./profile.ts";
import { type CallIdentity, knowsCall, rememberCall } from "./recent-calls.ts";
import { dueComputations, settle } from "./settle.ts";
import { profileBytes } from "./size.ts";

/** What can happen to a profile. */
export type ProfileEvent =
  | { readonly kind: "call"; readonly call: ProfileCall }
  /** Another profile is merged into this one. */
  | { readonly kind: "merge"; readonly moved: Profile }
  /** This profile is merged into another one. */
  | { readonly kind: "release"; readonly to: string }
  /** The user was deleted (contract 5.3). */
  | { readonly kind: "delete"; readonly atMs: number }
  /** An import has put the user on a list, or taken him off it (contract 8.6). */
  | {
      readonly kind: "list";
      readonly listId: string;
      readonly isMember: boolean;
      /** When the list was uploaded. */
      readonly atMs?: number;
    };

/** Why an event has changed nothing, or that it was applied. */
export type Outcome =
  | "applied"
  /** Its offset is in the state already: it was read again. */
  | "already_applied"
  /** The profile was merged into `redirectTo`, to which the event belongs now. */
  | "redirected"
  /** The call, or the uploaded list, is older than the user's deletion. */
  | "deleted"
  | "frozen"
  /** A copy of a call that counts already (contract 1.8). */
  | "duplicate";

export interface Moment {
  readonly offset: number;
  /** The partition's watermark, Unix ms. */
  readonly nowMs: number;
}

/** For a profile time never goes back. */
function judgeAt(profile: Profile, nowMs: number): number {
  profile.judgedAtMs = Math.max(profile.judgedAtMs, nowMs);
  return profile.judgedAtMs;
}

/** Evaluates what has changed, what is due, and of a new profile what holds for those who did nothing. */
function conclude(
  profile: Profile,
  touched: Set<Computation>,
  set: ComputationSet,
  { isNew, nowMs }: { isNew: boolean; nowMs: number },
): void {
  if (isNew) for (const computation of set.whenEmpty) touched.add(computation);
  for (const computation of dueComputations(profile, set, nowMs)) touched.add(computation);
  settle(profile, touched, nowMs);
  if (profile.sizeBytes > MAX_PROFILE_BYTES) profile.isFrozen = true;
}

/** Begins the record of a user who comes back after a deletion. */
function beginAnew(profile: Profile, offset: number): void {
  if (profile.deletedAtMs !== undefined && profile.judgedAtMs === 0) profile.incarnation = offset;
}

function applyCall(profile: Profile, call: ProfileCall, set: ComputationSet, moment: Moment): Outcome {
  const nowMs = Math.max(profile.judgedAtMs, moment.nowMs);
  if (isOfDeleted(profile, call)) return "deleted";
  if (profile.isFrozen) return "frozen";
  if (!rememberCall(profile, call)) return "duplicate";
  beginAnew(profile, moment.offset);
  const isNew = profile.judgedAtMs === 0;
  const atMs = eventTimeOf(call, nowMs);
  // What ended before the call happened has ended; what ends between the call and now may be prolonged by it.
  if (atMs >= profile.nextDeadlineMs) advance(profile, set, atMs);
  const touched = new Set<Computation>();
  foldCall({ profile, call, set, atMs, nowMs: judgeAt(profile, nowMs), touched });
  conclude(profile, touched, set, { isNew, nowMs: profile.judgedAtMs });
  return "applied";
}

/** The merge itself, and each part that a backfill finds later, counts once. */
function mergeOf(profile: Profile, { backfilled, id, incarnation }: Profile, isPart: boolean): CallIdentity {
  const parts = isPart ? Array.from(backfilled, ([leafKey, toOffset]) => `${leafKey} ${toOffset}`) : [];
  const messageId = [id, incarnation, ...parts.sort()].join(" ");
  return { sourceId: "merge", messageId, userId: profile.id, anonymousId: null };
}

function applyMerge(profile: Profile, moved: Profile, set: ComputationSet, moment: Moment): Outcome {
  const isPart = isBackfilled(moved);
  // Merged before the user was deleted: it was deleted with the user.
  if (isPart && profile.deletedAtMs !== undefined && !knowsCall(profile, mergeOf(profile, moved, false)))
    return "deleted";
  if (!rememberCall(profile, mergeOf(profile, moved, isPart))) return "duplicate";
  beginAnew(profile, moment.offset);
  const isNew = profile.judgedAtMs === 0;
  const nowMs = judgeAt(profile, Math.max(moment.nowMs, moved.judgedAtMs));
  conclude(profile, absorb(profile, moved, set, nowMs), set, { isNew, nowMs });
  return "applied";
}

function applyList(
  profile: Profile,
  { atMs, isMember, listId }: ProfileEvent & { kind: "list" },
  set: ComputationSet,
  moment: Moment,
): Outcome {
  if (atMs !== undefined && profile.deletedAtMs !== undefined && atMs <= profile.deletedAtMs)
    return "deleted";
  beginAnew(profile, moment.offset);
  const isNew = profile.judgedAtMs === 0;
  if (isMember) profile.lists.add(listId);
  else profile.lists.delete(listId);
  const list = set.computations.get(listId);
  const touched = new Set<Computation>(set.lists.get(listId));
  if (list !== undefined) touched.add(list);
  conclude(profile, touched, set, { isNew, nowMs: judgeAt(profile, moment.nowMs) });
  return "applied";
}

/** The state stays until the other profile has it: `completeRelease` removes it then. Nothing more is sent of this id. */
function applyRelease(profile: Profile, to: string): Outcome {
  profile.redirectTo = to;
  profile.results.clear();
  profile.lists.clear();
  profile.nextDeadlineMs = Number.POSITIVE_INFINITY;
  profile.sizeBytes = profileBytes(profile);
  return "applied";
}

/** No `false` is sent; what is in the outbox is not sent any more either (contract 5.3). */
function applyDelete(profile: Profile, atMs: number): Outcome {
  emptyProfile(profile);
  profile.deletedAtMs = Math.max(profile.deletedAtMs ?? atMs, atMs);
  return "applied";
}

function applyNew(profile: Profile, event: ProfileEvent, set: ComputationSet, moment: Moment): Outcome {
  switch (event.kind) {
    case "call":
      return applyCall(profile, event.call, set, moment);
    case "merge":
      return applyMerge(profile, event.moved, set, moment);
    case "release":
      return applyRelease(profile, event.to);
    case "delete":
      return applyDelete(profile, event.atMs);
    default:
      return applyList(profile, event, set, moment);
  }
}

/** Two aliases named each other, and what the profile was released with has come back to it. */
function isOwnState({ id }: Profile, event: ProfileEvent): boolean {
  return event.kind === "merge" && event.moved.id === id;
}

/** It is nobody else's any more. Its changes are numbered anew, so it has another incarnation. */
function standAgain(profile: Profile, offset: number): void {
  emptyProfile(profile);
  profile.redirectTo = undefined;
  profile.incarnation = offset;
}

/**
 * Applies one record of profile-events. Changes the profile in place; values that have changed are appended to its outbox, to be sent once
 * the profile is durable. An event that was read again changes nothing.
 */
export function applyEvent(
  profile: Profile,
  event: ProfileEvent,
  set: ComputationSet,
  moment: Moment,
): Outcome {
  // What came before the release went with the state: passed on, it would be counted again.
  if (moment.offset <= profile.appliedOffset) return "already_applied";
  // The offset stays: an event of a merged profile is passed on, each time that it is read.
  if (profile.redirectTo !== undefined && !isOwnState(profile, event)) return "redirected";
  profile.appliedOffset = moment.offset;
  if (profile.redirectTo !== undefined) standAgain(profile, moment.offset);
  return applyNew(profile, event, set, moment);
}

/** What the passing of time has changed. To be called when the watermark has reached `nextDeadlineMs`; earlier it changes nothing. */
export function advance(profile: Profile, set: ComputationSet, nowMs: number): void {
  const judgedAtMs = judgeAt(profile, nowMs);
  settle(profile, dueComputations(profile, set, judgedAtMs), judgedAtMs);
}

/** Evaluates these computations, whatever has happened: the first sync, an edit, a resume. Only differences go to the outbox. */
export function evaluate(profile: Profile, computations: Iterable<Computation>, nowMs: number): void {
  if (profile.redirectTo === undefined && profile.judgedAtMs > 0)
    settle(profile, computations, judgeAt(profile, nowMs));
}

/** After the survivor has the state of a released profile: what is left is where to find it. */
export function completeRelease(profile: Profile): void {
  const { outbox } = profile;
  emptyProfile(profile);
  profile.outbox = outbox;
}
