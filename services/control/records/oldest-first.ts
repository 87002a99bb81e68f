// Entries of a table, oldest first, without sorting them for each request: a hundred thousand would hold the event loop for 100 ms.
import type { Table } from "#kafka";
import { byAge, type Listed } from "../http/pages.ts";

/** Follows the changes of what `all` gives; sorts it anew only after entries have come in another order than that of their age. */
export class OldestFirst<V extends Listed> {
  readonly #all: () => Iterable<V>;
  #sorted: V[] | undefined;

  static of<V extends Listed>(table: Pick<Table<V>, "entries" | "onChange">): OldestFirst<V> {
    const followed = new OldestFirst(() => Array.from(table.entries(), ([, value]) => value));
    table.onChange((_, value, before) => followed.changed(before, value));
    return followed;
  }

  constructor(all: () => Iterable<V>) {
    this.#all = all;
  }

  /** A list of the caller's own. */
  list(): V[] {
    this.#sorted ??= [...this.#all()].sort(byAge);
    return this.#sorted.slice();
  }

  /** undefined: the entry was not there before, or is not any more. */
  changed(before: V | undefined, value: V | undefined): void {
    const sorted = this.#sorted;
    if (sorted === undefined) return;
    if (value !== undefined && before === undefined && isLast(sorted, value)) {
      sorted.push(value);
      return;
    }
    const at = before === undefined ? -1 : placeOf(sorted, before);
    if (at < 0 || (value !== undefined && byAge(value, sorted[at] as V) !== 0)) this.#sorted = undefined;
    else if (value === undefined) sorted.splice(at, 1);
    else sorted[at] = value;
  }
}

function isLast<V extends Listed>(sorted: readonly V[], value: V): boolean {
  const last = sorted.at(-1);
  return last === undefined || byAge(last, value) < 0;
}

/** -1 when it is not there. */
function placeOf<V extends Listed>(sorted: readonly V[], value: V): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (byAge(sorted[middle] as V, value) < 0) from = middle + 1;
    else to = middle;
  }
  const found = sorted[from];
  return found !== undefined && byAge(found, value) === 0 ? from : -1;
}
