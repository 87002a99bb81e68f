// The page of a call, as an address and as a link.
import { Link } from "react-router";
import { Text } from "../../elements/text.tsx";

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

interface CallLinkProps {
  readonly of: Omit<CallId, "messageId"> & { readonly messageId: string | null };
  readonly most?: number;
}

export function CallLink({ of: { messageId, ...of }, most = 60 }: CallLinkProps) {
  if (messageId === null) return "–";
  return (
    <Link to={callPath({ ...of, messageId })}>
      <Text most={most}>{messageId}</Text>
    </Link>
  );
}
