/**
 * A map that holds at most so many entries, those that were set or asked for last. Entries are forgotten by the generation: one at a time
 * would cost a walk over all that were forgotten before (15 µs), and keeping their order more than most of what is kept here.
 */
export class RecentMap<V> {
  readonly #maxOfGeneration: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(maxEntries: number) {
    this.#maxOfGeneration = Math.max(1, Math.floor(maxEntries / 2));
  }

  get(key: string): V | undefined {
    const young = this.#young.size === 0 ? undefined : this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.size === 0 ? undefined : this.#old.get(key);
    // It belongs to the next generation, too.
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#maxOfGeneration) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: string): void {
    if (this.#young.size > 0) this.#young.delete(key);
    if (this.#old.size > 0) this.#old.delete(key);
  }
}
