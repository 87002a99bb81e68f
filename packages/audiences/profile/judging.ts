// When computations of a profile are evaluated, and as of which moment.
import { tellAccounts } from "./accounts.ts";
import type { Computation } from "./computation.ts";
import { type ComputationSet, withNaming } from "./computation-set.ts";
import { isFull, type Profile } from "./profile.ts";
import { makeRoom } from "./room.ts";
import { dueComputations, settle } from "./settle.ts";

/** For a profile time never goes back. */
export function judgeAt(profile: Profile, nowMs: number): number {
  profile.judgedAtMs = Math.max(profile.judgedAtMs, nowMs);
  return profile.judgedAtMs;
}

/** Evaluates what has changed, what is due, and of a new profile what holds for those who did nothing. */
export function conclude(
  profile: Profile,
  touched: Set<Computation>,
  set: ComputationSet,
  { isNew, nowMs }: { isNew: boolean; nowMs: number },
): void {
  if (isFull(profile)) makeRoom(profile, { set, nowMs, touched });
  withNaming(touched, set.naming);
  if (isNew) for (const computation of set.whenEmpty) touched.add(computation);
  for (const computation of dueComputations(profile, set, nowMs)) touched.add(computation);
  settle(profile, touched, nowMs);
}

/** What the passing of time has changed. To be called when the watermark has reached `nextDeadlineMs`; earlier it changes nothing. */
export function advance(profile: Profile, set: ComputationSet, nowMs: number): void {
  const judgedAtMs = judgeAt(profile, nowMs);
  settle(profile, dueComputations(profile, set, judgedAtMs), judgedAtMs);
  tellAccounts(profile, set.told);
}

/** Evaluates these computations, whatever has happened: the first sync, an edit, a resume. Only differences go to the outbox. */
export function evaluate(profile: Profile, computations: Iterable<Computation>, nowMs: number): void {
  if (profile.redirectTo !== undefined || profile.judgedAtMs === 0) return;
  settle(profile, computations, judgeAt(profile, nowMs));
}

/** Makes room in a profile that has grown otherwise than by a call. What has counted something else by that is evaluated. */
export function keepInRoom(profile: Profile, set: ComputationSet, nowMs: number): void {
  if (!isFull(profile)) return;
  const touched = new Set<Computation>();
  makeRoom(profile, { set, nowMs, touched });
  evaluate(profile, withNaming(touched, set.naming), nowMs);
  tellAccounts(profile, set.told);
}
