// Whose calls are dropped (contract 5.2): those that name a suppressed user, as userId or as the previousId of an alias.
import type { AcceptedCall } from "#contract";
import { suppressionKey, userHash } from "#topics";

type Named = Pick<AcceptedCall, "userId" | "previousId">;

export interface Suppressions {
  /** The calls that are not of a suppressed user; the same list when all of them are kept. */
  keep<C extends Named>(sourceId: string, calls: readonly C[]): readonly C[];
}

/** The table of suppressions: what it holds of a key does not matter, only that it holds it. */
export interface SuppressionTable {
  readonly size: number;
  get(key: string): unknown;
}

/** Always as the table has it. While nobody is suppressed a call costs nothing. */
export function createSuppressions(table: SuppressionTable): Suppressions {
  function isSuppressed(sourceId: string, userId: string | null): boolean {
    if (userId === null) return false;
    const hash = userHash(userId);
    return [null, sourceId].some((scope) => table.get(suppressionKey(scope, hash)) !== undefined);
  }

  return {
    keep(sourceId, calls) {
      if (table.size === 0) return calls;
      const kept = calls.filter(
        ({ userId, previousId }) => !isSuppressed(sourceId, userId) && !isSuppressed(sourceId, previousId),
      );
      return kept.length === calls.length ? calls : kept;
    },
  };
}
