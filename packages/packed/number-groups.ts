import { KeyBytes } from "./key-bytes.ts";
import { SortedNumbers } from "./sorted-numbers.ts";

/** Numbers are below it; with 28 bits of a hash they fill what a double holds exactly. */
const NUMBERS = 2 ** 25;
const AT_ONCE = 256;

/** Numbers by texts that they belong to, in eleven bytes each: of a text its hash alone is kept. */
export class NumberGroups {
  readonly #key = new KeyBytes();
  readonly #pairs = new SortedNumbers((one, other) => one - other);

  add(group: string, number: number): void {
    if (number >= NUMBERS) throw new RangeError(`${NUMBERS} numbers are in groups at most`);
    this.#pairs.add(this.#firstOf(group) + number);
  }

  remove(group: string, number: number): void {
    this.#pairs.remove(this.#firstOf(group) + number);
  }

  /** In their order; there may be others among them, of a group whose hash is the same. What changes meanwhile may be there or not. */
  *of(group: string): Generator<number> {
    const first = this.#firstOf(group);
    for (let from = first; ; ) {
      const pairs = this.#pairs.behind((pair) => pair >= from, AT_ONCE);
      for (const pair of pairs) {
        if (pair >= first + NUMBERS) return;
        yield pair - first;
      }
      const last = pairs.at(-1);
      if (last === undefined || pairs.length < AT_ONCE) return;
      from = last + 1;
    }
  }

  #firstOf(group: string): number {
    this.#key.set(group);
    return (this.#key.hash >>> 4) * NUMBERS;
  }
}
