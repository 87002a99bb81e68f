// The answer about one profile, over HTTP, on a real index; profiles are given.
import { afterEach, expect, test } from "@jest/globals";
import { createProfile, type Profile } from "#audiences";
import { systemHost } from "#host";
import { recordedLog } from "#support/recorded-log";
import { audience, routedCall } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { AudienceConfig } from "#topics";
import { createAuthorise } from "../../http/auth.ts";
import { testSessions } from "../../http/fixtures/sessions.ts";
import { createServer } from "../../http/server.ts";
import { Slices } from "../../records/profiles/slices.ts";
import { DeliveryIndex } from "../index/delivery-index.ts";
import { readInto } from "../index/fixtures/reading.ts";
import { IndexPart } from "../index/index-part.ts";
import { heldProfiles } from "./fixtures/held-profiles.ts";
import type { ProfileParts } from "./parts.ts";
import { addProfileRoute } from "./routes.ts";

const NOW_MS = Date.UTC(2026, 0, 10);
const HOUR_MS = 3_600_000;
const iso = (atMs: number): string => new Date(atMs).toISOString();
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function config(id: string, more: Partial<AudienceConfig> = {}): AudienceConfig {
  return audience(id, { key: `key_${id}`, name: `Name ${id}`, ...more });
}

interface World {
  readonly profiles?: readonly Profile[];
  readonly configs?: readonly AudienceConfig[];
  readonly suppressed?: readonly string[];
  /** Milliseconds that pass with each look at the clock. */
  readonly slowness?: number;
}

async function started({ configs = [], profiles = [], slowness = 0, suppressed = [] }: World = {}) {
  const folder = scratchFolder();
  const index = new IndexPart({ folder, nowMs: () => NOW_MS, onDiscarded: () => undefined });
  let elapsedMs = 0;
  const host = {
    elapsed: () => {
      elapsedMs += slowness;
      return elapsedMs;
    },
    setTimeout: systemHost.setTimeout,
    setImmediate: systemHost.setImmediate,
  };
  const parts: ProfileParts = {
    ...{ host, slices: new Slices(host) },
    audiences: { list: () => configs } as unknown as ProfileParts["audiences"],
    profiles: heldProfiles(profiles, (userId) => suppressed.includes(userId)),
    suppressed: { isSuppressed: (userId) => suppressed.includes(userId) },
    deliveries: { index: new DeliveryIndex(index) },
  };
  const server = await createServer({
    authorise: createAuthorise([], testSessions()),
    telemetry: { answered: () => undefined },
    logger: recordedLog().logger,
    newRequestId: () => "made",
    routes: [(app) => addProfileRoute(app, parts)],
  });
  ends.push(
    () => index.close(),
    () => server.close(),
  );
  return {
    /** As if read from a partition of the routed calls. */
    read(partition: number, records: readonly Parameters<typeof routedCall>[0][]) {
      const from = index.position("routedCalls", partition) ?? 0;
      const calls = records.map((record, at) => routedCall({ partition, offset: from + at, ...record }));
      readInto(index, "routedCalls", calls, partition);
    },
    async ask(id: string) {
      const answer = await server.inject({ url: `/v1/profiles/${encodeURIComponent(id)}` });
      return { status: answer.statusCode, body: answer.json() };
    },
  };
}

function profileOf(id: string, change: (profile: Profile) => void = () => undefined): Profile {
  const profile = createProfile(id, 0);
  change(profile);
  return profile;
}

const mergedInto = (id: string, redirectTo: string): Profile =>
  profileOf(id, (profile) => {
    profile.redirectTo = redirectTo;
  });

function result(text: string, sinceMs: number) {
  return { text, sinceMs, seq: 1, generation: 1, deadlineMs: Number.POSITIVE_INFINITY };
}

