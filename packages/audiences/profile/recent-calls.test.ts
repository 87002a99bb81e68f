import { expect, test } from "@jest/globals";
import { callOf } from "../fixtures/definitions.ts";
import { createProfile } from "./profile.ts";
import { joinCalls, knowsCall, MAX_RECENT_CALLS, rememberCall } from "./recent-calls.ts";
import { profileFromRecord, profileToRecord } from "./record.ts";

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

test("the newest 256 calls are known and none before them, whether the profile was read again or not", () => {
  const profile = createProfile("u", 1);
  const calls = Array.from({ length: MAX_RECENT_CALLS + 50 }, (_, n) => callOf({ messageId: `m${n}` }));
  for (const call of calls) rememberCall(profile, call);
  for (const one of [profile, profileFromRecord("u", profileToRecord(profile))])
    expect(calls.filter((call) => knowsCall(one, call))).toEqual(calls.slice(-MAX_RECENT_CALLS));
});
