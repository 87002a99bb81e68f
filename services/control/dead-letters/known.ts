import { wasDeleted } from "../audit/deleted.ts";
import { notFound } from "../http/problem.ts";
import type { DeadLetterParts } from "./parts.ts";

interface Named {
  readonly destinationId: string | undefined;
  readonly replayId: string | undefined;
}

/**
 * Throws a 404 for a destination or a replay that is not there. A destination that was deleted is known, as its calls may still die; so is a
 * replay that was forgotten, and of which something is kept. Nothing is refused before everything that is kept was read.
 */
export async function checkNamed(parts: DeadLetterParts, { destinationId, replayId }: Named): Promise<void> {
  const { destinations, replays } = parts;
  const { index, progress } = parts.deliveries;
  if (progress.indexedUntilMs("deadLetters") === undefined) return;
  const isReplay = (id: string) =>
    !replays.isLoaded || replays.get(id) !== undefined || index.countDeadLetters({ replayId: id }) > 0;
  if (replayId !== undefined && !isReplay(replayId)) throw notFound("replay", replayId, "replayId");
  if (destinationId === undefined) return;
  const isDestination =
    destinations.get(destinationId) !== undefined ||
    index.knowsDestination(destinationId) ||
    (await wasDeleted(parts, "destination", destinationId));
  if (!isDestination) throw notFound("destination", destinationId, "destinationId");
}
