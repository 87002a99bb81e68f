import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Seen, Tracker } from "./tracker.ts";

/** A tracker by offsets. */
class ByOffset extends Tracker {
  readonly #records = new Map<number, Seen>();

  /** Sees the offsets and returns those that were new. */
  seeAll(offsets: readonly number[]): number[] {
    return offsets.filter((offset) => {
      const record = { offset, timestampMs: 0, isDone: false };
      const isNew = this.see(record);
      if (isNew) this.#records.set(offset, record);
      return isNew;
    });
  }

  finish(offset: number): void {
    this.done(this.#records.get(offset) ?? { offset, timestampMs: 0, isDone: false });
  }

  rewindTo(offset: number): boolean {
    return this.rewind(this.#records.get(offset) ?? { offset, timestampMs: 0, isDone: false });
  }
}

describe("tracker", () => {
  test("nothing is committable before the first record", () => {
    expect(new Tracker().committable).toBeUndefined();
  });

  test("the oldest record that is not done holds the commit back", () => {
    const tracker = new ByOffset();
    tracker.seeAll([5, 6, 7]);
    tracker.finish(6);
    tracker.finish(7);
    expect(tracker.committable).toBe(5);
    tracker.finish(5);
    expect(tracker.committable).toBe(8);
  });

  test("offsets seen before a rebalance are recognised when they are fetched again (fact 7)", () => {
    const tracker = new ByOffset();
    tracker.seeAll([0, 1, 2, 3]);
    tracker.finish(2);
    expect(tracker.seeAll([0, 1, 2, 3, 4])).toEqual([4]);
  });

  test("compaction's gaps are passed over", () => {
    const tracker = new ByOffset();
    tracker.seeAll([3, 9]);
    tracker.finish(3);
    expect(tracker.committable).toBe(9);
  });

  test("records that another member has done meanwhile no longer hold the commit back", () => {
    const tracker = new ByOffset();
    tracker.seeAll([1, 2]);
    tracker.resumeAt(10, () => false);
    tracker.seeAll([10]);
    expect(tracker.committable).toBe(10);
  });

  test("the record at the group's own place holds the commit back while it is worked on", () => {
    const tracker = new ByOffset();
    tracker.seeAll([1, 2, 3]);
    tracker.resumeAt(2, () => false);
    expect(tracker.committable).toBe(2);
    tracker.finish(3);
    expect(tracker.committable).toBe(2);
    tracker.finish(2);
    expect(tracker.committable).toBe(4);
  });

  test("a record is open until it and all before it are done, the oldest as well", () => {
    const tracker = new Tracker();
    const seen = [1, 2].map((offset) => ({ offset, timestampMs: 0, isDone: false }));
    for (const record of seen) tracker.see(record);
    const [first, second] = seen;
    if (first === undefined || second === undefined) throw new Error("nothing seen");
    expect([tracker.isOpen(first), tracker.isOpen(second)]).toEqual([true, true]);
    expect(tracker.rewind(second)).toBe(true);
    tracker.see(second);
    tracker.done(first);
    expect([tracker.isOpen(first), tracker.isOpen(second)]).toEqual([false, true]);
  });

  test("the oldest record that is not done can be gone back to", () => {
    const tracker = new ByOffset();
    tracker.seeAll([1, 2, 3]);
    expect(tracker.rewindTo(1)).toBe(true);
    expect(tracker.seeAll([1, 2, 3])).toEqual([1, 2, 3]);
  });

  test("records that were fetched and dropped are new again", () => {
    const tracker = new ByOffset();
    tracker.seeAll([1, 2, 3]);
    tracker.finish(1);
    tracker.rewindTo(2);
    expect(tracker.committable).toBe(2);
    expect(tracker.seeAll([2, 3])).toEqual([2, 3]);
  });

  test("a record that was seen elsewhere cannot be gone back to", () => {
    const tracker = new ByOffset();
    tracker.seeAll([1, 2]);
    expect(tracker.rewind({ offset: 1, timestampMs: 0, isDone: false })).toBe(false);
    expect(tracker.next).toBe(3);
  });

  test("thousands of done records are forgotten without losing the place", () => {
    const tracker = new ByOffset();
    const offsets = Array.from({ length: 5_000 }, (_, i) => i);
    tracker.seeAll(offsets);
    for (const offset of offsets) if (offset !== 4_000) tracker.finish(offset);
    expect(tracker.committable).toBe(4_000);
    tracker.finish(4_000);
    expect(tracker.committable).toBe(5_000);
  });

  test("what is done behind the oldest open record is told in stretches, over gaps, and with the newest time", () => {
    const tracker = new Tracker();
    const seen = [1, 2, 3, 7, 8, 9].map((offset) => ({ offset, timestampMs: 100 + offset, isDone: false }));
    for (const record of seen) tracker.see(record);
    expect(tracker.doneAhead()).toBeUndefined();
    for (const record of seen) if ([2, 3, 7, 9].includes(record.offset)) tracker.done(record);
    const runs = [
      { from: 2, to: 8 },
      { from: 9, to: 10 },
    ];
    expect(tracker.doneAhead()).toEqual({ runs, newestAtMs: 109 });
    for (const record of seen) tracker.done(record);
    expect([tracker.committable, tracker.doneAhead()]).toEqual([10, { runs: [], newestAtMs: 109 }]);
  });

  test("in every order of finishing, everything below the committable offset is done and the offset itself is not", () => {
    const steps = fc.array(fc.oneof(fc.constant("see" as const), fc.nat({ max: 50 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (actions) => {
        const tracker = new ByOffset();
        const done = new Set<number>();
        let next = 0;
        for (const action of actions) {
          if (action === "see") {
            tracker.seeAll([next]);
            next += 1;
          } else if (action < next) {
            tracker.finish(action);
            done.add(action);
          }
          const committable = tracker.committable ?? 0;
          for (let offset = 0; offset < committable; offset += 1) expect(done.has(offset)).toBe(true);
          expect(done.has(committable)).toBe(false);
        }
      }),
    );
  });
});
