import { expect, test } from "@jest/globals";
import { createProfile, type Profile } from "./profile.ts";
import { isMuchWaiting, sentAlong, traitsAlong } from "./sent-along.ts";
import { setValue } from "./settle.ts";

function profileWith(traits: Readonly<Record<string, unknown>>): Profile {
  const profile = createProfile("u", 0);
  for (const [key, value] of Object.entries(traits))
    profile.traits.set(key, { value, atMs: 1, receivedAtMs: 1 });
  return profile;
}

test("traits go along by their whole names, in the order chosen, without those that are null or not there", () => {
  const profile = profileWith({ email: "a@shop.example", "plan.name": "pro", gone: null, age: 0 });
  expect(traitsAlong(profile, ["plan.name", "email", "gone", "none", "age"])).toBe(
    '{"plan.name":"pro","email":"a@shop.example","age":0}',
  );
  expect([traitsAlong(profile, ["gone", "none"]), traitsAlong(profile, [])]).toEqual(["", ""]);
});

test("a value longer than 512 characters as JSON is left out", () => {
  const profile = profileWith({ fits: "x".repeat(510), long: "x".repeat(511) });
  expect(Object.keys(JSON.parse(traitsAlong(profile, ["fits", "long"])))).toEqual(["fits"]);
});

test("while 256 KB of traits wait to be sent, changes go without them, and with their track calls", () => {
  const names = Array.from({ length: 10 }, (_, index) => `t${index}`);
  const profile = profileWith(Object.fromEntries(names.map((name) => [name, "ü".repeat(500)])));
  const sends = { hasTrackCalls: true, traits: names };
  for (let n = 0; n < 60; n += 1) setValue(profile, { id: `a${n}`, generation: 1, sends }, "true", 1_000);
  const along = profile.outbox.map(({ traits }) => Buffer.byteLength(traits));
  expect(along[0]).toBeGreaterThan(10_000);
  const total = along.reduce((sum, bytes) => sum + bytes, 0);
  expect([total <= 262_144, total > 240_000, along.at(-1)]).toEqual([true, true, 0]);
  expect(profile.outbox.every(({ isTracked }) => isTracked)).toBe(true);
});

test("what sends nothing more says nothing of it", () => {
  expect(sentAlong(profileWith({ plan: "pro" }), undefined)).toEqual({ traits: "", isTracked: false });
});

test("who has entered and left some four thousand times has much that waits to be counted", () => {
  const waiting = (length: number) =>
    isMuchWaiting({
      moves: [],
      outbox: [],
      steps: Array.from({ length }, () => ({ computationId: "a", by: 1 })),
    });
  expect([waiting(4_096), waiting(4_097)]).toEqual([false, true]);
});
