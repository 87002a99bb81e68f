import { expect, test } from "@jest/globals";
import { audience, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import { compileSet } from "./computation-set.ts";
import { evaluate } from "./judging.ts";
import { createProfile, type Profile } from "./profile.ts";
import { isKnownFromSummary, seedLeaves } from "./seed.ts";
import { profileBytes } from "./size.ts";

const setOf = (definition: unknown) => compileSet([audience("a", definition)]);

let calls = 0;

/** Folded before any audience was there, or into the set. */
function call(profile: Profile, atMs: number, set = compileSet([]), name = "A"): void {
  calls += 1;
  const event = { kind: "call", call: callOf({ messageId: `${calls}`, name, atMs }) } as const;
  applyEvent(profile, event, set, { offset: calls, nowMs: atMs });
}

test.each([
  ["how often in a lifetime", { event: "A", count: { op: "gte", value: 3 } }],
  ["when last", { event: "A", within: "60s" }],
  [
    "that it was never lately",
    { all: [{ event: "A" }, { not: { event: "A", within: "60s", count: { op: "lte", value: 0 } } }] },
  ],
])("a new leaf knows from the counts by name %s", (_, definition) => {
  const set = setOf(definition);
  const profile = createProfile("u", 0);
  for (const atMs of [NOW_MS - 90_000, NOW_MS - 2, NOW_MS - 1]) call(profile, atMs);
  seedLeaves(profile, set.leaves.values());
  evaluate(profile, set.computations.values(), NOW_MS);
  expect(profile.outbox.map(({ text }) => text)).toEqual(["true"]);
  const before = structuredClone([...profile.leaves]);
  seedLeaves(profile, set.leaves.values());
  expect([...profile.leaves]).toEqual(before);
});

test("what is counted after the seed is counted once, and what is not known is left to the calls that come", () => {
  const set = setOf({ event: "A", count: { op: "gte", value: 3 } });
  const profile = createProfile("u", 0);
  call(profile, NOW_MS);
  seedLeaves(profile, set.leaves.values());
  call(profile, NOW_MS + 1, set);
  expect(profile.outbox).toEqual([]);
  call(profile, NOW_MS + 2, set);
  expect(profile.outbox).toMatchObject([{ text: "true" }]);
  const known = [
    { event: "A", within: "60s", count: { op: "gte", value: 2 } },
    { event: "A", after: "2026-01-01T00:00:00Z" },
    { event: "A", where: [{ path: "properties.n", op: "exists" }] },
  ].map((definition) => [...setOf(definition).leaves.values()].some(({ plan }) => isKnownFromSummary(plan)));
  expect(known).toEqual([false, false, false]);
});

test("a user keeps nothing for what is of accounts, and an account nothing for what is of users", () => {
  const counted = { event: "A", count: { op: "gte", value: 1 } };
  for (const [id, definition] of [
    ["u", { of: "accounts", ...counted }],
    ["group:g", counted],
  ] as const) {
    const profile = createProfile(id, 0);
    const set = setOf(definition);
    call(profile, NOW_MS, set);
    seedLeaves(profile, set.leaves.values());
    expect([profile.leaves.size, profile.outbox.length, profile.events.size]).toEqual([0, 0, 1]);
  }
});

test("a call that comes before the profile was looked at is judged by what is known of the other leaves", () => {
  const set = setOf({
    all: [{ event: "A", within: "60s" }, { not: { event: "B", within: "90s" } }],
  });
  const profile = createProfile("u", 0);
  call(profile, NOW_MS - 50_000, compileSet([]), "B");
  call(profile, NOW_MS, set);
  expect(profile.outbox).toEqual([]);
  evaluate(profile, set.computations.values(), NOW_MS + 40_000);
  expect(profile.outbox).toMatchObject([{ text: "true" }]);
});

test.each([
  ["how often in a lifetime", { event: "A", count: { op: "gte", value: 3 } }],
  ["when last", { event: "A", within: "60s" }],
])("a leaf that was given up and is asked for again knows what came meanwhile: %s", (_, definition) => {
  const set = setOf(definition);
  const profile = createProfile("u", 0);
  call(profile, NOW_MS - 90_000, set);
  for (const atMs of [NOW_MS - 2, NOW_MS - 1]) call(profile, atMs);
  evaluate(profile, set.computations.values(), NOW_MS);
  expect(profile.outbox.map(({ text }) => text).at(-1)).toBe("true");
  seedLeaves(profile, set.leaves.values());
  call(profile, NOW_MS, set);
  expect(profile.outbox.at(-1)?.text).toBe("true");
  expect(profile.sizeBytes).toBe(profileBytes(profile));
});
