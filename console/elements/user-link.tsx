// The user or account of a row, as a link to their page.
import { Link } from "react-router";
import { Text } from "./text.tsx";
import { type ProfileIds, profilePath } from "./user-path.ts";

export function UserLink({ userId, anonymousId, groupId = null }: ProfileIds) {
  const shown = userId ?? anonymousId ?? groupId;
  if (shown === null) return <span className="quiet">–</span>;
  return (
    <Link to={profilePath({ userId, anonymousId, groupId })}>
      <Text most={60}>{shown}</Text>
    </Link>
  );
}