test("one user: traits, computed traits, audiences since when, events, ids and last calls", async () => {
  const ann = profileOf("ann", (profile) => {
    profile.traits.set("plan", { value: "pro", atMs: NOW_MS, receivedAtMs: NOW_MS });
    profile.traits.set("gone", { value: null, atMs: NOW_MS, receivedAtMs: NOW_MS });
    profile.events.set("track A", { type: "track", name: "A", count: 2, firstMs: 1, lastMs: 5 });
    profile.events.set("page B", { type: "page", name: "B", count: 1, firstMs: 9, lastMs: 9 });
    profile.results.set("in", result("true", NOW_MS - HOUR_MS));
    profile.results.set("left", result("false", NOW_MS));
    profile.results.set("never", result("", 0));
    profile.results.set("deleted", result("true", NOW_MS));
    profile.results.set("spent", result("12.5", NOW_MS));
    profile.incompleteFor = new Set(["in"]);
  });
  const world = await started({
    profiles: [ann, mergedInto("anon:a1", "bob"), mergedInto("bob", "ann"), profileOf("anon:a2")],
    configs: [
      ...[config("left"), config("in"), config("never"), config("deleted", { deletedAtMs: 1 })],
      config("spent", { kind: "trait" }),
    ],
  });
  world.read(0, [
    { messageId: "m1", userId: "ann", anonymousId: "a1", receivedAtMs: NOW_MS - 2 },
    { messageId: "m2", userId: "else", receivedAtMs: NOW_MS },
  ]);
  world.read(1, [
    {
      messageId: "m3",
      userId: null,
      anonymousId: "a1",
      receivedAtMs: NOW_MS - 1,
      destinationIds: [],
      outcome: "duplicate",
    },
    { messageId: "m4", userId: null, anonymousId: "a2", receivedAtMs: NOW_MS },
  ]);
  const expected = {
    ...{
      id: "ann",
      userId: "ann",
      anonymousId: null,
      groupId: null,
      isSuppressed: false,
      isIncomplete: true,
      deletedAt: null,
    },
    traits: [{ key: "plan", value: "pro", updatedAt: iso(NOW_MS) }],
    computedTraits: [
      {
        ...{ id: "spent", key: "key_spent", name: "Name spent", value: 12.5 },
        since: iso(NOW_MS),
        isIncomplete: false,
      },
    ],
    audiences: [
      {
        ...{ id: "in", key: "key_in", name: "Name in", member: true },
        since: iso(NOW_MS - HOUR_MS),
        isIncomplete: true,
      },
      {
        ...{ id: "left", key: "key_left", name: "Name left", member: false },
        since: iso(NOW_MS),
        isIncomplete: false,
      },
    ],
    events: [
      { type: "page", name: "B", count: 1, firstAt: iso(9), lastAt: iso(9) },
      { type: "track", name: "A", count: 2, firstAt: iso(1), lastAt: iso(5) },
    ],
    ids: {
      data: [
        { userId: null, anonymousId: "a1" },
        { userId: "bob", anonymousId: null },
      ],
      isComplete: true,
    },
    calls: {
      data: [
        {
          ...{ messageId: "m3", sourceId: "s1", userId: null, anonymousId: "a1", type: "track" },
          ...{ receivedAt: iso(NOW_MS - 1), outcome: "duplicate", destinationIds: [] },
        },
        {
          ...{ messageId: "m1", sourceId: "s1", userId: "ann", anonymousId: "a1", type: "track" },
          ...{ receivedAt: iso(NOW_MS - 2), outcome: "routed", destinationIds: ["d1"] },
        },
      ],
      from: null,
    },
  };
  for (const id of ["ann", "bob", "anon:a1"])
    expect(await world.ask(id)).toEqual({ status: 200, body: expected });
});

test("an id of three hundred characters is found, and none of whom nothing is known", async () => {
  const long = `u/ ${"x".repeat(300)}`;
  const { ask } = await started({ profiles: [profileOf(long), profileOf("user:anon:odd")] });
  expect((await ask(long)).body).toMatchObject({ userId: long, isSuppressed: false });
  expect((await ask("user:anon:odd")).body).toMatchObject({ id: "user:anon:odd", userId: "anon:odd" });
  expect(await ask("anon:odd")).toMatchObject({ status: 404 });
  expect(await ask("x".repeat(1_011))).toMatchObject({ status: 422 });
});

