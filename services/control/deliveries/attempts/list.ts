// A page of requests to webhooks.
import { cursorOf, isoTimeOrNull, readScannedPage } from "../../http/time-pages.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import { scan } from "../index/scan.ts";
import type { AttemptParts } from "./parts.ts";
import { type AttemptsQuery, attemptTest, soughtAttempts } from "./query.ts";

export interface AttemptPage {
  readonly attempts: readonly ListedAttempt[];
  readonly next: string | null;
  readonly indexedUntil: string | null;
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
  return { attempts: found, next: next === undefined ? null : cursorOf(next), indexedUntil, eventOf };
}
