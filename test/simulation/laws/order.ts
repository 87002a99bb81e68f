import type { Request } from "../endpoints/endpoints.ts";
import type { DestinationPlan } from "../plan/plan.ts";
import { law, type Story } from "./story.ts";

/** By call and destination, when its job was first put off: its endpoint was full or down, and the order is given up for it (docs/decisions/0010). */
function putOff({ jobs }: Story): Map<string, number> {
  const firstAtMs = new Map<string, number>();
  for (const { atMs, value } of jobs) {
    const key = `${value.messageId} ${value.destinationId}`;
    if (value.attempts + value.diverts > 0 || value.replayId !== null)
      firstAtMs.set(key, Math.min(atMs, firstAtMs.get(key) ?? atMs));
  }
  return firstAtMs;
}

/** What waits for its destination's limit while a partition goes and comes back may be overtaken by what is read then. */
function hasLimit({ maxInFlight, maxRequestsPerSecond }: DestinationPlan): boolean {
  return maxInFlight !== null || maxRequestsPerSecond !== null;
}

function firstRequests({ requests }: Story): Map<string, Request[]> {
  const seen = new Set<string>();
  const firsts = requests.filter(({ messageId, url }) => {
    const key = `${messageId} ${url}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
  return Map.groupBy(firsts, ({ url, userId }) => `${url} ${userId}`);
}

/** The first attempts of one user's calls begin in the order of their log. */
export const firstAttemptsKeepOrder = law("one user's first attempts stay in order", function* (story) {
  const placeOf = new Map<string, number>();
  for (const { record, value } of story.calls) {
    if (!placeOf.has(value.messageId)) placeOf.set(value.messageId, record.offset);
  }
  const limited = new Set(story.plan.destinations.filter(hasLimit).map(({ id }) => id));
  const ownerOf = new Map(
    story.plan.destinations.flatMap(({ id, urls }) => urls.map((url) => [url, id] as const)),
  );
  const putOffAtMs = putOff(story);
  for (const [who, firsts] of firstRequests(story)) {
    let latest: Request | undefined;
    for (const request of firsts) {
      if (limited.has(ownerOf.get(request.url) ?? "")) continue;
      const offAtMs = putOffAtMs.get(`${request.messageId} ${ownerOf.get(request.url)}`);
      if (offAtMs !== undefined && offAtMs <= request.startedAtMs) continue;
      const place = placeOf.get(request.messageId) ?? 0;
      if (latest !== undefined && place < (placeOf.get(latest.messageId) ?? 0))
        yield `${who}: ${request.messageId} at ${request.startedAtMs} ms comes after ${latest.messageId} at ${latest.startedAtMs} ms`;
      else latest = request;
    }
  }
});
