import { describe, expect, test } from "@jest/globals";
import { DeadLetterCounts, type DeadLetterSeen } from "./dead-letter-counts.ts";

const MINUTE_MS = 60_000;

/** Counts whose announcements are kept as [destination, count, first origin]; `done` holds the offsets that may be committed, `back` those given back. */
function setup() {
  const announced: [string, number, string][] = [];
  const done: number[] = [];
  const back: number[] = [];
  let offset = 0;
  const counts = new DeadLetterCounts((destinationId, { count, origin }, first) => {
    announced.push([destinationId, count, origin]);
    first.done();
  });
  function add(nowMs: number, more: Partial<DeadLetterSeen> = {}): void {
    const own = offset;
    offset += 1;
    const letter = { destinationId: "d", partition: 0, origin: `o-${own}`, reason: "permanent", deadAtMs: 0 };
    counts.add({ ...letter, ...more }, nowMs, {
      done: () => void done.push(own),
      giveBack: () => void back.push(own),
    });
  }
  return { add, announced, back, counts, done };
}

describe("dead letters of a destination (contract 4.5)", () => {
  test("are reported at once, then once a minute with their count", () => {
    const { add, announced, counts } = setup();
    for (const nowMs of [0, 1, 2, 3]) add(nowMs);
    counts.tick(MINUTE_MS - 1);
    expect(announced).toEqual([["d", 1, "o-0"]]);
    counts.tick(MINUTE_MS);
    expect(announced.slice(1)).toEqual([["d", 3, "o-1"]]);
    add(MINUTE_MS + 1);
    counts.tick(2 * MINUTE_MS);
    expect(announced.slice(2)).toEqual([["d", 1, "o-4"]]);
  });

  test("begin again after a quiet minute", () => {
    const { add, announced, counts } = setup();
    add(0);
    counts.tick(MINUTE_MS);
    add(MINUTE_MS + 1);
    expect(announced).toEqual([
      ["d", 1, "o-0"],
      ["d", 1, "o-1"],
    ]);
  });

  test("are counted apart from another's", () => {
    const { add, announced } = setup();
    add(0);
    add(1, { destinationId: "e" });
    expect(announced.map(([id]) => id)).toEqual(["d", "e"]);
  });

  test("that were not reported yet hold the commit back at the first of them", () => {
    const { add, counts, done } = setup();
    for (const nowMs of [0, 1, 2, 3]) add(nowMs);
    expect(done).toEqual([0, 2, 3]);
    counts.tick(MINUTE_MS);
    expect(done).toEqual([0, 2, 3, 1]);
  });

  test("of a partition that was taken away are the next owner's, those of others stay", () => {
    const { add, announced, back, counts, done } = setup();
    for (const nowMs of [0, 1]) add(nowMs);
    for (const nowMs of [0, 1]) add(nowMs, { destinationId: "e", partition: 1 });
    counts.forget(new Set([0]));
    counts.tick(MINUTE_MS);
    expect(announced.slice(2)).toEqual([["e", 1, "o-3"]]);
    // The one that held the commit back is held no longer, and none has two ends.
    expect([done, back]).toEqual([[0, 2, 3], [1]]);
  });

  test("are reported with their reasons and times", () => {
    const letters: object[] = [];
    const counts = new DeadLetterCounts((_id, told, first) => {
      letters.push(told);
      first.done();
    });
    const letter = { destinationId: "d", partition: 0, origin: "o" };
    const noted = { done: () => undefined, giveBack: () => undefined };
    counts.add({ ...letter, reason: "window_over", deadAtMs: 1 }, 0, noted);
    counts.add({ ...letter, reason: "window_over", deadAtMs: 5 }, 0, noted);
    counts.add({ ...letter, reason: "permanent", deadAtMs: 3 }, 0, noted);
    counts.tick(MINUTE_MS);
    expect(letters[1]).toEqual({
      origin: "o",
      count: 2,
      reasons: { window_over: 1, permanent: 1 },
      fromMs: 3,
      toMs: 5,
    });
  });
});
