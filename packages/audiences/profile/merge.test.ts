import { describe, expect, test } from "@jest/globals";
import { callOf as anyCall, audience, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent, completeRelease } from "./apply.ts";
import { addPast, foldPast, forgetLeaf } from "./backfill.ts";
import { compileSet } from "./computation-set.ts";
import type { ProfileCall } from "./event.ts";
import { createProfile, type Profile } from "./profile.ts";
import { MAX_RECENT_CALLS } from "./recent-calls.ts";
import { profileFromRecord, profileToRecord } from "./record.ts";

const TWICE = { event: "A", within: "1d", count: { op: "gte", value: 2 } };
const SET = compileSet([audience("aud", TWICE, { includeAnonymous: true })]);
let offset = 0;

function apply(profile: Profile, fields: Partial<ProfileCall>): string {
  offset += 1;
  const call = anyCall({ messageId: `m${offset}`, userId: null, anonymousId: "x", ...fields });
  return applyEvent(profile, { kind: "call", call }, SET, { offset, nowMs: NOW_MS });
}

function merge(anonymous: Profile, user: Profile): string {
  offset += 1;
  applyEvent(anonymous, { kind: "release", to: user.id }, SET, { offset, nowMs: NOW_MS });
  offset += 1;
  return applyEvent(user, { kind: "merge", moved: anonymous }, SET, { offset, nowMs: NOW_MS });
}

const identify = (traits: object, receivedAtMs: number) => {
  return { type: "identify", body: { traits }, receivedAtMs, timestampMs: NOW_MS - 10 };
};

describe("an anonymous profile that is merged into a user's", () => {
  test("brings its calls; what was sent of it stays, and flips are the user's", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    apply(anonymous, {});
    apply(user, { userId: "u", anonymousId: null });
    expect(merge(anonymous, user)).toBe("applied");
    expect(user.outbox).toMatchObject([{ computationId: "aud", text: "true", seq: 1 }]);
    expect(anonymous.outbox).toEqual([]);
    expect(apply(anonymous, {})).toBe("redirected");
  });

  test("a copy of a call that came before the merge counts once", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    apply(anonymous, { messageId: "once" });
    merge(anonymous, user);
    expect(apply(user, { messageId: "once" })).toBe("duplicate");
    expect(user.outbox).toEqual([]);
  });

  test("a call after the merge changes nothing of what was brought, which a second reading brings again", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    const counts = ({ events }: Profile) => [...events.values()].map(({ count }) => count);
    apply(anonymous, { name: "B" });
    merge(anonymous, user);
    apply(user, { name: "B" });
    expect([counts(anonymous), counts(user)]).toEqual([[1], [2]]);
  });

  test("of two with 256 calls each the newest calls count once, also when it is read again", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    for (let index = 1; index <= MAX_RECENT_CALLS; index += 1)
      for (const [profile, of] of [
        [anonymous, "x"],
        [user, "u"],
      ] as const)
        apply(profile, { name: "B", messageId: `${of}${index}` });
    merge(anonymous, user);
    const again = profileFromRecord("u", profileToRecord(user));
    expect(merge({ ...anonymous, redirectTo: undefined }, again)).toBe("duplicate");
    for (const messageId of ["x129", "x256", "u130", "u256"])
      expect([messageId, apply(again, { messageId })]).toEqual([messageId, "duplicate"]);
  });

  test("the merge counts once too, and then the merged profile keeps only where it went", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    apply(anonymous, {});
    merge(anonymous, user);
    offset += 1;
    const again = { kind: "merge", moved: anonymous } as const;
    expect(applyEvent(user, again, SET, { offset, nowMs: NOW_MS })).toBe("duplicate");
    completeRelease(anonymous);
    expect(anonymous).toMatchObject({ redirectTo: "u", recentCalls: [], sizeBytes: 0 });
    expect(anonymous.leaves.size + anonymous.events.size).toBe(0);
  });

  test.each([
    ["received later", 1, "anonymous"],
    ["received at the same time", 0, "user"],
    ["received earlier", -1, "user"],
  ])("of two traits at the same time, the anonymous one %s: that of the %s", (_when, laterMs, winner) => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    apply(anonymous, identify({ plan: "anonymous" }, NOW_MS - 5 + laterMs));
    apply(user, { userId: "u", ...identify({ plan: "user" }, NOW_MS - 5) });
    merge(anonymous, user);
    expect(user.traits.get("plan")?.value).toBe(winner);
  });
});

