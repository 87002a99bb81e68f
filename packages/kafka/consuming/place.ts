import { type DoneAhead, isDoneAhead, joined, withDone } from "./done-ahead.ts";
import { type Seen, Tracker } from "./tracker.ts";

/** Called when a batch shows that other records stand under old offsets now. */
export interface CutLog {
  /** First offset not seen before the cut. */
  readonly seenUpTo: number;
  readonly nowAt: number;
}

/**
 * The place in one partition, over the member's terms with it: what was seen, what of it is not done, and
 * what of that may be committed. Between the loss of the partition and the first batch of a new term this
 * member does not know how far the group has come, so it may commit nothing.
 */
export class Place {
  readonly #onCut: (cut: CutLog) => void;
  readonly #tracker = new Tracker();
  #isKnown = true;
  #mayRepeat = false;
  /** The log was cut in this term, and no batch of it was read since: nobody else has read it. */
  #isCut = false;
  /** First offset of all that was seen here, of the log as it is. */
  #seenFrom: number | undefined;
  /**
   * The offsets that the group's commit marked as done when the term began, with what this member did before
   * it read that commit.
   */
  #doneBefore: DoneAhead | undefined;
  /** The group's commit with which the term began; undefined until it is read. */
  #learned: number | undefined;
  /** The member stops. */
  #readsNoMore = false;
  /**
   * The number of records done in this term; of them, those done when a commit was sent, and when one was
   * answered.
   */
  #doneCount = 0;
  #sentCount = 0;
  #committedCount = 0;

  constructor(onCut: (cut: CutLog) => void) {
    this.#onCut = onCut;
  }

  /** First offset not seen. */
  get next(): number | undefined {
    return this.#tracker.next;
  }

  /** False from the loss of the partition, or its new assignment, to the first batch that follows. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /**
   * The offset that may be committed: everything before it is done. Undefined while the group's own place is
   * not known.
   */
  get committable(): number | undefined {
    return this.#isKnown ? this.#tracker.committable : undefined;
  }

