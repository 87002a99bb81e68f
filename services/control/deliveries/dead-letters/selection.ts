// Which dead letters a replay means, and which of them it has sent; pure. Both follow from its record alone: a dead letter needs no mark
// of its own, and what is shown is right after every restart.
import type { Replay } from "#topics";
import { spotOf } from "../../records/places/places.ts";
import { sentUpTo } from "../../records/replays/cursor.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { DeadLetterFilter, ListedDeadLetter } from "../index/dead-letters-table.ts";

export function filterOf({ destinationId, issueId, reason, fromMs, toMs, ends }: Replay): DeadLetterFilter {
  return {
    destinationId: destinationId ?? undefined,
    issueId: issueId ?? undefined,
    reason: reason ?? undefined,
    fromMs: fromMs ?? undefined,
    toMs: toMs ?? undefined,
    ends,
  };
}

/** Made once for each version of a replay. */
const named = new WeakMap<Replay, ReadonlySet<string>>();

function isMeant(letter: ListedDeadLetter, replay: Replay): boolean {
  if (!letter.replayable) return false;
  if (replay.ids !== null) {
    const ids = named.get(replay) ?? new Set(replay.ids);
    named.set(replay, ids);
    return ids.has(letter.id);
  }
  const { partition, offset } = spotOf(letter.place);
  return (
    offset < (replay.ends[partition] ?? 0) &&
    letter.destinationId === replay.destinationId &&
    (replay.issueId === null || letter.issueIds.includes(replay.issueId)) &&
    (replay.reason === null || letter.reason === replay.reason) &&
    letter.deadAtMs >= (replay.fromMs ?? Number.NEGATIVE_INFINITY) &&
    letter.deadAtMs < (replay.toMs ?? Number.POSITIVE_INFINITY)
  );
}

/** The replays that have passed it, in their order. */
function passedBy(letter: ListedDeadLetter, replays: readonly Replay[]): Replay[] {
  return replays.filter((replay) => letter.place <= sentUpTo(replay) && isMeant(letter, replay));
}

/** Ids of the replays that have sent it again, in the order of `replays`. */
export function replaysOf(letter: ListedDeadLetter, replays: readonly Replay[]): string[] {
  return passedBy(letter, replays).map(({ id }) => id);
}

/**
 * Ids of those that have surely made it a job of its own destination again. A replay says only how many letters it found expired or left
 * out for deleted users.
 */
export function replaysBack(
  letter: ListedDeadLetter,
  replays: readonly Replay[],
  { mayBeOfDeleted }: Pick<DeletedUsers, "mayBeOfDeleted">,
): string[] {
  return passedBy(letter, replays)
    .filter(({ toDestinationId }) => toDestinationId === null || toDestinationId === letter.destinationId)
    .filter(({ deleted, expired }) => expired === 0 && (deleted === 0 || !mayBeOfDeleted(letter)))
    .map(({ id }) => id);
}
