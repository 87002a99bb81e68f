// The way in which a record of profile-events changes a profile; the passing of time is in judging.ts.
import { leaveAccounts, noteNamed, tellAccounts } from "./accounts.ts";
import { eventTimeOf, isBackfilled, isOfDeleted } from "./backfill.ts";
import type { Computation } from "./computation.ts";
import type { ComputationSet } from "./computation-set.ts";
import type { MemberFact, Moment, Outcome, ProfileCall, ProfileEvent } from "./event.ts";
import { isUse, noteUse } from "./expiry.ts";
import { foldCall } from "./fold.ts";
import { noteCallLeftOut, noteLeftOut } from "./incomplete.ts";
import { advance, conclude, evaluate, judgeAt } from "./judging.ts";
import { endLink, isEndedLink, linkAgain, standAgain } from "./link.ts";
import { foldMember } from "./member-facts.ts";
import { absorb, mergeOf, rememberMerge } from "./merge.ts";
import { emptyProfile, forgetResults, isFull, type Profile } from "./profile.ts";
import { knowsCall, rememberCall } from "./recent-calls.ts";
import { makeRoom } from "./room.ts";
import { findNextDeadline, settle } from "./settle.ts";
import { profileBytes } from "./size.ts";
import { isSilenced, isSuppressedIn, setSuppression } from "./suppression.ts";

/** Begins the record of a user who comes back after a deletion. */
function beginAnew(profile: Profile, offset: number): void {
  if (profile.deletedAtMs !== undefined && profile.judgedAtMs === 0) profile.incarnation = offset;
}

function applyCall(profile: Profile, call: ProfileCall, set: ComputationSet, moment: Moment): Outcome {
  const nowMs = Math.max(profile.judgedAtMs, moment.nowMs);
  if (isOfDeleted(profile, call)) return "deleted";
  if (isSuppressedIn(profile, call.sourceId)) return "suppressed";
  const touched = new Set<Computation>();
  if (isFull(profile) && !makeRoom(profile, { set, nowMs, touched })) {
    noteCallLeftOut(profile, call, set);
    return "frozen";
  }
  if (!rememberCall(profile, call)) return "duplicate";
  beginAnew(profile, moment.offset);
  const isNew = profile.judgedAtMs === 0;
  const atMs = eventTimeOf(call, nowMs);
  // What ended before the call happened has ended; what ends between the call and now may be prolonged by it.
  if (atMs >= profile.nextDeadlineMs) advance(profile, set, atMs);
  foldCall({ profile, call, set, atMs, nowMs: judgeAt(profile, nowMs), touched });
  if (!noteNamed(profile, call)) noteLeftOut(profile, set.told, set);
  conclude(profile, touched, set, { isNew, nowMs: profile.judgedAtMs });
  return "applied";
}

/** An account learns of a member. */
function applyMember(profile: Profile, fact: MemberFact, set: ComputationSet, moment: Moment): Outcome {
  const isNew = profile.judgedAtMs === 0;
  const room = { set, nowMs: judgeAt(profile, moment.nowMs), touched: new Set<Computation>() };
  if (!foldMember(profile, fact, room)) return "frozen";
  conclude(profile, room.touched, set, { isNew, nowMs: room.nowMs });
  return "applied";
}

function applyMerge(profile: Profile, moved: Profile, set: ComputationSet, moment: Moment): Outcome {
  const isPart = isBackfilled(moved);
  const whole = mergeOf(profile, moved);
  // A part of what was merged before is from before, too: nothing finds it again.
  const isFromBefore = isPart && knowsCall(profile, whole);
  // A merge that was of no account stays so, with each part that is found later, when the user is not suppressed any more.
  const refused = { ...whole, sourceId: "refused merge" };
  if (knowsCall(profile, refused)) return "suppressed";
  if (isSilenced(profile) && !isFromBefore) {
    if (!isPart) rememberCall(profile, refused);
    return "suppressed";
  }
  // What was linked to the user before the deletion was deleted with the user. One that was passed on has a later link.
  const { linkedAtMs } = moved;
  if (moment.passedByLinkMs === undefined && linkedAtMs !== undefined && isEndedLink(profile, linkedAtMs))
    return "deleted";
  // Merged before the user was deleted: it was deleted with the user. A link that passes it on is of after that, or it would be unlinked.
  const isPassedOn = moment.passedByLinkMs !== undefined;
  if (isPart && !isPassedOn && profile.deletedAtMs !== undefined && !isFromBefore) return "deleted";
  if (!rememberMerge(profile, moved, set)) return "duplicate";
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
  if (isSilenced(profile)) return "suppressed";
  beginAnew(profile, moment.offset);
  const isNew = profile.judgedAtMs === 0;
  if (isMember) profile.lists.add(listId);
  else profile.lists.delete(listId);
  const list = set.computations.get(listId);
  const touched = new Set<Computation>(list === undefined ? [] : [list]);
  conclude(profile, touched, set, { isNew, nowMs: judgeAt(profile, moment.nowMs) });
  return "applied";
}

/** The state stays until the other profile has it: `completeRelease` removes it then. Nothing more is sent of this id. */
function applyRelease(
  profile: Profile,
  { linkedAtMs, to }: ProfileEvent & { readonly kind: "release" },
): Outcome {
  if (linkedAtMs !== undefined && isEndedLink(profile, linkedAtMs)) return "deleted";
  if (isSilenced(profile)) return "suppressed";
  profile.redirectTo = to;
  profile.linkedAtMs = linkedAtMs;
  forgetResults(profile);
  leaveAccounts(profile, profile.accounts);
  profile.lists.clear();
  profile.nextDeadlineMs = Number.POSITIVE_INFINITY;
  profile.sizeBytes = profileBytes(profile);
  return "applied";
}

