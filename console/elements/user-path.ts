// Addresses of the pages of users, and the ids of their profiles as the API takes them.

interface UserIds {
  readonly userId: string | null;
  readonly anonymousId: string | null;
}

/** A userId that looks like another kind of id has a prefix, as GET /v1/profiles/{id} asks for. */
function profileId({ anonymousId, userId }: UserIds): string {
  if (userId === null) return `anon:${anonymousId ?? ""}`;
  return /^(anon|user):/.test(userId) ? `user:${userId}` : userId;
}

export function profilePath(ids: UserIds): string {
  return `/profiles/${encodeURIComponent(profileId(ids))}`;
}
