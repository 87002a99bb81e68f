// A profile that was merged into another one: how that ends, and what is said of it again.
import type { Moment, Outcome, ProfileEvent } from "./event.ts";
import { emptyProfile, type Profile } from "./profile.ts";

/** Whether a call that merged a profile into this one, or this one into another, is of the user before the deletion. */
export function isEndedLink({ deletedAtMs }: Profile, linkedAtMs: number): boolean {
  return deletedAtMs !== undefined && linkedAtMs <= deletedAtMs;
}

/** With an event that comes back the merge is over: with the surviving profile all was deleted that this one had given. */
export function endLink(profile: Profile, { endedAtMs, offset }: Moment): void {
  const isOver = endedAtMs !== undefined && (profile.linkedAtMs ?? 0) <= endedAtMs;
  if (!isOver || profile.redirectTo === undefined || offset <= profile.appliedOffset) return;
  standAgain(profile, offset);
  profile.deletedAtMs = Math.max(profile.deletedAtMs ?? endedAtMs, endedAtMs);
}

/** The same link again, maybe after a deletion that has ended the one before. Another one is for the surviving profile to judge. */
export function linkAgain(
  profile: Profile,
  { linkedAtMs = 0, to }: ProfileEvent & { readonly kind: "release" },
): Outcome {
  if (to !== profile.redirectTo) return "redirected";
  if (linkedAtMs <= (profile.linkedAtMs ?? 0)) return "already_applied";
  profile.linkedAtMs = linkedAtMs;
  return "applied";
}

/** It is nobody else's any more. Its changes are numbered anew, so it has another incarnation. */
export function standAgain(profile: Profile, offset: number): void {
  emptyProfile(profile);
  profile.redirectTo = undefined;
  profile.linkedAtMs = undefined;
  profile.incarnation = offset;
}