  /**
   * The offsets done beyond `committable`, also those that an earlier owner has done and that were not read
   * here yet; undefined where nothing ever was.
   */
  doneAhead(): DoneAhead | undefined {
    if (!this.#isKnown) return undefined;
    const own = this.#tracker.doneAhead();
    const { next } = this.#tracker;
    return this.#doneBefore === undefined || next === undefined ? own : joined(own, this.#doneBefore, next);
  }

  /** The group's commit with which the term begins, and what it says is done beyond it. Where the place is known, the commit is our own. */
  learn(committed: number, done: DoneAhead | undefined): void {
    if (this.#isKnown) return;
    this.#learned = committed;
    this.#doneBefore = done;
    this.#resume();
  }

  /** The member stops: no batch will show how far the group has come, so its commit does. */
  readNoMore(): void {
    this.#readsNoMore = true;
    this.#resume();
  }

  /** Tells whether the group's commit must be read before anything can be committed. */
  get awaitsCommit(): boolean {
    return !this.#isKnown && !this.#isCut && this.#seenFrom !== undefined && this.#learned === undefined;
  }

  /** Nothing is taken from a commit that lies outside of what was seen here: another has done what follows it. */
  #resume(): void {
    const { next } = this.#tracker;
    const [from, committed] = [this.#seenFrom, this.#learned];
    if (!this.#readsNoMore || this.#isKnown || this.#isCut) return;
    if (from === undefined || next === undefined || committed === undefined) return;
    if (committed < from || committed > next) return;
    this.#tracker.resumeAt(committed, (record) => this.wasDone(record));
    this.#isKnown = true;
  }

  /** An earlier owner has done it, as the group's commit said. */
  wasDone(record: Pick<Seen, "offset" | "timestampMs">): boolean {
    return this.#doneBefore !== undefined && isDoneAhead(this.#doneBefore, record);
  }

  /** The partition is another's: what was held and not stepped, in order, is not seen any more. */
  lose(held: readonly Seen[]): void {
    this.#isKnown = false;
    this.#isCut = false;
    this.#endTerm();
    for (const record of held) if (this.#tracker.rewind(record)) return;
  }

  /** The next batches begin at the group's commit: what of them was seen here is not new. */
  ownAnew(): void {
    this.#isKnown = false;
    this.#isCut = false;
    this.#mayRepeat = true;
    this.#endTerm();
  }

  /**
   * A batch begins. The first of a term shows how far the group has come. One that goes back although nobody else can have read means
   * that the topic was created again, or its log was cut: its records are all new; what was read before at their offsets is still worked
   * on, but counts for no commit.
   */
  begin(firstOffset: number, nextOffset: number): void {
    this.#beginAt(firstOffset);
    const { next } = this.#tracker;
    if (next !== undefined && firstOffset < next && !this.#mayRepeat) this.#cutAt(firstOffset, next);
    if (nextOffset >= (next ?? 0)) this.#mayRepeat = false;
  }

  /**
   * Retention was faster than the reading, which goes on at the log's start: the group has come that far, whether a record follows or not. What it
   * has done behind the start stays done.
   */
  skipTo(startOffset: number): void {
    this.#beginAt(startOffset);
    this.#tracker.skipTo(startOffset);
  }

  #beginAt(offset: number): void {
    if (!this.#isKnown && !this.#isCut) this.#tracker.resumeAt(offset, (record) => this.wasDone(record));
    this.#isKnown = true;
    this.#isCut = false;
    this.#seenFrom ??= offset;
  }

  /**
   * The log ends before the place where the reading was to go on: what is read next is all new. What was seen and stands before the log's first
   * record is nowhere but here, as retention has removed it: it holds the commit back until it is done. Returns the time (Kafka's, Unix ms) of
   * the last record before which everything is done; undefined where nothing is known of that.
   */
  cut(startOffset: number): number | undefined {
    const newestAtMs = Math.max(
      this.#doneBefore?.newestAtMs ?? -1,
      this.#tracker.doneAhead()?.newestAtMs ?? -1,
    );
    const { oldestOpenAtMs = newestAtMs } = this.#tracker;
    this.#tracker.cutAt(startOffset);
    this.#seenFrom = startOffset;
    this.#isKnown = false;
    this.#isCut = true;
    this.#mayRepeat = false;
    this.#doneBefore = newestAtMs < 0 ? undefined : { runs: [], newestAtMs };
    return newestAtMs < 0 ? undefined : Math.min(newestAtMs, oldestOpenAtMs);
  }

  /**
   * True when the record is new, and nobody has done it. A member that goes on after a rebalance reads again from the commit; where it comes to
   * another record than it has seen under an offset, the log was cut in between.
   */
  see(record: Seen): boolean {
    const { next = 0 } = this.#tracker;
    if (this.#tracker.isOther(record)) this.#cutAt(record.offset, next);
    const isNew = this.#tracker.see(record);
    if (!isNew || !this.wasDone(record)) return isNew;
    this.#tracker.done(record);
    return false;
  }

  /** Treats records from this offset on as new. */
  #cutAt(nowAt: number, seenUpTo: number): void {
    this.#tracker.cutAt(nowAt);
    this.#seenFrom = Math.min(this.#seenFrom ?? nowAt, nowAt);
    this.#doneBefore = undefined;
    this.#onCut({ seenUpTo, nowAt });
  }

  done(record: Seen): void {
    this.#tracker.done(record);
    this.#doneCount += 1;
  }

  /** All that was done in this term is committed. */
  get isCommitted(): boolean {
    return this.#committedCount === this.#doneCount;
  }

  /** Notes that the current position was sent. */
  sent(): void {
    if (this.#isKnown) this.#sentCount = this.#doneCount;
  }

  /** Notes that the position that was sent last is committed. */
  committed(): void {
    this.#committedCount = this.#sentCount;
  }

  /** Ends the term. Its next owner finds out what was done in it. */
  #endTerm(): void {
    this.#doneBefore = undefined;
    this.#learned = undefined;
    [this.#doneCount, this.#sentCount, this.#committedCount] = [0, 0, 0];
  }

  /** It was done before its turn, whether it was read here or not. Between two terms that is for its next owner to find out. */
  doneEarly(record: Pick<Seen, "offset" | "timestampMs">): void {
    if (!this.#isKnown) return;
    this.#doneCount += 1;
    const { next } = this.#tracker;
    if (next !== undefined && record.offset < next) this.#tracker.doneAt(record);
    else this.#doneBefore = withDone(this.#doneBefore, record);
  }

  /** Nobody worked on it. True when it is to be stepped again here; else it will be read again, or was done by another. */
  takeBack(record: Seen): boolean {
    // A new term reads everything again from the commit until its first batch; after that, nothing that is
    // older.
    if (this.#isKnown || this.#isCut) return this.#tracker.isOpen(record);
    this.#tracker.rewind(record);
    return false;
  }
}
