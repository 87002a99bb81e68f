// In which order suites start. A worker that is free takes the next suite of the list, so the list is what comes of
// playing the run through with the durations of an earlier one (durations.json).

export interface Suite {
  readonly path: string;
  /** undefined for one that the table does not know: a new one, or one too short to be in it. */
  readonly seconds: number | undefined;
  /** Asks for a kafka or services of its own process, so that it is not over in a moment. */
  readonly isHeavy: boolean;
  /** Takes turns with others (test/support/turn.ts): two of them side by side would wait for each other. */
  readonly takesTurns: boolean;
}

/** Of suites that the table does not know. A heavy one of them starts before the middling ones, not at the end. */
const UNKNOWN_SECONDS = { heavy: 30, light: 1 };

function secondsOf({ seconds, isHeavy }: Suite): number {
  return seconds ?? (isHeavy ? UNKNOWN_SECONDS.heavy : UNKNOWN_SECONDS.light);
}

/** Longest first; those as long as each other by name, so that every machine has the same order. */
function byLength(a: Suite, b: Suite): number {
  return secondsOf(b) - secondsOf(a) || (a.path < b.path ? -1 : 1);
}

/** Takes the first out that is wanted, or else the first of all. */
function takeFirst(sorted: Suite[], isWanted: (suite: Suite) => boolean): Suite | undefined {
  const [suite] = sorted.splice(Math.max(0, sorted.findIndex(isWanted)), 1);
  return suite;
}

/**
 * The suites in the order in which they are to start: the longest first, and of those that take turns always one, as long as
 * there are any, because they cannot be made up for side by side later. The longest of these has most processes, and asks most
 * of the clock: beside it those come first that need no Kafka and no process of their own.
 */
export function orderOf(suites: readonly Suite[], workers: number): Suite[] {
  const sorted = [...suites].sort(byLength);
  const turns = sorted.filter(({ takesTurns }) => takesTurns);
  const others = sorted.filter(({ takesTurns }) => !takesTurns);
  const freeAt = Array.from({ length: workers }, () => 0);
  const ordered: Suite[] = [];
  let turnEndsAt = 0;
  const longestEndsAt = turns[0] === undefined ? 0 : secondsOf(turns[0]);
  while (turns.length + others.length > 0) {
    const now = Math.min(...freeAt);
    const worker = freeAt.indexOf(now);
    const isWanted = ({ isHeavy }: Suite): boolean => now >= longestEndsAt || !isHeavy;
    const next =
      (now >= turnEndsAt ? turns.shift() : undefined) ?? takeFirst(others, isWanted) ?? turns.shift();
    if (next === undefined) break;
    ordered.push(next);
    const startsAt = next.takesTurns ? Math.max(now, turnEndsAt) : now;
    freeAt[worker] = startsAt + secondsOf(next);
    if (next.takesTurns) turnEndsAt = startsAt + secondsOf(next);
  }
  return ordered;
}
