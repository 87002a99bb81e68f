// Which profile a request about one user or account means.
import { accountProfileId, type Subject, userProfileId } from "#audiences";
import { refused } from "../../http/problem.ts";

interface Asked {
  readonly userId?: string;
  readonly groupId?: string;
}

/** Undefined where all are meant. Throws a 422 where a definition of users is asked about an account, or the other way round. */
export function askedProfile({ groupId, userId }: Asked, of: Subject): string | undefined {
  const isOfUsers = of === "users";
  const path = isOfUsers ? "groupId" : "userId";
  const wrong = isOfUsers ? groupId : userId;
  if (wrong !== undefined)
    throw refused([
      { path, message: `the definition is of ${of}: ask by ${isOfUsers ? "userId" : "groupId"}` },
    ]);
  if (groupId !== undefined) return accountProfileId(groupId);
  return userId === undefined ? undefined : userProfileId(userId);
}
