import { KeyBytes } from "./key-bytes.ts";
import { SortedNumbers } from "./sorted-numbers.ts";

/** Numbers are below it; with 28 bits of a hash they fill what a double holds exactly. */
const NUMBERS = 2 ** 25;
const AT_ONCE = 256;
/** At most one to so many of the others. */
const FEW = 200;
/** Pairs that wait to be sorted together: a share of those that are sorted, which is some milliseconds of work. */
const WAITING = { share: 1 / 8, atLeast: 1_024, atMost: 32_768 };

/** Numbers by texts that they belong to, in eleven bytes each: of a text its hash alone is kept. */
export class NumberGroups {
  readonly #key = new KeyBytes();
  readonly #pairs = new SortedNumbers((one, other) => one - other);
  /** Not in their order yet: to look for the place of each costs several times as much where a million come one after the other. */
  #waiting = new Float64Array(WAITING.atLeast);
  #waitingPairs = 0;

  /** It must not be there. */
  add(group: string, number: number): void {
    if (number >= NUMBERS) throw new RangeError(`${NUMBERS} numbers are in groups at most`);
    this.#waiting[this.#waitingPairs] = this.#firstOf(group) + number;
    this.#waitingPairs += 1;
    if (this.#waitingPairs === this.#waiting.length) this.#sort();
  }

  remove(group: string, number: number): void {
    this.#sort();
    this.#pairs.remove(this.#firstOf(group) + number);
  }

  /** In their order; there may be others among them, of a group whose hash is the same. What changes meanwhile may be there or not. */
  *of(group: string): Generator<number> {
    const first = this.#firstOf(group);
    for (let from = first; ; ) {
      this.#sort();
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

  #sort(): void {
    const waiting = this.#waiting.subarray(0, this.#waitingPairs);
    // A few find their places sooner than a walk over all.
    if (waiting.length * FEW < this.#pairs.size) for (const pair of waiting) this.#pairs.add(pair);
    else this.#pairs.addAll(waiting.sort());
    this.#waitingPairs = 0;
    const wanted = Math.min(WAITING.atMost, this.#pairs.size * WAITING.share);
    if (wanted >= 2 * this.#waiting.length) this.#waiting = new Float64Array(wanted);
  }

  #firstOf(group: string): number {
    this.#key.set(group);
    return (this.#key.hash >>> 4) * NUMBERS;
  }
}
