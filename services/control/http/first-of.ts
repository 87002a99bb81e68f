interface Wanted<T> {
  readonly count: number;
  readonly order: (one: T, other: T) => number;
  readonly isMeant: (entry: T) => boolean;
}

/**
 * The first so many in an order, in one pass: sorting a million would hold the event loop for 300 ms. Those that come first are best given early: few of the
 * others change a place then.
 */
export function firstOf<T>(all: readonly T[], { count, isMeant, order }: Wanted<T>): T[] {
  const found: T[] = [];
  for (const entry of all) {
    const last = found[count - 1];
    if ((last !== undefined && order(last, entry) < 0) || !isMeant(entry)) continue;
    const above = found.findLastIndex((one) => order(one, entry) < 0);
    found.splice(above + 1, 0, entry);
    found.length = Math.min(found.length, count);
  }
  return found;
}