/** No `false` is sent; what is in the outbox is not sent any more either (contract 5.3). */
function applyDelete(profile: Profile, atMs: number): Outcome {
  const accounts = new Map(profile.accounts);
  emptyProfile(profile);
  profile.deletedAtMs = Math.max(profile.deletedAtMs ?? atMs, atMs);
  // Receivers drop what is not later than it, also where this process's clock is behind.
  profile.changedUntilMs = Math.max(profile.changedUntilMs, profile.deletedAtMs);
  leaveAccounts(profile, accounts);
  profile.accounts.clear();
  profile.sizeBytes = 0;
  return "applied";
}

/**
 * A user who was merged into this one is deleted. What each of them has done cannot be told apart, so all of it goes. No `delete` names this one:
 * receivers learn by differences that it has left.
 */
function applyDeleteOfMerged(profile: Profile, atMs: number, set: ComputationSet, moment: Moment): Outcome {
  const [lists, outbox, results] = [[...profile.lists], profile.outbox, [...profile.results]];
  const steps = [...profile.steps];
  const nowMs = Math.max(profile.judgedAtMs, moment.nowMs);
  applyDelete(profile, atMs);
  if (results.length === 0 && lists.length === 0) return "applied";
  for (const id of lists) profile.lists.add(id);
  for (const [id, result] of results) profile.results.set(id, result);
  profile.steps = steps;
  profile.outbox = [...outbox, ...profile.outbox.filter((flip) => !outbox.includes(flip))];
  profile.sizeBytes = profileBytes(profile);
  settle(profile, set.computations.values(), judgeAt(profile, nowMs));
  findNextDeadline(profile);
  return "applied";
}

/** What was missed is made up for once nothing is suppressed any more: then differences are sent, as after a pause. */
function applySuppression(
  profile: Profile,
  event: ProfileEvent & { readonly kind: "suppress" },
  set: ComputationSet,
  moment: Moment,
): Outcome {
  const isMerged = profile.redirectTo !== undefined;
  if (!setSuppression(profile, event, moment.offset) && isMerged) return "already_applied";
  if (isMerged) return "applied";
  findNextDeadline(profile);
  evaluate(profile, set.computations.values(), moment.nowMs);
  return "applied";
}

/** Of a merged profile everything is the other one's but whether it is suppressed; its deletion is both's. */
function applyMerged(profile: Profile, event: ProfileEvent, set: ComputationSet, moment: Moment): Outcome {
  if (event.kind === "suppress") return applySuppression(profile, event, set, moment);
  if (event.kind === "release") {
    const outcome = linkAgain(profile, event);
    // Calls that carry both ids say no more of this one than that.
    if (outcome === "applied") noteUse(profile, moment.nowMs);
    return outcome;
  }
  if (event.kind === "delete") {
    profile.deletedAtMs = Math.max(profile.deletedAtMs ?? event.atMs, event.atMs);
    return "redirected";
  }
  // What was linked to the user before the deletion went with it, and is not passed on to whom the user was linked since.
  const { linkedAtMs = Infinity } = event.kind === "merge" ? event.moved : {};
  if (isEndedLink(profile, linkedAtMs)) return "deleted";
  const isDropped =
    event.kind === "call" ? isSuppressedIn(profile, event.call.sourceId) : isSilenced(profile);
  return isDropped ? "suppressed" : "redirected";
}

function applyNew(profile: Profile, event: ProfileEvent, set: ComputationSet, moment: Moment): Outcome {
  switch (event.kind) {
    case "call":
      return applyCall(profile, event.call, set, moment);
    case "merge":
      return applyMerge(profile, event.moved, set, moment);
    case "release":
      return applyRelease(profile, event);
    case "delete":
      return moment.passedByLinkMs === undefined
        ? applyDelete(profile, event.atMs)
        : applyDeleteOfMerged(profile, event.atMs, set, moment);
    case "suppress":
      return applySuppression(profile, event, set, moment);
    case "member":
      return applyMember(profile, event, set, moment);
    default:
      return applyList(profile, event, set, moment);
  }
}

/** Two aliases named each other, and what the profile was released with has come back to it. */
function isOwnState({ id }: Profile, event: ProfileEvent): boolean {
  return event.kind === "merge" && event.moved.id === id;
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
  const { passedByLinkMs } = moment;
  endLink(profile, moment);
  // Before all else: it is given back each time that it is read.
  if (passedByLinkMs !== undefined && isEndedLink(profile, passedByLinkMs)) return "unlinked";
  // The first link holds still.
  if (passedByLinkMs !== undefined && event.kind === "release") return "already_applied";
  // What came before the release went with the state: passed on, it would be counted again.
  if (moment.offset <= profile.appliedOffset) return "already_applied";
  // The offset stays: an event of a merged profile is passed on, each time that it is read.
  if (profile.redirectTo !== undefined && !isOwnState(profile, event))
    return applyMerged(profile, event, set, moment);
  profile.appliedOffset = moment.offset;
  if (profile.redirectTo !== undefined) standAgain(profile, moment.offset);
  const outcome = applyNew(profile, event, set, moment);
  tellAccounts(profile, set.told);
  if (outcome === "applied" && isUse(event)) noteUse(profile, moment.nowMs);
  return outcome;
}

/** After the survivor has the state of a released profile: what is left is where to find it. */
export function completeRelease(profile: Profile): void {
  const { outbox } = profile;
  emptyProfile(profile);
  profile.outbox = outbox;
}
