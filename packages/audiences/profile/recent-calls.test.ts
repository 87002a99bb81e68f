import { expect, test } from "@jest/globals";
import { joinCalls, MAX_RECENT_CALLS } from "./recent-calls.ts";

test.each([3, MAX_RECENT_CALLS])(
  "a merge has each of %p calls of both profiles once, the newest of both last",
  (count) => {
    const moved = Array.from({ length: count }, (_, index) => index);
    const own = moved.map((hash) => 1_000 + hash);
    const joined = joinCalls(moved, own);
    expect([...joined].sort((a, b) => a - b)).toEqual([...moved, ...own]);
    const newest = joined.slice(-MAX_RECENT_CALLS);
    for (const calls of [moved, own])
      expect(newest).toEqual(expect.arrayContaining(calls.slice(-MAX_RECENT_CALLS / 2)));
    expect(joined.at(-1)).toBe(own.at(-1));
  },
);
