// Addresses of the pages of calls.

interface CallId {
  readonly messageId: string;
  readonly sourceId?: string | null;
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
}

/** Calls of several users may have one message id, and several sources may. */
export function callPath({ messageId, sourceId, userId, anonymousId }: CallId): string {
  const query = new URLSearchParams();
  if (sourceId) query.set("sourceId", sourceId);
  if (userId) query.set("userId", userId);
  else if (anonymousId) query.set("anonymousId", anonymousId);
  return `/calls/${encodeURIComponent(messageId)}${query.size > 0 ? `?${query}` : ""}`;
}
