// A page of requests to webhooks.

import { scan } from "../../http/scan.ts";
import { cursorOf, isoTimeOrNull, readScannedPage } from "../../http/time-pages.ts";
import { type Total, totalOf } from "../../http/totals.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import type { AttemptParts } from "./parts.ts";
import { type AttemptsQuery, attemptTest, isFoundByIndex, soughtAttempts } from "./query.ts";

export interface AttemptPage {
  readonly attempts: readonly ListedAttempt[];
  readonly next: string | null;
  readonly indexedUntil: string | null;
  readonly total: Total;
  /** The name of a track call; null where it is not recorded. */
  eventOf(attempt: ListedAttempt): string | null;
}

/** Throws a 422. */
export async function listAttempts(
  { deliveries, host }: AttemptParts,
  query: AttemptsQuery,
): Promise<AttemptPage> {
  const { index, progress } = deliveries;
  const indexedUntil = isoTimeOrNull(progress.indexedUntilMs("attempts"));
  const eventOf = ({ messageId, sourceId, type, ...user }: ListedAttempt): string | null =>
    type === "track" ? index.eventOf({ messageId, sourceId, user }) : null;
  const sought = soughtAttempts(query);
  const { found, next } = await scan({
    read: (page) => index.listAttempts(sought, page),
    accepts: attemptTest(query, eventOf),
    markOf: ({ place, startedAtMs }) => ({ atMs: startedAtMs, place }),
    page: readScannedPage(query),
    host,
  });
  const total = totalOf({
    ...{ after: query.after, data: found, isLast: next === undefined },
    count: isFoundByIndex(query)
      ? (most) => index.countUpTo({ kind: "attempts", filter: sought }, most)
      : undefined,
  });
  return { attempts: found, next: next === undefined ? null : cursorOf(next), indexedUntil, total, eventOf };
}
