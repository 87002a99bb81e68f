// Answers of several files of the index as one. Pure.
import { addTo, type Cells, MAX_NAMES, mostCalled, type NameSum } from "./names-table.ts";
import type { DueKey, RollupCounts, RollupKey } from "./rollups-table.ts";
import type { ListedRoutedCall } from "./routed-calls-table.ts";
import type { Span, Spans } from "./spans.ts";

type Lists<T> = readonly (readonly T[])[];

/** Calls of those that are alike in all else that `keyOf` names. */
export function addUp<T extends { readonly calls: number }>(lists: Lists<T>, keyOf: (one: T) => string): T[] {
  const sums = new Map<string, T>();
  for (const one of lists.flat()) {
    const key = keyOf(one);
    const known = sums.get(key);
    sums.set(key, known === undefined ? one : { ...known, calls: known.calls + one.calls });
  }
  return [...sums.values()];
}

/** By step, oldest first. */
export function addNameSums(lists: Lists<NameSum>): NameSum[] {
  const sums = new Map<number, Map<string, Cells>>();
  for (const { atMs, counts } of lists.flat()) {
    const sum = sums.get(atMs) ?? new Map<string, Cells>();
    sums.set(atMs, sum);
    addTo(sum, counts);
  }
  const found = [...sums].map(([atMs, counts]) => ({ atMs, counts }));
  return found.sort((one, other) => one.atMs - other.atMs);
}

/** Places are those of one topic, so no two are the same. */
export function newestOf<T extends Pick<ListedRoutedCall, "receivedAtMs" | "place">>(
  lists: Lists<T>,
  limit: number,
): T[] {
  const all = lists
    .flat()
    .sort((one, other) => other.receivedAtMs - one.receivedAtMs || other.place - one.place);
  return all.slice(0, limit);
}

/** From the first row of all to the last one. */
export function joinSpans(all: readonly Spans[]): Spans {
  const joined: Partial<Record<keyof Spans, Span>> = {};
  for (const [kind, span] of all.flatMap(
    (spans) => Object.entries(spans) as [keyof Spans, Span | undefined][],
  )) {
    if (span === undefined) continue;
    const { newestMs, oldestMs } = joined[kind] ?? span;
    joined[kind] = {
      oldestMs: Math.min(oldestMs, span.oldestMs),
      newestMs: Math.max(newestMs, span.newestMs),
    };
  }
  return joined as Spans;
}

/** Each once, in the order of their keys. */
export function firstKeys(lists: Lists<DueKey>, limit: number): RollupKey[] {
  const keys = new Map(lists.flat().map((key) => [rollupId(key), key]));
  return [...keys.values()].sort(inOrder).slice(0, limit);
}

export function rollupId({ atMs, destinationId, sourceId, stepMs }: RollupKey): string {
  return `${stepMs} ${atMs} ${sourceId} ${destinationId}`;
}

function inOrder(one: RollupKey, other: RollupKey): number {
  return (
    one.stepMs - other.stepMs ||
    one.atMs - other.atMs ||
    compare(one.sourceId, other.sourceId) ||
    compare(one.destinationId, other.destinationId)
  );
}

/** As SQLite orders texts of ASCII. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Requests are counted in one file. */
export function addRollups(all: readonly RollupCounts[]): RollupCounts {
  const cellOf = ({ reason, stage, type }: RollupCounts["calls"][number]): string =>
    `${type} ${stage} ${reason}`;
  const names = new Map<string, Cells>();
  for (const counts of all)
    addTo(names, new Map(counts.names.map(({ name, counts: cells }) => [name, cells])));
  return {
    calls: addUp(
      all.map(({ calls }) => calls),
      cellOf,
    ).sort(
      (one, other) =>
        compare(one.type, other.type) || compare(one.stage, other.stage) || compare(one.reason, other.reason),
    ),
    names: [...mostCalled(names, MAX_NAMES)].map(([name, counts]) => ({ name, counts: { ...counts } })),
    requests: all.flatMap(({ requests }) => requests),
  };
}
