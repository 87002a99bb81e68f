import { beforeEach, expect, test } from "@jest/globals";
import { createProfile, type Profile } from "#audiences";
import { RegistryUnavailableError } from "#serde";
import { ProfileCache } from "./profile-cache.ts";

/** About 2 KB in memory. */
const SIZE_BYTES = 200;
const TAKES_BYTES = 2_024;

function profileOf(id: string): Profile {
  const profile = createProfile(id, 0);
  profile.sizeBytes = SIZE_BYTES;
  return profile;
}

/** Room for so many profiles; what is on disk is read anew each time. */
function cacheFor(profiles: number) {
  const read: string[] = [];
  const room = { profiles };
  const cache = new ProfileCache({
    store: { get: (id) => (id.startsWith("u") ? Buffer.from(id) : undefined) },
    codec: {
      read(id) {
        read.push(id);
        return { ...profileOf(id), outboxOffset: 5, outbox: [flip] };
      },
    },
    isSettled: (offset) => offset < settledTo,
    roomBytes: () => room.profiles * TAKES_BYTES,
    telemetry: { unreadable: () => undefined },
  });
  return { cache, read, room };
}

/** Used a second time, it is held for longer than its batch. */
function hold(cache: ProfileCache, ...profiles: readonly Profile[]): void {
  for (const profile of profiles) cache.keep(profile);
  cache.shrink(nobody);
  for (const profile of profiles) cache.keep(profile);
}

const flip = {
  computationId: "a",
  generation: 1,
  seq: 1,
  text: "true",
  atMs: 0,
  traits: "",
  isTracked: false,
};
let settledTo = 0;
const nobody = (): boolean => false;

beforeEach(() => {
  settledTo = 0;
});

test("a profile whose schema the registry does not give, because the process ends, is not taken for unreadable", async () => {
  const said: Error[] = [];
  const closed = new RegistryUnavailableError("closed while waiting for the schema registry");
  const cache = new ProfileCache({
    store: { get: (id) => Buffer.from(id) },
    codec: { read: () => Promise.reject(closed) },
    isSettled: () => true,
    roomBytes: () => TAKES_BYTES,
    telemetry: { unreadable: (error) => void said.push(error) },
  });
  await expect(cache.load("u1")).rejects.toBe(closed);
  expect([cache.isUnreadable("u1"), said]).toEqual([false, []]);
});

test("a profile that is kept is the same one at the next look", () => {
  const { cache, read } = cacheFor(10);
  const profile = profileOf("u1");
  cache.keep(profile);
  expect(cache.load("u1")).toBe(profile);
  expect(read).toEqual([]);
});

test("a profile that is used once is let go of after its batch, unless it is needed", () => {
  const { cache, read } = cacheFor(10);
  const needed = profileOf("u-needed");
  cache.keep(needed);
  cache.keep(profileOf("u1"));
  cache.shrink((id) => id === "u-needed");
  void cache.load("u1");
  expect([cache.load("u-needed"), read]).toEqual([needed, ["u1"]]);
  cache.shrink(nobody);
  void cache.load("u-needed");
  expect(read).toEqual(["u1", "u-needed"]);
});

test("one that is used again later stays from then on", () => {
  const { cache, read } = cacheFor(10);
  hold(cache, profileOf("u1"));
  for (let batch = 0; batch < 10; batch += 1) cache.shrink(nobody);
  void cache.load("u1");
  expect(read).toEqual([]);
});

test("of those who came once only so many are remembered", () => {
  // One id for each 8 KB, in two lots of which the older one is forgotten.
  const { cache, read } = cacheFor(400);
  for (let index = 0; index < 1_000; index += 1) {
    cache.keep(profileOf(`u${index}`));
    cache.shrink(nobody);
  }
  for (const id of ["u0", "u999"]) {
    cache.keep(profileOf(id));
    cache.shrink(nobody);
    void cache.load(id);
  }
  expect(read).toEqual(["u0"]);
});

test("what is not there is undefined, and what is only looked at is not kept", () => {
  const { cache, read } = cacheFor(10);
  expect(cache.load("nobody")).toBeUndefined();
  void cache.load("u1");
  void cache.load("u1");
  expect(read).toEqual(["u1", "u1"]);
});

test("profiles that were used longest ago are let go of, and never more than there is room for", () => {
  const { cache } = cacheFor(10);
  const used = profileOf("u-used");
  hold(cache, used);
  for (let index = 0; index < 100; index += 1) {
    hold(cache, profileOf(`u${index}`));
    expect(cache.load("u-used")).toBe(used);
    cache.shrink(nobody);
  }
  const held = Array.from({ length: 100 }, (_, index) => cache.load(`u${index}`)).filter(
    (profile) => profile !== undefined && !("then" in profile) && profile.outbox.length === 0,
  );
  expect(held.length).toBeGreaterThanOrEqual(4);
  expect(held.length).toBeLessThanOrEqual(11);
  expect(held.at(-1)).toMatchObject({ id: "u99" });
});

test("a profile that is needed stays, however many come after it", () => {
  const { cache } = cacheFor(4);
  const needed = profileOf("u-needed");
  hold(cache, needed);
  for (let index = 0; index < 50; index += 1) {
    cache.keep(profileOf(`u${index}`));
    cache.shrink((id) => id === "u-needed");
    cache.keep(profileOf(`u${index}`));
    cache.shrink((id) => id === "u-needed");
  }
  expect(cache.load("u-needed")).toBe(needed);
});

test("of two profiles of one id the one that was kept last stands, also when the other was used before", () => {
  const { cache } = cacheFor(2);
  hold(cache, profileOf("u1"), profileOf("u2"));
  cache.shrink(nobody);
  const newer = profileOf("u1");
  cache.keep(newer);
  hold(cache, profileOf("u3"), profileOf("u4"));
  cache.shrink((id) => id === "u1");
  expect(cache.load("u1")).toBe(newer);
});

test("a forgotten profile is read again, wherever it was", () => {
  const { cache, read } = cacheFor(2);
  hold(cache, profileOf("u1"), profileOf("u2"));
  cache.shrink(nobody);
  void cache.load("u2");
  cache.forget("u1");
  cache.forget("u2");
  void cache.load("u1");
  void cache.load("u2");
  expect(read).toEqual(["u1", "u2"]);
});

test("nothing is known after all was forgotten", () => {
  const { cache, read } = cacheFor(2);
  hold(cache, profileOf("u1"), profileOf("u2"));
  cache.shrink(nobody);
  cache.keep(profileOf("u3"));
  cache.clear();
  for (const id of ["u1", "u2", "u3"]) void cache.load(id);
  expect(read).toEqual(["u1", "u2", "u3"]);
});

test("more room, as when other partitions were given up, holds more", () => {
  const { cache, read, room } = cacheFor(2);
  room.profiles = 100;
  for (let index = 0; index < 40; index += 1) {
    hold(cache, profileOf(`u${index}`));
    cache.shrink(nobody);
  }
  for (let index = 0; index < 40; index += 1) void cache.load(`u${index}`);
  expect(read).toEqual([]);
});

test.each([
  ["is forgotten when the event is settled", 6, []],
  ["is to be sent when it is not", 5, [flip]],
])("what was sent with an event %s", (_, settled, outbox) => {
  const { cache } = cacheFor(2);
  settledTo = settled;
  expect(cache.load("u1")).toMatchObject({ outbox });
});
