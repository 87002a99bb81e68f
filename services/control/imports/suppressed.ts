import { SPACE_SOURCE } from "#contract";
import type { Table } from "#kafka";
import { suppressionKey, userHash } from "#topics";

/** Whether a user is suppressed in the workspace, or in the source of audiences: imports change nothing of such a user. */
export function createSuppressed(table: Pick<Table<true>, "get" | "size">): (userId: string) => boolean {
  return (userId) => {
    if (table.size === 0) return false;
    const hashed = userHash(userId);
    return [null, SPACE_SOURCE].some((scope) => table.get(suppressionKey(scope, hashed)) !== undefined);
  };
}
