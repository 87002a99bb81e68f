import { type Seen, Tracker } from "./tracker.ts";

/** What a batch showed: other records stand under old offsets now. */
export interface CutLog {
  /** First offset not seen before the cut. */
  readonly seenUpTo: number;
  readonly nowAt: number;
}

/**
 * Where the reading of one partition stands, over the member's terms with it: what was seen, what of it is not done, and what of
 * that may be committed. Between the loss of the partition and the first batch of a new term nobody here knows how far the group
 * has come, so nothing may be committed.
 */
export class Place {
  #tracker = new Tracker();
  #isKnown = true;
  #mayRepeat = false;

  /** First offset not seen. */
  get next(): number | undefined {
    return this.#tracker.next;
  }

  /** False from the loss of the partition, or its new assignment, to the first batch that follows. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** What may be committed: everything before it is done. Undefined while the group's own place is not known. */
  get committable(): number | undefined {
    return this.#isKnown ? this.#tracker.committable : undefined;
  }

  /** The partition is another's: what was held and not stepped, in order, is not seen any more. */
  lose(held: readonly Seen[]): void {
    this.#isKnown = false;
    for (const record of held) if (this.#tracker.rewind(record)) return;
  }

  /** The next batches begin at the group's commit: what of them was seen here is not new. */
  ownAnew(): void {
    this.#isKnown = false;
    this.#mayRepeat = true;
  }

  /**
   * A batch begins. The first of a term shows how far the group has come. One that goes back although nobody else can have read means
   * that the topic was created again, or its log was cut: its records are all new; what was read before is still worked on, but
   * counts for no commit.
   */
  begin(firstOffset: number, nextOffset: number): CutLog | undefined {
    if (!this.#isKnown) this.#tracker.resumeAt(firstOffset);
    this.#isKnown = true;
    const { next } = this.#tracker;
    const isCut = next !== undefined && firstOffset < next && !this.#mayRepeat;
    if (isCut) this.#tracker = new Tracker();
    if (nextOffset >= (next ?? 0)) this.#mayRepeat = false;
    return isCut ? { seenUpTo: next, nowAt: firstOffset } : undefined;
  }

  /** True when the record is new. */
  see(record: Seen): boolean {
    return this.#tracker.see(record);
  }

  done(record: Seen): void {
    this.#tracker.done(record);
  }

  /** Nobody worked on it. True when it is to be stepped again here; else it will be read again, or was done by another. */
  takeBack(record: Seen): boolean {
    // Before the first batch of a new term everything is read again from the commit; after it, nothing that is older.
    if (this.#isKnown) return this.#tracker.isOpen(record);
    this.#tracker.rewind(record);
    return false;
  }
}
