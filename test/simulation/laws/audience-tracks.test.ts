import { expect, test } from "@jest/globals";
import type { ProfileFlip } from "#topics";
import { tracksFollowChanges } from "./audience-tracks.ts";
import {
  brokenBy,
  CALM_MS,
  given,
  profile,
  sent,
  audienceStory as story,
  tracked,
  version,
} from "./fixtures/audience-story.ts";
import type { Story } from "./story.ts";

const TRACKS = "each change that is to have a track call has one";
const CALL = given("m1", 10_000);
const IN = { value: true, atMs: 10_000, origin: { seq: 1 } };
const OUT = { value: false, atMs: 70_000, origin: { seq: 2 } };

/** A profile on its way, with a change that is to be sent. */
const unsent = (seq: number, isTracked: boolean) => {
  const flip: ProfileFlip = {
    computationId: "a1",
    toAccount: "",
    generation: 1,
    seq,
    text: "",
    atMs: 0,
    traits: "",
    isTracked,
  };
  return profile(seq - 3, { seq, outbox: [flip] });
};
const TRACKED = [unsent(1, true), unsent(2, true), profile(0, { seq: 2 })];
const CALLS = [CALL, sent(IN), tracked(IN), sent(OUT), tracked(OUT)];

const broken = (more: Partial<Story>, writes?: Parameters<typeof story>[1]): string[] =>
  brokenBy(story(more, writes));

test("a world in which each change has its track call breaks no law, also where one is written again", () => {
  expect(broken({ calls: CALLS, profiles: TRACKED })).toEqual([]);
  expect(broken({ calls: [...CALLS, tracked(OUT)], profiles: TRACKED })).toEqual([]);
});

test("one that is missing is excused where its user was deleted behind the change", () => {
  const deletedAt = (atMs: number) =>
    ({ atMs, record: { key: "u1" }, value: { kind: "delete" } }) as Story["profileEvents"][number];
  const missing = { calls: CALLS.slice(0, -1), profiles: TRACKED };
  const wrong = (atMs: number) =>
    tracksFollowChanges(story({ ...missing, profileEvents: [deletedAt(atMs)] })).length;
  expect([wrong(-1), wrong(1e9)]).toEqual([1, 0]);
});

test.each([
  ["one that is missing", CALLS.slice(0, -1), TRACKED],
  [
    "one of a change that is to have none",
    CALLS,
    [unsent(1, true), unsent(2, false), profile(0, { seq: 2 })],
  ],
  ["one of no change", [...CALLS, tracked({ ...OUT, origin: { seq: 3 } })], TRACKED],
  ["another event", [CALL, sent(IN), tracked({ ...IN, value: false }), sent(OUT), tracked(OUT)], TRACKED],
  ["another time", [...CALLS.slice(0, -1), tracked({ ...OUT, atMs: 70_001 })], TRACKED],
  [
    "one before its identify",
    [CALL, sent(IN), tracked(IN), sent(OUT), { ...tracked(OUT), place: 0 }],
    TRACKED,
  ],
  [
    "other traits than its identify has",
    [...CALLS.slice(0, -1), tracked(OUT, { properties: { audience_id: "a1", plan: "pro" } })],
    TRACKED,
  ],
])("the law is broken by %s", (_, calls, profiles) => {
  expect(broken({ calls, profiles })).toEqual([TRACKS]);
});

test("the law is broken by changes long after the calm that are not tracked, of an audience that always has track calls", () => {
  const { plan } = story();
  const untracked = {
    calls: [CALL, sent(IN), sent(OUT)],
    profiles: [unsent(2, false), profile(0, { seq: 2 })],
  };
  const calmed = { ...plan, timing: { ...plan.timing, calmMs: 40_000 } };
  const always = [version(1, { hasTrackCalls: true })];
  expect(broken({ ...untracked, plan: { ...calmed, audiences: always } })).toEqual([TRACKS]);
  expect(
    broken({
      ...untracked,
      plan: { ...calmed, timing: { ...plan.timing, calmMs: CALM_MS }, audiences: always },
    }),
  ).toEqual([]);
  const later = [version(1), version(2, { hasTrackCalls: true })];
  expect(broken({ ...untracked, plan: { ...calmed, audiences: later } })).toEqual([]);
});
