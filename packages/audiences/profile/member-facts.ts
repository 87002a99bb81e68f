// What an account keeps of what it learns about its members (accounts.ts).
import { emptyState } from "../leaves/leaf.ts";
import { setMember } from "../leaves/values.ts";
import type { LeafUse } from "./computation-set.ts";
import type { MemberFact } from "./event.ts";
import { VALUES_MAX_BYTES } from "./fold.ts";
import { noteLeftOut } from "./incomplete.ts";
import { isFull, type Profile } from "./profile.ts";
import { makeRoom, type Room } from "./room.ts";
import { counts } from "./seed.ts";
import { leafBytes } from "./size.ts";

/** False when the account is full: then it takes nothing, which is noted. */
export function foldMember(profile: Profile, fact: MemberFact, room: Room): boolean {
  const { set } = room;
  const hasRoom = !isFull(profile) || makeRoom(profile, room);
  for (const [key, uses] of set.events.member)
    for (const use of uses)
      if (hasRoom) foldFact(profile, { ...fact, isMember: fact.audienceKeys.includes(key) }, use, room);
      else noteLeftOut(profile, use.computations, set);
  return hasRoom;
}

function foldFact(
  profile: Profile,
  fact: Parameters<typeof setMember>[1],
  { computations, fromOffset, plan }: LeafUse,
  { set, touched }: Room,
): void {
  if (profile.appliedOffset < fromOffset || !counts(plan.leaf, profile.id)) return;
  const known = profile.leaves.get(plan.leaf.key);
  const state = known ?? emptyState(plan);
  const before = known === undefined ? 0 : leafBytes(known);
  if (state.kind !== "values") return;
  setMember(state, fact, plan, profile.sizeBytes < VALUES_MAX_BYTES);
  profile.leaves.set(plan.leaf.key, state);
  profile.sizeBytes += leafBytes(state) - before;
  for (const computation of computations) touched.add(computation);
  if (state.isOverflowing) noteLeftOut(profile, computations, set);
}

/** As if the account were told just now. */
export function learnMember(
  profile: Profile,
  fact: MemberFact,
  { nowMs, set }: Pick<Room, "nowMs" | "set">,
): void {
  foldMember(profile, fact, { set, nowMs, touched: new Set() });
}
