import type { Replay } from "#topics";
import type { ListedDeadLetter } from "../delivery-index/dead-letters-table.ts";
import type { DestinationLookup } from "../destinations/existing.ts";
import { replaysOf } from "../replays/selection.ts";

/** What is shown of a dead letter beside the letter itself. */
export function shownOf(
  letter: ListedDeadLetter,
  replays: readonly Replay[],
  { destinations }: DestinationLookup,
) {
  const hasDestination = destinations.get(letter.destinationId ?? "") !== undefined;
  return { replayIds: replaysOf(letter, replays), hasDestination };
}
