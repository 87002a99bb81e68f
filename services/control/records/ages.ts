const FIRST_NUMBERS = 1_024;

/** When entries were made, by their numbers: eight bytes each. */
export class Ages {
  #createdAtMs = new Float64Array(FIRST_NUMBERS);

  of(number: number): number {
    return this.#createdAtMs[number] ?? 0;
  }

  compare(one: number, other: number): number {
    return this.of(one) - this.of(other);
  }

  set(number: number, createdAtMs: number): void {
    if (number >= this.#createdAtMs.length) this.#grow();
    this.#createdAtMs[number] = createdAtMs;
  }

  #grow(): void {
    const before = this.#createdAtMs;
    this.#createdAtMs = new Float64Array(2 * before.length);
    this.#createdAtMs.set(before);
  }
}
