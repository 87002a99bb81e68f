import { describe, expect, test } from "@jest/globals";
import { parseAudience } from "../definition/parse-audience.ts";
import { applyEvent, completeRelease } from "./apply.ts";
import { type ComputationSet, compileSet } from "./computation-set.ts";
import type { ProfileCall } from "./fold.ts";
import { createProfile, type Profile } from "./profile.ts";

const NOW_MS = 1_700_000_000_000;

function twiceA(): ComputationSet {
  const definition = { event: "A", within: "1d", count: { op: "gte", value: 2 } };
  const reading = parseAudience(definition, { audiences: new Map() });
  if (!reading.ok) throw new Error("refused");
  const base = { generation: 1, state: "live", includeAnonymous: true } as const;
  return compileSet([{ ...base, id: "aud", key: "aud", definition: reading.definition }]);
}

const SET = twiceA();
let offset = 0;

function apply(profile: Profile, fields: Partial<ProfileCall>): string {
  offset += 1;
  const times = { timestampMs: NOW_MS, receivedAtMs: NOW_MS };
  const ids = { sourceId: "s", messageId: `m${offset}`, userId: null, anonymousId: "x" };
  const call = { ...ids, ...times, type: "track", name: "A", body: {}, ...fields };
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
