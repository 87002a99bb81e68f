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
}

/** Throws a 422. */
export async function listAttempts(
  { deliveries, host }: AttemptParts,
  query: AttemptsQuery,
): Promise<AttemptPage> {
  const { index, progress } = deliveries;
  const indexedUntil = isoTimeOrNull(progress.indexedUntilMs("attempts"));
  const sought = soughtAttempts(query);
  const isMeant = attemptTest(query);
  const { event } = query;
  const { found, page } = await scannedPage({
    ...{ query, host },
    async read(rows) {
      const attempts = index.listAttempts(sought, rows);
      if (event === undefined) return attempts.map((attempt) => ({ attempt, isFound: isMeant(attempt) }));
      // Asked of few, as it costs most.
      const meant = attempts.filter(isMeant);
      const events = await eventsOf(deliveries, meant);
      const found = new Set(meant.filter((_, at) => events[at] === event));
      return attempts.map((attempt) => ({ attempt, isFound: found.has(attempt) }));
    },
    accepts: ({ isFound }) => isFound,
    markOf: ({ attempt: { place, startedAtMs } }) => ({ atMs: startedAtMs, place }),
    count: isFoundByIndex(query)
      ? (most) => index.countUpTo({ kind: "attempts", filter: sought }, most)
      : undefined,
  });
  return { attempts: found.map(({ attempt }) => attempt), page, indexedUntil };
}

/** Of each the name of its track call; null where it is not recorded. */
export async function eventsOf(
  { index }: Pick<AttemptParts["deliveries"], "index">,
  attempts: readonly ListedAttempt[],
): Promise<(string | null)[]> {
  const calls = attempts.map(({ messageId, sourceId, ...user }) => ({ messageId, sourceId, user }));
  const events = await index.eventsOf(calls);
  return attempts.map(({ type }, at) => (type === "track" ? (events[at] ?? null) : null));
}
