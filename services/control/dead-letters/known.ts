import { notFound } from "../http/problem.ts";
import type { DeadLetterParts } from "./parts.ts";

interface Named {
  readonly destinationId: string | undefined;
  readonly replayId: string | undefined;
}

/**
 * Throws a 404 for a destination or a replay that is not there. One that was deleted or forgotten, and of which something is kept, is known; and
 * nothing is refused before everything that is kept was read.
 */
export function checkNamed(
  { deliveries: { index, progress }, destinations, replays }: DeadLetterParts,
  { destinationId, replayId }: Named,
): void {
  if (progress.indexedUntilMs("deadLetters") === undefined) return;
  const isDestination = (id: string) => destinations.get(id) !== undefined || index.knowsDestination(id);
  if (destinationId !== undefined && !isDestination(destinationId))
    throw notFound("destination", destinationId, "destinationId");
  const isReplay = (id: string) =>
    !replays.isLoaded || replays.get(id) !== undefined || index.countDeadLetters({ replayId: id }) > 0;
  if (replayId !== undefined && !isReplay(replayId)) throw notFound("replay", replayId, "replayId");
}
