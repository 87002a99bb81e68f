import type { DoneAhead, DoneRun } from "./done-ahead.ts";

/** A record of one partition, from seen to done. */
export interface Seen {
  readonly offset: number;
  /** Kafka's, Unix ms. */
  readonly timestampMs: number;
  isDone: boolean;
}

/** Done records are removed in groups of this size: each removal moves what remains. */
const FORGET_AFTER = 1_024;

/**
 * Records behind the oldest open one that are searched for done ones: 0.6 ms. Records further on are done
 * again after a kill.
 */
const MAX_AHEAD = 100_000;

/**
 * The offsets of one partition that were seen, and those that are not done yet. It lives across generations:
 * after a rebalance the client reads again from the last commit (fact 7), and the tracker recognises what was
 * seen.
 */
export class Tracker {
  /** Seen records in order of offset; those before `#head` are done. */
  #seen: Seen[] = [];
  #head = 0;
  #next: number | undefined;
  /** No record from here on is done. */
  #doneTo = 0;
  #newestDoneAtMs: number | undefined;
  #newestSeenAtMs = 0;

  /** First offset not seen; undefined before the first record. */
  get next(): number | undefined {
    return this.#next;
  }

  /** Everything below is done: the offset that may be committed. Undefined before the first record. */
  get committable(): number | undefined {
    return this.#seen[this.#head]?.offset ?? this.#next;
  }

  /** Kafka's time of the oldest record that is not done. */
  get oldestOpenAtMs(): number | undefined {
    return this.#seen[this.#head]?.timestampMs;
  }

  /** The offsets done behind the oldest one that is not; undefined where nothing was ever done. */
  doneAhead(): DoneAhead | undefined {
    const runs: DoneRun[] = [];
    let run: { from: number; to: number } | undefined;
    const end = Math.min(this.#seen.length, this.#head + MAX_AHEAD);
    for (let at = this.#head; at < end; at += 1) {
      const record = this.#seen[at];
      if (record === undefined || record.offset >= this.#doneTo) break;
      if (!record.isDone) run = undefined;
      else {
        if (run === undefined) {
          run = { from: record.offset, to: record.offset };
          runs.push(run);
        }
        run.to = record.offset + 1;
      }
    }
    return this.#newestDoneAtMs === undefined ? undefined : { runs, newestAtMs: this.#newestDoneAtMs };
  }

  /** Nothing is below the offset but what was seen. */
  skipTo(offset: number): void {
    this.#next = Math.max(this.#next ?? offset, offset);
  }

  /** True when the record is new; it then holds the commit back until it is done. */
  see(record: Seen): boolean {
    if (this.#next !== undefined && record.offset < this.#next) return false;
    this.#next = record.offset + 1;
    this.#newestSeenAtMs = Math.max(this.#newestSeenAtMs, record.timestampMs);
    this.#seen.push(record);
    return true;
  }

  /** It was seen here, and no member is known to have done it. */
  isOpen(record: Seen): boolean {
    return !record.isDone && this.#seen.lastIndexOf(record) >= this.#head;
  }

  done(record: Seen): void {
    record.isDone = true;
    this.#doneTo = Math.max(this.#doneTo, record.offset + 1);
    this.#newestDoneAtMs = Math.max(this.#newestDoneAtMs ?? 0, record.timestampMs);
    while (this.#seen[this.#head]?.isDone === true) this.#head += 1;
    this.#forgetDone();
  }

  /**
   * Marks the record seen under this offset as done. A record that was written at another time is another
   * one: the log was cut.
   */
  doneAt({ offset, timestampMs }: Pick<Seen, "offset" | "timestampMs">): void {
    const record = this.#seen[this.#firstFrom(offset)];
    if (record?.offset === offset && record.timestampMs === timestampMs) this.done(record);
  }

  /**
   * Whether another was seen under its offset: the log was cut in between. By its time where that is still known, as of the newest thousand; else it
   * is another when it is newer than all that was seen.
   */
  isOther({ offset, timestampMs }: Pick<Seen, "offset" | "timestampMs">): boolean {
    if (offset >= (this.#next ?? 0)) return false;
    const known = this.#seen[this.#firstFrom(offset, 0)];
    const time = known?.offset === offset ? known.timestampMs : undefined;
    return time === undefined ? timestampMs > this.#newestSeenAtMs : time !== timestampMs;
  }

  /** Other records stand in the log from this offset on: what was seen there holds no commit back any more. */
  cutAt(offset: number): void {
    this.#seen = this.#seen.slice(this.#head, this.#firstFrom(offset));
    this.#head = 0;
    this.#next = offset;
    this.#doneTo = Math.min(this.#doneTo, offset);
  }

  /** Index of the first that is at the offset or behind it, of those that are not all done unless it is said otherwise. */
  #firstFrom(offset: number, start = this.#head): number {
    let from = start;
    let to = this.#seen.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#seen[middle]?.offset ?? offset) < offset) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /**
   * The partition is ours again, from its committed offset on: what is outstanding below it, and what of the rest the commit says is done,
   * was done by another member, so it no longer holds the commit back.
   */
  resumeAt(offset: number, isDone: (record: Seen) => boolean): void {
    for (const record of this.#seen.slice(this.#head)) if (isDone(record)) this.done(record);
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
