/**
 * What one partition's reader has seen and what of it is not done yet. Lives across generations: after a rebalance the client
 * reads again from the last commit (fact 7), and what was seen is recognised.
 */
export class Tracker {
  /** In the order of their offsets, because they are added so. */
  readonly #outstanding = new Set<number>();
  #next: number | undefined;

  /** First offset not seen; undefined before the first record. */
  get next(): number | undefined {
    return this.#next;
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** True when the offset is new; it is then outstanding. */
  see(offset: number): boolean {
    if (this.#next !== undefined && offset < this.#next) return false;
    this.#next = offset + 1;
    this.#outstanding.add(offset);
    return true;
  }

  done(offset: number): void {
    this.#outstanding.delete(offset);
  }

  /** Everything below is done: the offset that may be committed. Undefined before the first record. */
  get committable(): number | undefined {
    for (const oldest of this.#outstanding) return oldest;
    return this.#next;
  }

  /**
   * The partition is ours again, from its committed offset on: what is outstanding below it was done by another member, so it
   * no longer holds the commit back.
   */
  resumeAt(offset: number): void {
    for (const oldest of this.#outstanding) {
      if (oldest >= offset) break;
      this.#outstanding.delete(oldest);
    }
  }

  /** Forgets what was seen from `offset` on: those records were not worked on and will be read again. */
  rewind(offset: number): void {
    if (this.#next === undefined || offset >= this.#next) return;
    for (const seen of this.#outstanding) if (seen >= offset) this.#outstanding.delete(seen);
    this.#next = offset;
  }
}
