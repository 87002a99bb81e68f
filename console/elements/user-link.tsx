// The user of a row, as a link to their page.
import { Link } from "react-router";
import { Text } from "./text.tsx";
import { profilePath } from "./user-path.ts";

interface UserLinkProps {
  readonly userId: string | null;
  readonly anonymousId: string | null;
}

export function UserLink({ userId, anonymousId }: UserLinkProps) {
  if (userId === null && anonymousId === null) return <span className="quiet">–</span>;
  return (
    <Link to={profilePath({ userId, anonymousId })}>
      <Text most={60}>{userId ?? anonymousId}</Text>
    </Link>
  );
}
