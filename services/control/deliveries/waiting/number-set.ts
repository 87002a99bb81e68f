const EMPTY = -1;
/** Of the slots, at most so many in use. */
const MOST_FULL = 0.5;

/** A set of whole numbers of at least 0, for a known number of them: sixteen to 32 bytes of each. */
export class NumberSet {
  readonly #slots: Float64Array;
  readonly #mask: number;

  /** `most`: that will ever be in it. */
  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, most) / MOST_FULL));
    this.#slots = new Float64Array(slots).fill(EMPTY);
    this.#mask = slots - 1;
  }

  /** False where it is in it already. */
  add(number: number): boolean {
    const slots = this.#slots;
    for (let at = this.#slotOf(number); ; at = (at + 1) & this.#mask) {
      const there = slots[at];
      if (there === number) return false;
      if (there !== EMPTY) continue;
      slots[at] = number;
      return true;
    }
  }

  /** Numbers in a row lie far apart. */
  #slotOf(number: number): number {
    const high = Math.floor(number / 2 ** 32);
    return (Math.imul(number >>> 0, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)) & this.#mask;
  }
}
