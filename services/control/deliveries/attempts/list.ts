// A page of requests to webhooks.

import { scannedPage } from "../../http/scanned-page.ts";
import { isoTimeOrNull } from "../../http/time-pages.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import type { AttemptParts } from "./parts.ts";
import { type AttemptsQuery, attemptTest, isFoundByIndex, soughtAttempts } from "./query.ts";

export interface AttemptPage {
  readonly attempts: readonly ListedAttempt[];
  readonly page: Awaited<ReturnType<typeof scannedPage>>["page"];
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
  const { found, page } = await scannedPage({
    ...{ query, host },
    read: (rows) => index.listAttempts(sought, rows),
    accepts: attemptTest(query, eventOf),
    markOf: ({ place, startedAtMs }) => ({ atMs: startedAtMs, place }),
    count: isFoundByIndex(query)
      ? (most) => index.countUpTo({ kind: "attempts", filter: sought }, most)
      : undefined,
  });
  return { attempts: found, page, indexedUntil, eventOf };
}
