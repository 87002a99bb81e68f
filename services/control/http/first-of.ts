/**
 * The first so many in an order, of entries that are given one by one: sorting a million would hold the event loop for 300 ms. Those that come
 * first are best given early: few of the others change a place then.
 */
export class FirstOf<T> {
  readonly #count: number;
  readonly #order: (one: T, other: T) => number;
  readonly found: T[] = [];

  constructor(count: number, order: (one: T, other: T) => number) {
    this.#count = count;
    this.#order = order;
  }

  add(entry: T): void {
    const last = this.found[this.#count - 1];
    if (last !== undefined && this.#order(last, entry) < 0) return;
    const above = this.found.findLastIndex((one) => this.#order(one, entry) < 0);
    this.found.splice(above + 1, 0, entry);
    this.found.length = Math.min(this.found.length, this.#count);
  }
}
