import type { Story } from "./story.ts";

/** The time that a destination's requests begun in between took by its own limits (contract 4.4). */
export function limitedMs(
  { plan, requests }: Story,
  destinationId: string,
  [fromMs, untilMs]: readonly [number, number],
): number {
  const destination = plan.destinations.find(({ id }) => id === destinationId);
  const { maxInFlight = null, maxRequestsPerSecond = null, urls = [] } = destination ?? {};
  if (maxInFlight === null && maxRequestsPerSecond === null) return 0;
  const made = requests.filter(
    ({ startedAtMs, url }) => urls.includes(url) && startedAtMs >= fromMs && startedAtMs < untilMs,
  );
  const tookMs = made.reduce(
    (sum, { answeredAtMs = untilMs, startedAtMs }) => sum + answeredAtMs - startedAtMs,
    0,
  );
  return Math.max(
    (made.length * 1_000) / (maxRequestsPerSecond ?? Number.POSITIVE_INFINITY),
    tookMs / (maxInFlight ?? Number.POSITIVE_INFINITY),
  );
}
