import { expect, test } from "@jest/globals";
import { audience as audienceOf, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent, completeRelease } from "./apply.ts";
import type { ComputationInput } from "./computation.ts";
import { type ComputationSet, compileSet } from "./computation-set.ts";
import { type ExpiryMoment, expire, noteEveryMs, noteUse } from "./expiry.ts";
import { createProfile, type Profile } from "./profile.ts";
import { profileFromRecord, profileToRecord } from "./record.ts";

const DAY_MS = 86_400_000;
const RETENTION_MS = 30 * DAY_MS;

const audience = (more: Partial<ComputationInput> = {}) =>
  audienceOf("a", { event: "A" }, { includeAnonymous: true, ...more });

const SET = compileSet([audience()]);

function call(profile: Profile, offset: number, atMs: number): string {
  const one = callOf({ messageId: `${offset}`, userId: null, anonymousId: "x", atMs });
  return applyEvent(profile, { kind: "call", call: one }, SET, { offset, nowMs: atMs });
}

/** A member, who was told so. */
function member(id = "anon:x"): Profile {
  const profile = createProfile(id, 7);
  call(profile, 7, NOW_MS);
  profile.outbox = [];
  return profile;
}

const after = (ms: number, more: Partial<ExpiryMoment> = {}): ExpiryMoment => ({
  nowMs: NOW_MS + ms,
  retentionMs: RETENTION_MS,
  committedTo: 100,
  logStart: 100,
  ...more,
});

const texts = ({ outbox }: Profile) => outbox.map(({ seq, text }) => `${seq} ${text}`);

test("once nobody has used it for the retention a member leaves, and nothing is known any more", () => {
  const profile = member();
  expect(expire(profile, SET, after(RETENTION_MS - 1))).toBe("kept");
  expect(expire(profile, SET, after(RETENTION_MS))).toBe("emptied");
  expect(texts(profile)).toEqual(["2 false"]);
  expect(profile).toMatchObject({
    judgedAtMs: 0,
    forgottenTo: 100,
    nextDeadlineMs: Number.POSITIVE_INFINITY,
  });
  expect([profile.events.size, profile.leaves.size, profile.recentCalls.length]).toEqual([0, 0, 0]);
});

test("its record goes a day later, or after the retention where that is shorter, and not while something is unsent", () => {
  const profile = member();
  expire(profile, SET, after(RETENTION_MS));
  expect(expire(profile, SET, after(3 * RETENTION_MS))).toBe("kept");
  profile.outbox = [];
  expect(expire(profile, SET, after(RETENTION_MS + DAY_MS - 1))).toBe("kept");
  expect(expire(profile, SET, after(RETENTION_MS + DAY_MS))).toBe("removed");
  const short = member();
  expire(short, SET, after(1_000, { retentionMs: 1_000 }));
  short.outbox = [];
  expect(expire(short, SET, after(1_999, { retentionMs: 1_000 }))).toBe("kept");
  expect(expire(short, SET, after(2_000, { retentionMs: 1_000 }))).toBe("removed");
});

test("a call that comes before the record is gone sends true once more, strictly later than the false", () => {
  const profile = member();
  expire(profile, SET, after(RETENTION_MS));
  const [left] = profile.outbox;
  profile.outbox = [];
  // Received before the pass, and stored after it.
  expect(call(profile, 100, NOW_MS + RETENTION_MS - 5)).toBe("applied");
  expect(profile.outbox).toMatchObject([{ seq: 3, text: "true", atMs: (left?.atMs ?? 0) + 1 }]);
  expect(profile.events.get("track A")?.count).toBe(1);
});

test("with each call it is kept for as long again", () => {
  const profile = member();
  call(profile, 8, NOW_MS + DAY_MS);
  expect(expire(profile, SET, after(RETENTION_MS))).toBe("kept");
});

