/** Chance that is the same for the same seed. */
export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = this.#seed;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return mix(this.#state) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True so often, 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<const T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.next() * items.length)] ?? items[0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, place: this.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }

  /**
   * Chance of its own for one purpose: it depends on this one's seed and the purpose, and not on what was drawn before. What is left out
   * of a plan so leaves the rest as it was.
   */
  split(purpose: string): Random {
    let hash = mix(this.#seed ^ 0x811c9dc5);
    for (let at = 0; at < purpose.length; at += 1) hash = mix(hash ^ purpose.charCodeAt(at));
    return new Random(hash);
  }
}

/** 32 bits of a number, mixed: the step of the mulberry32 generator. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}
