// Profiles of anonymous ids that nobody uses any more (docs/use/audiences.md, "Identity"). One goes in two steps: it is
// emptied, and its members leave; a while later its record is removed. So nothing that was sent of it, or is written late, meets a profile that
// knows nothing of it.
import { UNITS_MS } from "#contract";
import type { ComputationSet } from "./computation-set.ts";
import type { ProfileEvent } from "./event.ts";
import { isAnonymous } from "./identity.ts";
import { emptyProfile, type Profile } from "./profile.ts";
import { leaveAudience } from "./retire.ts";
import { profileBytes } from "./size.ts";

/** An emptied profile stays as long as routers know message ids, or the retention where that is shorter. */
const EMPTIED_KEPT_MS = UNITS_MS.d;

/** When a merged profile was used is noted by quarters of the retention: by the profile itself, and by who says links (key-calls.ts). */
const QUARTERS = 4;
const LINK_QUARTERS = QUARTERS + 2;

export interface ExpiryMoment {
  /** All calls that came before are folded, Unix ms. */
  readonly nowMs: number;
  readonly retentionMs: number;
  /** The group has committed so far: no event below comes again. */
  readonly committedTo: number;
  /** First offset that is in the log. */
  readonly logStart: number;
}

/** What has become of a profile; whatever is not `kept` has to be written, or removed. */
export type Expiry =
  | "kept"
  /** A version before has written it: from now on it is known when it was seen. */
  | "noted"
  /** All that it knew is forgotten, and its members leave. */
  | "emptied"
  /** Its record is to be removed. */
  | "removed"
  /** As `removed`: it said only into whom it was merged. */
  | "unlinked";

/** How far what is noted of a merged profile may be behind; Infinity where nothing goes. */
export function noteEveryMs(retentionMs: number): number {
  return retentionMs / QUARTERS;
}

/** Whether the event shows that somebody uses the id. */
export function isUse({ kind }: ProfileEvent): boolean {
  return kind === "call" || kind === "release";
}

/** The anonymous id was used; false, and nothing is noted, where it is known to be so already, but for `everyMs`. */
export function noteUse(profile: Profile, nowMs: number, everyMs = 1): boolean {
  if (!isAnonymous(profile.id) || nowMs - profile.seenAtMs < everyMs) return false;
  profile.seenAtMs = nowMs;
  return true;
}

/** Offset of the first call that counts for an anonymous profile: what came before it was forgotten, with a profile of before too. */
export function countsFromOf({ forgottenTo, id, incarnation }: Profile): number {
  return isAnonymous(id) ? Math.max(forgottenTo, incarnation) : 0;
}

/** Changes the profile in place; what its members are sent is in its outbox. */
export function expire(profile: Profile, set: ComputationSet, moment: ExpiryMoment): Expiry {
  if (!isAnonymous(profile.id) || !isAtRest(profile, moment)) return "kept";
  if (profile.seenAtMs === 0) {
    profile.seenAtMs = moment.nowMs;
    return "noted";
  }
  if (profile.redirectTo !== undefined) return isLinkOver(profile, moment) ? "unlinked" : "kept";
  if (moment.nowMs < profile.seenAtMs + moment.retentionMs) return "kept";
  if (profile.judgedAtMs === 0) return isEmptyLongEnough(profile, moment) ? "removed" : "kept";
  if (!mayLeave(profile, set)) return "kept";
  empty(profile, set, moment);
  return "emptied";
}

/** Nothing of it is under way, and nothing that it has folded comes again. */
function isAtRest({ appliedOffset, outbox, suppressions }: Profile, { committedTo }: ExpiryMoment): boolean {
  return outbox.length === 0 && suppressions.length === 0 && appliedOffset < committedTo;
}

/** While calls from before the merge are in the log, a backfill gives them to the surviving profile by this one. */
function isLinkOver({ appliedOffset, judgedAtMs, seenAtMs }: Profile, moment: ExpiryMoment): boolean {
  const { logStart, nowMs, retentionMs } = moment;
  const isGiven = judgedAtMs === 0 && appliedOffset < logStart;
  return isGiven && nowMs >= seenAtMs + (LINK_QUARTERS * retentionMs) / QUARTERS;
}

function isEmptyLongEnough({ changedUntilMs, deletedAtMs = 0 }: Profile, moment: ExpiryMoment): boolean {
  const { nowMs, retentionMs } = moment;
  const keptMs = Math.min(EMPTIED_KEPT_MS, retentionMs);
  return nowMs >= changedUntilMs + keptMs && nowMs >= deletedAtMs + retentionMs;
}

/** Of what is paused, prepared or deleted nothing is sent: a member of it waits until that is over. */
function mayLeave({ results }: Profile, { computations }: ComputationSet): boolean {
  for (const [id, { text }] of results)
    if (text === "true" && computations.get(id)?.state !== "live") return false;
  return true;
}

/** What was sent stays numbered: a call that comes before the record is removed sends `true` as the next change. */
function empty(profile: Profile, set: ComputationSet, { committedTo, nowMs }: ExpiryMoment): void {
  const atMs = Math.max(profile.judgedAtMs, nowMs);
  for (const id of profile.results.keys()) {
    const audience = set.computations.get(id);
    if (audience !== undefined) leaveAudience(profile, audience, atMs);
  }
  const sent = [...profile.results].filter(([, { seq }]) => seq > 0);
  const { outbox } = profile;
  emptyProfile(profile);
  profile.backfilled.clear();
  profile.outbox = outbox;
  for (const [id, result] of sent)
    profile.results.set(id, { ...result, deadlineMs: Number.POSITIVE_INFINITY });
  profile.changedUntilMs = Math.max(profile.changedUntilMs, atMs);
  profile.deletedAtMs = undefined;
  profile.forgottenTo = committedTo;
  profile.sizeBytes = profileBytes(profile);
}
