import type { ListedDeadLetter } from "../delivery-index/dead-letters-table.ts";
import { placeOf } from "../delivery-index/places.ts";
import { START_MS } from "../delivery-index/records.fixture.ts";

/** A dead letter j1 of destination d1, as the index lists it. */
export function listed(changes: Partial<ListedDeadLetter> = {}): ListedDeadLetter {
  return {
    place: placeOf({ partition: 1, offset: 10 }),
    id: "j1",
    deadAtMs: START_MS,
    reason: "permanent",
    message: "",
    destinationId: "d1",
    sourceId: "s1",
    messageId: "m1",
    type: "track",
    receivedAtMs: START_MS,
    attempts: 1,
    replayId: null,
    replayable: true,
    ...changes,
  };
}