test("a part that a backfill finds counts once in each life of its leaf, up to whatever offset it is found", () => {
  const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
  merge(anonymous, user);
  completeRelease(anonymous);
  const give = (life: number, foundAtMs: number): string => {
    const set = compileSet([audience("aud", TWICE)], () => ({ fromOffset: 10, isReady: true, life }));
    const [uses, states] = [[...set.leaves.values()], new Map()];
    for (const use of uses)
      for (const past of [1, 2])
        foldPast(states, anyCall({ atMs: NOW_MS - past }), use, { atMs: NOW_MS - past, nowMs: NOW_MS });
    const part = { ...createProfile("anon:x", 1), redirectTo: "u" };
    addPast(part, states, { uses, toOffset: 5, nowMs: foundAtMs });
    offset += 1;
    return applyEvent(user, { kind: "merge", moved: part }, set, { offset, nowMs: NOW_MS });
  };
  expect([give(0, NOW_MS), give(0, NOW_MS)]).toEqual(["applied", "duplicate"]);
  for (const key of user.leaves.keys()) forgetLeaf(user, key);
  // Sent again; found anew; and found once more, as the other partition begins its leaf anew later than this one.
  const given = [give(1, NOW_MS), give(1, NOW_MS + 1), give(1, NOW_MS + 2)];
  expect(given).toEqual(["duplicate", "applied", "duplicate"]);
  expect([...user.leaves.values()]).toMatchObject([{ times: [NOW_MS - 1, NOW_MS - 2] }]);
});

test("of two aliases that name each other, the profile whose own state comes back stands again, under new message ids", () => {
  const set = compileSet([]);
  const profile = createProfile("u", 3);
  applyEvent(profile, { kind: "delete", atMs: 1 }, set, { offset: 4, nowMs: 10 });
  applyEvent(profile, { kind: "release", to: "v" }, set, { offset: 5, nowMs: 10 });
  const moved = { ...createProfile("u", 3), judgedAtMs: 10 };
  moved.traits.set("plan", { value: "pro", atMs: 9, receivedAtMs: 9 });
  const other = { kind: "merge", moved: createProfile("w", 0) } as const;
  expect(applyEvent(profile, other, set, { offset: 6, nowMs: 11 })).toBe("redirected");
  expect(applyEvent(profile, { kind: "merge", moved }, set, { offset: 7, nowMs: 12 })).toBe("applied");
  expect(profile).toMatchObject({ redirectTo: undefined, incarnation: 7, appliedOffset: 7 });
  expect(profile.traits.get("plan")?.value).toBe("pro");
});

describe("what is merged into a suppressed user", () => {
  const suppress = (user: Profile, isSuppressed: boolean): void => {
    offset += 1;
    const event = { kind: "suppress", sourceId: null, isSuppressed } as const;
    applyEvent(user, event, SET, { offset, nowMs: NOW_MS });
  };
  const give = (user: Profile, moved: Profile): string => {
    offset += 1;
    return applyEvent(user, { kind: "merge", moved }, SET, { offset, nowMs: NOW_MS });
  };

  /** What a backfill has found, up to an offset, of a profile that was merged before. */
  function partOf(anonymous: Profile, toOffset: number): Profile {
    const part = createProfile(anonymous.id, anonymous.incarnation);
    part.backfilled.set("leaf", toOffset);
    return part;
  }

  test("is of no account when it comes again after the suppression, nor is a part of it that is found then", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    apply(anonymous, {});
    suppress(user, true);
    expect(merge(anonymous, user)).toBe("suppressed");
    suppress(user, false);
    expect([give(user, anonymous), give(user, partOf(anonymous, 5))]).toEqual(["suppressed", "suppressed"]);
  });

  test("counts with what is found later, where only a part of it came while the user was suppressed", () => {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    suppress(user, true);
    expect(give(user, partOf(anonymous, 5))).toBe("suppressed");
    suppress(user, false);
    expect(give(user, partOf(anonymous, 9))).toBe("applied");
  });
});

