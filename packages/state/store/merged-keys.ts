// Keys on disk and keys that are still in memory, as one list.
import { tableKeyOf } from "./entry.ts";

/** The keys behind `after`, in the table's order. */
export function keysBehind(keys: readonly string[], after: string | undefined): readonly string[] {
  if (after === undefined) return keys;
  const behind = tableKeyOf(after);
  return keys.filter((key) => Buffer.compare(tableKeyOf(key), behind) > 0);
}

/** Two lists in the table's order, in that order; a key may come to disk between the two looks. */
export function* mergedKeys(onDisk: Iterable<string>, queued: readonly string[]): Generator<string> {
  let place = 0;
  for (const key of onDisk) {
    const tableKey = tableKeyOf(key);
    for (let next = queued[place]; next !== undefined; next = queued[place]) {
      const order = Buffer.compare(tableKeyOf(next), tableKey);
      if (order > 0) break;
      if (order < 0) yield next;
      place += 1;
    }
    yield key;
  }
  yield* queued.slice(place);
}
