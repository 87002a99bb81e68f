import { expect, test } from "@jest/globals";
import { createProfile, profileToRecord } from "#audiences";
import { profileEvent } from "#topics";
import { Bench, stubRegistry, stubSerde, TOPICS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { eventDecoder } from "./event.ts";

const COUNTS = { key: "a", kind: "counts", isOverflowing: false, longs: [3, 1], doubles: [], texts: [] };
const TRAIT = { key: "plan", value: "{", atMs: 5, receivedAtMs: 5 };

test.each([
  ["leaf", { leaves: [COUNTS] }],
  ["trait", { traits: [TRAIT] }],
])(
  "a merge whose state has a damaged %s is no event, and its partition does not wait for it",
  async (_, damage) => {
    const registry = stubRegistry();
    const writer = await stubSerde({ registry });
    const state = { ...profileToRecord(createProfile("anon:x", 7)), ...damage };
    const movedState = writer.encode(TOPICS.profiles, state);
    const event = profileEvent("merge", { movedId: "anon:x", movedState });
    const value = writer.encode(TOPICS.profileEvents, event);
    const record = { topic: "profile-events", partition: 0, offset: 0, key: "u", value, timestampMs: 5 };
    const decode = eventDecoder(await stubSerde({ registry }), TOPICS);
    const unusable = { canRetry: false, message: "the state of a merged profile cannot be read" };
    await expect(decode(record)).rejects.toMatchObject(unusable);
    expect(() => decode(record)).toThrow(expect.objectContaining(unusable));
  },
);

test("a key with a dot at the root of a call is found, as one that stands in an object is", async () => {
  const where = ["utm.source", "utm.medium"].map((path) => ({ path, op: "eq", value: "mail" }));
  const bench = await Bench.with(audienceOf("mailed", { event: "A", where }));
  const bodies = [
    { "utm.source": "mail", "utm.medium": "mail" },
    { utm: { source: "mail", medium: "mail" } },
  ];
  for (const [user, body] of bodies.entries()) bench.call(callOf({ userId: `u${user}`, event: "A", body }));
  await bench.settled();
  expect(bench.sent.map(({ user }) => user)).toEqual(["u0", "u1"]);
});