describe("a deletion ends links", () => {
  const LATER_MS = NOW_MS + 100;
  const moment = (more: object = {}) => {
    offset += 1;
    return { offset, nowMs: LATER_MS, ...more };
  };
  const callOf = (atMs: number) =>
    anyCall({ messageId: `at ${atMs} ${offset}`, userId: null, anonymousId: "x", atMs });
  const release = (linkedAtMs: number, to = "u") => ({ kind: "release", to, linkedAtMs }) as const;
  const deletion = { kind: "delete", atMs: NOW_MS + 50 } as const;

  /** An anonymous profile that is merged into that of a user, who is deleted then. */
  function deleted() {
    const [anonymous, user] = [createProfile("anon:x", 1), createProfile("u", 2)];
    applyEvent(anonymous, release(NOW_MS), SET, moment());
    applyEvent(user, deletion, SET, moment());
    return { anonymous, user };
  }

  describe("of a user who was merged into another one", () => {
    /** Both together have done A twice. */
    function survivor() {
      const user = createProfile("u", 2);
      for (const atMs of [NOW_MS - 1, NOW_MS])
        applyEvent(user, { kind: "call", call: { ...callOf(atMs), messageId: `${atMs}` } }, SET, moment());
      user.lists.add("list");
      return user;
    }
    const passed = () => moment({ nowMs: LATER_MS, passedByLinkMs: NOW_MS });

    test("takes along what the surviving one has counted, and sends what has changed by that; lists are its own", () => {
      const user = survivor();
      const { incarnation } = user;
      expect(applyEvent(user, deletion, SET, passed())).toBe("applied");
      expect(user.outbox.map(({ seq, text }) => `${seq} ${text}`)).toEqual(["1 true", "2 false"]);
      expect(user.outbox[1]?.atMs).toBeGreaterThan(deletion.atMs);
      expect([...user.lists]).toEqual(["list"]);
      expect([user.leaves.size, user.events.size]).toEqual([0, 0]);
      for (const atMs of [LATER_MS + 1, LATER_MS + 2])
        applyEvent(user, { kind: "call", call: { ...callOf(atMs), messageId: `${atMs}` } }, SET, moment());
      expect(user.outbox.map(({ text }) => text)).toEqual(["true", "false", "true"]);
      expect(user.incarnation).toBe(incarnation);
    });

    test("sends nothing more once the surviving one is deleted, too", () => {
      const user = survivor();
      applyEvent(user, deletion, SET, moment());
      expect(applyEvent(user, deletion, SET, passed())).toBe("unlinked");
      expect(user.outbox).toEqual([]);
    });

    test("sends nothing of a surviving one who is suppressed", () => {
      const user = survivor();
      applyEvent(user, { kind: "suppress", sourceId: null, isSuppressed: true }, SET, moment());
      applyEvent(user, deletion, SET, passed());
      expect(user.outbox.map(({ text }) => text)).toEqual(["true"]);
      applyEvent(user, { kind: "suppress", sourceId: null, isSuppressed: false }, SET, moment());
      expect(user.outbox.map(({ text }) => text)).toEqual(["true", "false"]);
    });
  });

  test("what a merged profile passes on is given back, each time; there its calls count from then on", () => {
    const { anonymous, user } = deleted();
    const event = { kind: "call", call: callOf(LATER_MS) } as const;
    const passed = moment({ passedByLinkMs: anonymous.linkedAtMs });
    expect(applyEvent(user, event, SET, passed)).toBe("unlinked");
    expect(applyEvent(user, event, SET, passed)).toBe("unlinked");
    expect(user.judgedAtMs).toBe(0);
    const back = moment({ endedAtMs: deletion.atMs });
    expect(applyEvent(anonymous, event, SET, back)).toBe("applied");
    expect(applyEvent(anonymous, event, SET, back)).toBe("already_applied");
    expect(anonymous).toMatchObject({ redirectTo: undefined, deletedAtMs: deletion.atMs });
    const old = { kind: "call", call: callOf(NOW_MS + 10) } as const;
    expect(applyEvent(anonymous, old, SET, moment())).toBe("deleted");
    expect(applyEvent(anonymous, release(NOW_MS + 10), SET, moment())).toBe("deleted");
  });

  test("the same link that is made once more holds; so does one that was made to somebody who was not deleted", () => {
    const { anonymous, user } = deleted();
    expect(applyEvent(anonymous, release(LATER_MS), SET, moment())).toBe("applied");
    const passed = () => moment({ passedByLinkMs: anonymous.linkedAtMs });
    expect(applyEvent(user, { kind: "call", call: callOf(LATER_MS) }, SET, passed())).toBe("applied");
    expect(applyEvent(anonymous, release(LATER_MS, "v"), SET, moment())).toBe("redirected");
    expect(applyEvent(user, release(LATER_MS, "v"), SET, passed())).toBe("already_applied");
    expect([user.redirectTo, anonymous.redirectTo]).toEqual([undefined, "u"]);
  });

  test("what was merged before the deletion stays deleted when it is linked again and a backfill finds it", () => {
    const { anonymous, user } = deleted();
    completeRelease(anonymous);
    expect(applyEvent(anonymous, release(LATER_MS), SET, moment())).toBe("applied");
    const [uses, states] = [[...SET.leaves.values()], new Map()];
    for (const use of uses) foldPast(states, callOf(NOW_MS - 1), use, { atMs: NOW_MS - 1, nowMs: LATER_MS });
    addPast(anonymous, states, { uses, toOffset: 5, nowMs: LATER_MS });
    expect(applyEvent(user, { kind: "merge", moved: anonymous }, SET, moment())).toBe("deleted");
    expect(user.leaves.size).toBe(0);
  });

  test("what was linked before the deletion and comes later does not bring the user back", () => {
    const { user } = deleted();
    const late = createProfile("anon:y", 1);
    apply(late, { anonymousId: "y" });
    applyEvent(late, release(NOW_MS + 40), SET, moment());
    expect(applyEvent(user, { kind: "merge", moved: late }, SET, moment())).toBe("deleted");
    expect(user.judgedAtMs).toBe(0);
  });

  test("what was linked before the deletion is not passed on to whom the user was merged into since; what came after it is", () => {
    const { user } = deleted();
    applyEvent(user, release(LATER_MS, "v"), SET, moment());
    const linked = (linkedAtMs: number) => {
      const moved = createProfile("anon:y", 1);
      applyEvent(moved, release(linkedAtMs), SET, moment());
      return applyEvent(user, { kind: "merge", moved }, SET, moment());
    };
    expect([linked(deletion.atMs), linked(deletion.atMs + 1)]).toEqual(["deleted", "redirected"]);
  });

  test("of a user who was merged into another one: it is passed on, and known there too", () => {
    const user = createProfile("u", 2);
    applyEvent(user, release(NOW_MS, "v"), SET, moment());
    expect(applyEvent(user, deletion, SET, moment())).toBe("redirected");
    expect(user).toMatchObject({ redirectTo: "v", deletedAtMs: deletion.atMs });
  });
});
