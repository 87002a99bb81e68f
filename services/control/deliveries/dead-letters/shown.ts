import type { Replay } from "#topics";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import { replaysOf } from "./selection.ts";

/** What is shown of a dead letter beside the letter itself. */
export function shownOf(
  letter: ListedDeadLetter,
  replays: readonly Replay[],
  { destinations }: DestinationLookup,
) {
  const hasDestination = destinations.get(letter.destinationId ?? "") !== undefined;
  return { replayIds: replaysOf(letter, replays), hasDestination };
}
