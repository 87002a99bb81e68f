// Addresses of the pages of users and accounts, and the ids of their profiles as the API takes them.

export interface ProfileIds {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** Of an account. */
  readonly groupId?: string | null;
}

/** A userId that looks like another kind of id has a prefix, as GET /v1/profiles/{id} asks for. */
function profileId({ anonymousId, groupId = null, userId }: ProfileIds): string {
  if (groupId !== null) return `group:${groupId}`;
  if (userId === null) return `anon:${anonymousId ?? ""}`;
  return /^(anon|user|group):/.test(userId) ? `user:${userId}` : userId;
}

/** The id in the path of a user's or a call's page. The router's own parameter has a slash for each %2F that is part of the id. */
export function idIn(pathname: string): string {
  const given = pathname.split("/")[2] ?? "";
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

export function profilePath(ids: ProfileIds): string {
  return `/profiles/${encodeURIComponent(profileId(ids))}`;
}
