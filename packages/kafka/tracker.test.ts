import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Tracker } from "./tracker.ts";

/** Sees the offsets and returns those that were new. */
function seeAll(tracker: Tracker, offsets: readonly number[]): number[] {
  return offsets.filter((offset) => tracker.see(offset));
}

describe("tracker", () => {
  test("nothing is committable before the first record", () => {
    expect(new Tracker().committable).toBeUndefined();
  });

  test("the oldest record that is not done holds the commit back", () => {
    const tracker = new Tracker();
    seeAll(tracker, [5, 6, 7]);
    tracker.done(6);
    tracker.done(7);
    expect(tracker.committable).toBe(5);
    tracker.done(5);
    expect(tracker.committable).toBe(8);
  });

  test("offsets seen before a rebalance are recognised when they are fetched again (fact 7)", () => {
    const tracker = new Tracker();
    seeAll(tracker, [0, 1, 2, 3]);
    tracker.done(2);
    expect(seeAll(tracker, [0, 1, 2, 3, 4])).toEqual([4]);
  });

  test("compaction's gaps are passed over", () => {
    const tracker = new Tracker();
    seeAll(tracker, [3, 9]);
    tracker.done(3);
    expect(tracker.committable).toBe(9);
  });

  test("records that another member has done meanwhile no longer hold the commit back", () => {
    const tracker = new Tracker();
    seeAll(tracker, [1, 2]);
    tracker.resumeAt(10);
    seeAll(tracker, [10]);
    expect(tracker.committable).toBe(10);
  });

  test("records that were fetched and dropped are new again", () => {
    const tracker = new Tracker();
    seeAll(tracker, [1, 2, 3]);
    tracker.done(1);
    tracker.rewind(2);
    expect(tracker.committable).toBe(2);
    expect(seeAll(tracker, [2, 3])).toEqual([2, 3]);
  });

  test("in every order of finishing, everything below the committable offset is done and the offset itself is not", () => {
    const steps = fc.array(fc.oneof(fc.constant("see" as const), fc.nat({ max: 50 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (actions) => {
        const tracker = new Tracker();
        const done = new Set<number>();
        let next = 0;
        for (const action of actions) {
          if (action === "see") {
            tracker.see(next);
            next += 1;
          } else if (action < next) {
            tracker.done(action);
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
