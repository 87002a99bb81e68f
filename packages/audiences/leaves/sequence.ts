// Calls that follow each other, from the newest times of both.
import { MAX_SEQUENCE_CALLS } from "../definition/limits.ts";

interface Sequence {
  /** Newest first. */
  readonly first: readonly number[];
  readonly next: readonly number[];
  /** In less than this after the first one. */
  readonly withinMs: number;
}

/** The first calls, newest first, that are followed, or those that are not. Of those from before what is kept of the next ones nothing is known. */
export function firstCalls({ first, next, withinMs }: Sequence, isFollowed: boolean): number[] {
  const found: number[] = [];
  const knownFromMs = next.length < MAX_SEQUENCE_CALLS ? Number.NEGATIVE_INFINITY : (next.at(-1) ?? 0);
  let place = 0;
  let followsMs = Number.POSITIVE_INFINITY;
  for (const atMs of first) {
    for (; place < next.length && (next[place] ?? 0) > atMs; place += 1) followsMs = next[place] ?? followsMs;
    const isKnown = atMs >= knownFromMs || followsMs < atMs + withinMs;
    if (isKnown && followsMs < atMs + withinMs === isFollowed) found.push(atMs);
  }
  return found;
}
