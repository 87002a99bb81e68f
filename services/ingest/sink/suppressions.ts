// Drops calls (contract 5.2) that name a suppressed user, as userId or as the previousId of an alias.
import type { AcceptedCall } from "#contract";
import { suppressionKey, suppressionScope, userHash } from "#topics";

type Named = Pick<AcceptedCall, "userId" | "previousId">;

export interface Suppressions {
  /**
   * The calls that are not of a suppressed user; the same list when all of them are kept. A promise only where it takes several turns of
   * the event loop; `pause` resolves in a later one.
   */
  keep<C extends Named>(
    sourceId: string,
    calls: readonly C[],
    pause: () => Promise<void>,
  ): readonly C[] | Promise<readonly C[]>;
  isSuppressed(sourceId: string, userId: string | null): boolean;
  /** Whether any user is suppressed in the source. */
  hasAny(sourceId: string): boolean;
}

/** The table of suppressions: what it holds of a key does not matter, only that it holds it. */
export interface SuppressionTable {
  get(key: string): unknown;
  entries(): IterableIterator<[string, unknown]>;
  onChange(listener: (key: string, value: unknown, before: unknown) => void): () => void;
}

const WORKSPACE = null;

/** A call takes 2 to 4 us while many users are suppressed: so many take no more than a millisecond. */
const CALLS_A_TURN = 250;

/**
 * Drops calls by what the table has now. Where nobody is suppressed a call costs nothing: it is not looked
 * up.
 */
export function createSuppressions(table: SuppressionTable): Suppressions {
  const usersIn = usersByScope(table);

  function isIn(sourceId: string | null, hash: string): boolean {
    return usersIn(sourceId) > 0 && table.get(suppressionKey(sourceId, hash)) !== undefined;
  }

  function isSuppressed(sourceId: string, userId: string | null): boolean {
    if (userId === null) return false;
    const hash = userHash(userId);
    return isIn(WORKSPACE, hash) || isIn(sourceId, hash);
  }

  const hasAny = (sourceId: string): boolean => usersIn(WORKSPACE) + usersIn(sourceId) > 0;

  function keepNow<C extends Named>(sourceId: string, calls: readonly C[]): readonly C[] {
    const kept = calls.filter(
      ({ userId, previousId }) => !isSuppressed(sourceId, userId) && !isSuppressed(sourceId, previousId),
    );
    return kept.length === calls.length ? calls : kept;
  }

  async function keepInTurns<C extends Named>(
    sourceId: string,
    calls: readonly C[],
    pause: () => Promise<void>,
  ): Promise<readonly C[]> {
    const kept: C[] = [];
    for (let at = 0; at < calls.length; at += CALLS_A_TURN) {
      await pause();
      kept.push(...keepNow(sourceId, calls.slice(at, at + CALLS_A_TURN)));
    }
    return kept;
  }

  return {
    isSuppressed,
    hasAny,
    keep(sourceId, calls, pause) {
      if (!hasAny(sourceId)) return calls;
      return calls.length <= CALLS_A_TURN ? keepNow(sourceId, calls) : keepInTurns(sourceId, calls, pause);
    },
  };
}

/** Counts the users that are suppressed in a source, or (null) in all. */
function usersByScope(table: SuppressionTable): (sourceId: string | null) => number {
  const counts = new Map<string | null, number>();
  const add = (key: string, users: number): void => {
    const scope = suppressionScope(key);
    const count = (counts.get(scope) ?? 0) + users;
    if (count > 0) counts.set(scope, count);
    else counts.delete(scope);
  };
  for (const [key] of table.entries()) add(key, 1);
  table.onChange((key, value, before) => {
    if (value !== undefined && before === undefined) add(key, 1);
    if (value === undefined && before !== undefined) add(key, -1);
  });
  return (sourceId) => counts.get(sourceId) ?? 0;
}
