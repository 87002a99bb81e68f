/** A record of one partition, from seen to done. */
export interface Seen {
  readonly offset: number;
  isDone: boolean;
}

/** Done records are removed in groups of this size: each removal moves what remains. */
const FORGET_AFTER = 1_024;

/**
 * What one partition's reader has seen and what of it is not done yet. Lives across generations: after a rebalance the client
 * reads again from the last commit (fact 7), and what was seen is recognised.
 */
export class Tracker {
  /** In the order of their offsets; those before `#head` are done. */
  #seen: Seen[] = [];
  #head = 0;
  #next: number | undefined;

  /** First offset not seen; undefined before the first record. */
  get next(): number | undefined {
    return this.#next;
  }

  /** Everything below is done: the offset that may be committed. Undefined before the first record. */
  get committable(): number | undefined {
    return this.#seen[this.#head]?.offset ?? this.#next;
  }

  /** True when the record is new; it then holds the commit back until it is done. */
  see(record: Seen): boolean {
    if (this.#next !== undefined && record.offset < this.#next) return false;
    this.#next = record.offset + 1;
    this.#seen.push(record);
    return true;
  }

  /** It was seen here, and no member is known to have done it. */
  isOpen(record: Seen): boolean {
    return this.#seen.lastIndexOf(record) >= this.#head;
  }

  done(record: Seen): void {
    record.isDone = true;
    while (this.#seen[this.#head]?.isDone === true) this.#head += 1;
    this.#forgetDone();
  }

  /**
   * The partition is ours again, from its committed offset on: what is outstanding below it was done by another member, so it
   * no longer holds the commit back.
   */
  resumeAt(offset: number): void {
    for (let record = this.#seen[this.#head]; record !== undefined; record = this.#seen[this.#head]) {
      if (record.offset >= offset && !record.isDone) return;
      this.#head += 1;
    }
  }

  /** Forgets this record and all after it: they were not worked on and will be read again. False when it was not seen here. */
  rewind(record: Seen): boolean {
    const index = this.#seen.lastIndexOf(record);
    if (index < this.#head) return false;
    this.#seen.length = index;
    this.#next = record.offset;
    return true;
  }

  #forgetDone(): void {
    if (this.#head < FORGET_AFTER) return;
    this.#seen = this.#seen.slice(this.#head);
    this.#head = 0;
  }
}