test.each<[string, ComputationSet]>([
  ["paused", compileSet([audience({ state: "paused" })])],
  ["prepared", compileSet([audience({ state: "preparing" })])],
  ["deleted", compileSet([])],
])("a member of an audience that is %s stays: nothing may be sent of it", (_, set) => {
  const profile = member();
  expect(expire(profile, set, after(RETENTION_MS))).toBe("kept");
  expect(profile.events.size).toBe(1);
});

test("what is unsent, suppressed, or may come again from the log keeps it", () => {
  const unsent = member();
  const along = { traits: "", isTracked: false };
  unsent.outbox = [{ computationId: "a", generation: 1, seq: 1, text: "true", atMs: NOW_MS, ...along }];
  const suppressed = { ...member(), suppressions: [{ sourceId: null, fromOffset: 1, toOffset: null }] };
  for (const profile of [unsent, suppressed]) expect(expire(profile, SET, after(RETENTION_MS))).toBe("kept");
  expect(expire(member(), SET, after(RETENTION_MS, { committedTo: 7 }))).toBe("kept");
});

test("the profile of a user never goes, nor one where nothing is to go", () => {
  expect(expire(member("x"), SET, after(100 * RETENTION_MS))).toBe("kept");
  const never = after(100 * RETENTION_MS, { retentionMs: Number.POSITIVE_INFINITY });
  expect(expire(member(), SET, never)).toBe("kept");
});

test("a profile that a version before has written was seen when it was judged last", () => {
  const written = { ...profileToRecord(member()), seenAtMs: 0 };
  expect(profileFromRecord("anon:x", written).seenAtMs).toBe(NOW_MS);
  expect(profileFromRecord("x", written).seenAtMs).toBe(0);
});

test("a link goes after one and a half times as long, when the log has nothing from before it", () => {
  const link = member();
  applyEvent(link, { kind: "release", to: "u" }, SET, { offset: 9, nowMs: NOW_MS });
  expect(expire(link, SET, after(9 * RETENTION_MS))).toBe("kept");
  completeRelease(link);
  expect(expire(link, SET, after(1.5 * RETENTION_MS - 1))).toBe("kept");
  expect(expire(link, SET, after(1.5 * RETENTION_MS, { logStart: 9 }))).toBe("kept");
  expect(expire(link, SET, after(1.5 * RETENTION_MS, { logStart: 10 }))).toBe("unlinked");
});

test("a link that is made again, by calls that carry both ids, is used", () => {
  const link = member();
  const linkAt = (offset: number, atMs: number) =>
    applyEvent(link, { kind: "release", to: "u", linkedAtMs: atMs }, SET, { offset, nowMs: atMs });
  linkAt(9, NOW_MS);
  completeRelease(link);
  expect(linkAt(10, NOW_MS + RETENTION_MS)).toBe("applied");
  expect(expire(link, SET, after(2.5 * RETENTION_MS - 1))).toBe("kept");
  expect(expire(link, SET, after(2.5 * RETENTION_MS))).toBe("unlinked");
});

test("a link of which it is not known when it was used counts as used now", () => {
  const link = { ...createProfile("anon:x", 7), redirectTo: "u" };
  expect(expire(link, SET, after(0))).toBe("noted");
  expect(link.seenAtMs).toBe(NOW_MS);
  expect(expire(link, SET, after(1))).toBe("kept");
});

test("that a link is used is noted by quarters of the retention, never where nothing goes", () => {
  const link = { ...createProfile("anon:x", 7), redirectTo: "u", seenAtMs: NOW_MS };
  const everyMs = noteEveryMs(RETENTION_MS);
  expect(noteUse(link, NOW_MS + everyMs - 1, everyMs)).toBe(false);
  expect(noteUse(link, NOW_MS + everyMs, everyMs)).toBe(true);
  expect(noteUse(link, NOW_MS + 900 * DAY_MS, noteEveryMs(Number.POSITIVE_INFINITY))).toBe(false);
  expect(noteUse({ ...link, id: "u" }, NOW_MS + 900 * DAY_MS, 1)).toBe(false);
});
