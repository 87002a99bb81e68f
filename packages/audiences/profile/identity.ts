// Who a call belongs to (docs/use/audiences.md, "Identity" and "Accounts").
import { hasPreviousId } from "#contract";
import type { Subject } from "../definition/definition.ts";

const ANONYMOUS = "anon:";
const USER = "user:";
const ACCOUNT = "group:";
const PREFIXES = [ANONYMOUS, USER, ACCOUNT];

/** The profile of a user. An id that would look like another kind of profile id is told apart by a prefix. */
export function userProfileId(userId: string): string {
  return PREFIXES.some((prefix) => userId.startsWith(prefix)) ? `${USER}${userId}` : userId;
}

export function anonymousProfileId(anonymousId: string): string {
  return `${ANONYMOUS}${anonymousId}`;
}

/** The profile of an account, which calls name by their groupId. */
export function accountProfileId(groupId: string): string {
  return `${ACCOUNT}${groupId}`;
}

/** The type of the calls that set the profile's traits. */
export function traitsTypeOf(profileId: string): "identify" | "group" {
  return profileId.startsWith(ACCOUNT) ? "group" : "identify";
}

/** Whose profile it is. */
export type Owner =
  | { readonly userId: string }
  | { readonly anonymousId: string }
  | { readonly groupId: string };

export function ownerOf(profileId: string): Owner {
  if (profileId.startsWith(ANONYMOUS)) return { anonymousId: profileId.slice(ANONYMOUS.length) };
  if (profileId.startsWith(ACCOUNT)) return { groupId: profileId.slice(ACCOUNT.length) };
  return { userId: profileId.startsWith(USER) ? profileId.slice(USER.length) : profileId };
}

export function isAnonymous(profileId: string): boolean {
  return profileId.startsWith(ANONYMOUS);
}

export function subjectOf(profileId: string): Subject {
  return profileId.startsWith(ACCOUNT) ? "accounts" : "users";
}

export interface Ids {
  readonly type: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** Of an alias. */
  readonly previousId?: string | null;
}

/** The profile that a call counts for, before redirects; undefined for a call without ids. */
export function profileIdOf({ userId, anonymousId }: Ids): string | undefined {
  if (userId !== null) return userProfileId(userId);
  return anonymousId === null ? undefined : anonymousProfileId(anonymousId);
}

/**
 * Profiles that the call may merge into its user's: the anonymous one when it carries both ids; of an alias also the previous id, be it of a
 * user or anonymous. What was merged once stays where it is, so an anonymousId that users share merges no two of them.
 */
export function mergedBy({ type, userId, anonymousId, previousId }: Ids): string[] {
  if (userId === null) return [];
  const named = new Set(anonymousId === null ? [] : [anonymousProfileId(anonymousId)]);
  if (hasPreviousId(type) && previousId)
    named.add(userProfileId(previousId)).add(anonymousProfileId(previousId));
  named.delete(userProfileId(userId));
  return [...named];
}
