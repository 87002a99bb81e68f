// How far a replay has got, as its record says it.
import type { Replay } from "#topics";
import { placeOf, spotOf } from "../places/places.ts";

/** Before the first one. */
const NOTHING_SENT = -1;

/** The place of the last dead letter that was sent again. */
export function sentUpTo({ cursor }: Pick<Replay, "cursor">): number {
  const [, partition, offset] = /^(\d+):(\d+)$/.exec(cursor ?? "") ?? [];
  return partition === undefined || offset === undefined
    ? NOTHING_SENT
    : placeOf({ partition: Number(partition), offset: Number(offset) });
}

export function cursorAt(place: number): string {
  const { partition, offset } = spotOf(place);
  return `${partition}:${offset}`;
}
