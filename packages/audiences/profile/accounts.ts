// Accounts that a user's calls have named, and what they are told: in which audiences the user is that conditions on their members ask about
// (contract 8.10). It waits in the outbox, as what is sent does.
import { hashOf } from "../leaves/values.ts";
import type { Computation } from "./computation.ts";
import type { ProfileCall } from "./event.ts";
import { subjectOf } from "./identity.ts";
import { MAX_PROFILE_BYTES, type Profile, type ToldAccount } from "./profile.ts";
import { accountBytes } from "./size.ts";

/** A user who changes is told to each. */
export const MAX_ACCOUNTS = 100;

const NOTHING_TOLD: ToldAccount = { told: [], toldAtMs: 0 };

/** False when there is no place for one more, or no room in the profile. */
export function noteAccount(profile: Profile, groupId: string): boolean {
  if (profile.accounts.has(groupId)) return true;
  const bytes = accountBytes(groupId, NOTHING_TOLD);
  if (profile.accounts.size >= MAX_ACCOUNTS || profile.sizeBytes + bytes > MAX_PROFILE_BYTES) return false;
  profile.accounts.set(groupId, NOTHING_TOLD);
  profile.sizeBytes += bytes;
  return true;
}

/** The account that a call of the user names; false when there is no place for one more. */
export function noteNamed(
  profile: Profile,
  { groupId, userId }: Pick<ProfileCall, "groupId" | "userId">,
): boolean {
  if (groupId === undefined || groupId === null || userId === null) return true;
  return subjectOf(profile.id) !== "users" || noteAccount(profile, groupId);
}

/** What is kept of what an account was told; several ids become their hash, as a hundred accounts may each know all audiences. */
function keptOf(told: readonly string[]): string[] {
  return told.length > 1 ? [hashOf(told.join())] : [...told];
}

/** A version before kept all ids. */
export function shortenTold({ accounts }: Pick<Profile, "accounts">): void {
  for (const [groupId, { told, toldAtMs }] of accounts)
    if (told.length > 1) accounts.set(groupId, { told: keptOf(told), toldAtMs });
}

/** All of it at once: an account judges a user by what holds together. */
function tell(profile: Profile, groupId: string, told: string[], atMs: number): void {
  const before = profile.accounts.get(groupId) ?? NOTHING_TOLD;
  const after = { told: keptOf(told), toldAtMs: Math.max(atMs, before.toldAtMs + 1) };
  profile.accounts.set(groupId, after);
  profile.sizeBytes += accountBytes(groupId, after) - accountBytes(groupId, before);
  const flip = { computationId: "", generation: 0, seq: 0, traits: "", isTracked: false };
  profile.outbox.push({ ...flip, text: JSON.stringify(told), atMs: after.toldAtMs, toAccount: groupId });
}

/** Tells each account what it does not know; with `isAgain` also what it was told before. `told` are all that accounts are told about. */
export function tellAccounts(profile: Profile, told: readonly Computation[], isAgain = false): void {
  if (profile.accounts.size === 0 || told.length === 0) return;
  if (profile.redirectTo !== undefined) return;
  const ids = told.flatMap(({ id }) => (profile.results.get(id)?.text === "true" ? id : [])).sort();
  const known = [ids.join(), keptOf(ids).join()];
  const atMs = Math.max(profile.judgedAtMs, profile.changedUntilMs + 1);
  for (const [groupId, { told: before }] of profile.accounts)
    if (isAgain ? ids.length + before.length > 0 : !known.includes(before.join()))
      tell(profile, groupId, ids, atMs);
}

/** The user is in no audience any more, which accounts that know of some are told. What changes from now on is later. */
export function leaveAccounts(profile: Profile, accounts: Profile["accounts"]): void {
  for (const [groupId, { told, toldAtMs }] of accounts) {
    if (told.length === 0) continue;
    profile.changedUntilMs = Math.max(profile.changedUntilMs, toldAtMs) + 1;
    tell(profile, groupId, [], profile.changedUntilMs);
  }
}