test("nothing is said of a suppressed user, nor of an id that leads to one or is one's", async () => {
  const known = profileOf("sue", (profile) => {
    profile.traits.set("plan", { value: "pro", atMs: 1, receivedAtMs: 1 });
  });
  const world = await started({
    profiles: [known, mergedInto("anon:s", "sue"), profileOf("ann"), mergedInto("tom", "ann")],
    suppressed: ["sue", "tom", "unknown"],
  });
  world.read(0, [
    { messageId: "m1", userId: "sue" },
    { messageId: "m2", userId: "tom" },
  ]);
  const silent = { isSuppressed: true, traits: [], ids: { data: [] }, calls: { data: [] } };
  for (const id of ["sue", "anon:s", "unknown", "tom"])
    expect(await world.ask(id)).toMatchObject({ status: 200, body: silent });
  expect((await world.ask("ann")).body).toMatchObject({
    isSuppressed: false,
    ids: { data: [] },
    calls: { data: [] },
  });
});

test("calls that were accepted before a deletion are not shown", async () => {
  const back = profileOf("ann", (profile) => {
    profile.deletedAtMs = NOW_MS;
  });
  const world = await started({ profiles: [back] });
  world.read(0, [
    { messageId: "before", userId: "ann", receivedAtMs: NOW_MS },
    { messageId: "after", userId: "ann", receivedAtMs: NOW_MS + 1 },
  ]);
  const { body } = await world.ask("ann");
  expect(body.deletedAt).toBe(iso(NOW_MS));
  expect(body.calls.data.map(({ messageId }: { messageId: string }) => messageId)).toEqual(["after"]);
});

test("both looks end in time, and say how far they went; ids that calls were seen with are found all the same", async () => {
  const others = Array.from({ length: 500 }, (_, at) => profileOf(`b${String(at).padStart(4, "0")}`));
  const world = await started({
    profiles: [...others, profileOf("ann"), mergedInto("zoe-anon", "else"), mergedInto("anon:z", "ann")],
    slowness: 5,
  });
  const rows = Array.from({ length: 90_000 }, (_, at) => ({
    ...{ messageId: `m${at}`, userId: at === 0 || at === 89_999 ? "ann" : "else" },
    ...{ anonymousId: at === 89_999 ? "z" : null, receivedAtMs: NOW_MS + at },
  }));
  world.read(0, rows);
  const { body } = await world.ask("ann");
  expect(body.ids.isComplete).toBe(false);
  expect(body.ids.data).toEqual([{ userId: null, anonymousId: "z" }]);
  expect(body.calls.data.map(({ messageId }: { messageId: string }) => messageId)).toEqual(["m89999"]);
  const fromMs = Date.parse(body.calls.from);
  expect(fromMs).toBeGreaterThan(NOW_MS);
  expect(fromMs).toBeLessThan(NOW_MS + 89_999);
});

test("the newest fifty of two partitions are shown, whichever has more, and a call that was routed again once", async () => {
  const world = await started({ profiles: [profileOf("ann")] });
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      messageId: `m${from + at}`,
      userId: "ann",
      receivedAtMs: from + at,
    }));
  world.read(0, rows(0, 5_000));
  world.read(1, [...rows(4_990, 20), ...rows(5_009, 1).map((row) => ({ ...row, partition: 1, offset: 19 }))]);
  const { body } = await world.ask("ann");
  const shown = body.calls.data.map(({ receivedAt }: { receivedAt: string }) => Date.parse(receivedAt));
  expect(shown).toHaveLength(50);
  expect(shown[0]).toBe(5_009);
  expect(shown.filter((atMs: number) => atMs === 5_009)).toHaveLength(1);
  expect(shown).toEqual(shown.toSorted((one: number, other: number) => other - one));
  expect(shown.at(-1)).toBe(4_970);
});

test("where the time is over at once each partition was looked at once, from its newest end", async () => {
  const world = await started({ profiles: [profileOf("ann")], slowness: 500 });
  const rows = Array.from({ length: 10_000 }, (_, at) => ({
    ...{ messageId: `m${at}`, userId: at === 0 || at === 9_999 ? "ann" : "else" },
    receivedAtMs: NOW_MS + at,
  }));
  world.read(0, rows);
  world.read(1, rows);
  const { body } = await world.ask("ann");
  const shown = body.calls.data.map(({ messageId }: { messageId: string }) => messageId);
  expect(shown).toEqual(["m9999", "m9999"]);
  expect(body.calls.from).toBe(iso(NOW_MS + 8_000));
});
