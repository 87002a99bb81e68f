import { describe, expect, test } from "@jest/globals";
import { audience, callOf, NOW_MS, trait } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import { type ComputationSet, compileSet } from "./computation-set.ts";
import { noteMissing } from "./incomplete.ts";
import { advance } from "./judging.ts";
import {
  createProfile,
  isFull,
  MAX_EVENT_NAMES,
  MAX_PROFILE_BYTES,
  MAX_TRAITS,
  type Profile,
  UNCOUNTED,
} from "./profile.ts";
import { profileFromRecord, profileToRecord } from "./record.ts";
import { forgetUnused } from "./retire.ts";
import { profileBytes } from "./size.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const reduced = (id: string, fn: string, more: object = {}) =>
  trait(id, { event: "A", reduce: { fn, path: "properties.v" }, ...more });
const counted = trait("count", { event: "A", reduce: { fn: "count" } });

/** 27 sums of 30 days, each of its own leaf. */
const sums = Array.from({ length: 27 }, (_, index) =>
  trait(`sum${index}`, {
    event: "A",
    within: "30d",
    where: [{ path: "properties.v", op: "neq", value: -1 - index }],
    reduce: { fn: "sum", path: "properties.v" },
  }),
);

class Bench {
  profile: Profile = createProfile("u", 0);
  set: ComputationSet;
  #offset = 0;

  constructor(...inputs: Parameters<typeof compileSet>[0]) {
    this.set = compileSet(inputs);
  }

  call(body: object, atMs = NOW_MS, { type = "track" } = {}) {
    this.#offset += 1;
    const call = callOf({ messageId: `m${this.#offset}`, type, body: { ...body }, atMs });
    return applyEvent(this.profile, { kind: "call", call }, this.set, { offset: this.#offset, nowMs: atMs });
  }

  track = (v: unknown, atMs?: number) => this.call({ properties: { v } }, atMs);

  identify = (traits: object) => this.call({ traits }, NOW_MS, { type: "identify" });

  valueOf = (id: string): unknown => JSON.parse(this.profile.results.get(id)?.text ?? "null");
}

/** As long as URLs of a shop with their parameters. */
const url = (index: number): string =>
  `https://shop.example/products/${index}?${"utm_source=mail&".repeat(14)}`;

describe("a profile goes on", () => {
  test("with 27 sums of 30 days and a call an hour: older buckets are joined, none is lost", () => {
    const bench = new Bench(...sums);
    for (let hour = 0; hour < 24 * 40; hour += 1)
      expect(bench.track(1, NOW_MS + hour * HOUR_MS)).toBe("applied");
    expect(bench.profile.sizeBytes).toBeLessThanOrEqual(MAX_PROFILE_BYTES);
    expect(bench.profile.sizeBytes).toBe(profileBytes(bench.profile));
    const value = bench.valueOf("sum0") as number;
    expect(value).toBeGreaterThanOrEqual(24 * 30);
    expect(value).toBeLessThanOrEqual(24 * (30 + 30 / 8) + 1);
    // Nobody stays longer than that.
    advance(bench.profile, bench.set, NOW_MS + (40 + 30 + 4) * DAY_MS);
    expect(bench.valueOf("sum0")).toBe(null);
  });

  test("with long values of unique: further ones are left out, what else it counts goes on", () => {
    const bench = new Bench(reduced("unique", "unique"), counted);
    for (let index = 0; index < 400; index += 1) expect(bench.track(url(index))).toBe("applied");
    expect(bench.valueOf("count")).toBe(400);
    expect((bench.valueOf("unique") as unknown[]).length).toBeGreaterThan(80);
    expect([...bench.profile.leaves.values()]).toContainEqual(
      expect.objectContaining({ kind: "values", isOverflowing: true }),
    );
    expect([...bench.profile.incompleteFor]).toEqual(["unique"]);
  });

  test("with a thousand long values of unique_count, which keeps their hashes", () => {
    const bench = new Bench(reduced("month", "unique_count", { within: "30d" }));
    for (let index = 0; index < 2_000; index += 1) expect(bench.track(url(index % 1_000))).toBe("applied");
    expect(bench.valueOf("month")).toBe(1_000);
  });

  test("with more than 300 traits: further ones are left out, and a removed one makes room", () => {
    const bench = new Bench(counted);
    const traits = Object.fromEntries(Array.from({ length: MAX_TRAITS }, (_, index) => [`t${index}`, index]));
    bench.identify(traits);
    bench.identify({ t0: "new", more: 1 });
    expect(bench.profile.traits.size).toBe(MAX_TRAITS);
    expect(bench.profile.traits.get("t0")?.value).toBe("new");
    expect(bench.track(1)).toBe("applied");
    expect(bench.valueOf("count")).toBe(1);
    bench.identify({ t7: null, more: 2 });
    expect(bench.profile.traits.get("more")?.value).toBe(2);
    expect(bench.profile.traits.has("t7")).toBe(false);
  });

  test("with a trait that was left out: what asks for it is named, and what names that, until they are deleted", () => {
    const more = audience("more", { trait: "more", op: "exists" });
    const naming = audience("naming", { all: [{ audience: "more" }, { event: "A" }] });
    const bench = new Bench(more, naming, audience("other", { trait: "t0", op: "exists" }), counted);
    bench.identify(
      Object.fromEntries(Array.from({ length: MAX_TRAITS }, (_, index) => [`t${index}`, index])),
    );
    expect(bench.profile.incompleteFor.size).toBe(0);
    bench.identify({ more: 1 });
    expect([...bench.profile.incompleteFor].sort()).toEqual(["more", "naming"]);
    forgetUnused(bench.profile, compileSet([more]), new Set([more.id]));
    expect([...bench.profile.incompleteFor]).toEqual(["more"]);
    applyEvent(bench.profile, { kind: "delete", atMs: NOW_MS }, bench.set, { offset: 1_000, nowMs: NOW_MS });
    expect(bench.profile.incompleteFor.size).toBe(0);
  });

  test("with a name of calls that had no room: it is not known from those that come when there is some", () => {
    const bench = new Bench();
    bench.identify({ a: "x".repeat(60_000) });
    bench.identify({ b: "x".repeat(MAX_PROFILE_BYTES - 30 - bench.profile.sizeBytes) });
    bench.track(1);
    bench.identify({ a: null });
    bench.track(1);
    expect([bench.profile.events.size, bench.profile.uncounted]).toEqual([0, UNCOUNTED.names]);
    const twice = compileSet([audience("twice", { event: "A", count: { op: "gte", value: 2 } })]);
    noteMissing(bench.profile, twice.leaves.values(), twice);
    expect([...bench.profile.incompleteFor]).toEqual(["twice"]);
  });

  test("with traits that have no room: those that it has stay as they are, smaller ones are taken", () => {
    const bench = new Bench(counted);
    const half = "x".repeat(MAX_PROFILE_BYTES / 2);
    bench.identify({ a: half });
    expect(bench.identify({ b: half, c: "small" })).toBe("applied");
    expect([...bench.profile.traits.keys()]).toEqual(["a", "c"]);
    expect(bench.track(1)).toBe("applied");
  });
});

describe("a full profile", () => {
  /** Each keeps 480 buckets of 20 hours, wider than an eighth of the window: none are joined. */
  const far = Array.from({ length: 4 }, (_, index) =>
    trait(`far${index}`, {
      event: "A",
      between: ["399d", "400d"],
      where: [{ path: "properties.v", op: "neq", value: -1 - index }],
      reduce: { fn: "sum", path: "properties.v" },
    }),
  );

  function full(): Bench {
    const bench = new Bench(...far);
    for (let bucket = 0; bench.track(1, NOW_MS + bucket * 20 * HOUR_MS) === "applied"; bucket += 1);
    expect(isFull(bench.profile)).toBe(true);
    return bench;
  }

  const LATER_MS = NOW_MS + 395 * DAY_MS;

  test("takes no calls, also when it is read again; they are taken once a trait is deleted that filled it", () => {
    const bench = full();
    expect(profileToRecord(bench.profile).isFrozen).toBe(true);
    bench.profile = profileFromRecord("u", profileToRecord(bench.profile));
    expect(bench.track(1, LATER_MS)).toBe("frozen");
    expect(bench.profile.uncounted).toBe(UNCOUNTED.calls);
    expect([...bench.profile.incompleteFor]).toEqual(far.map(({ id }) => id));
    const before = bench.profile.events.get("track A")?.count ?? 0;
    bench.set = compileSet([...far.slice(1), counted]);
    forgetUnused(bench.profile, bench.set, bench.set.computations);
    expect(bench.track(1, LATER_MS)).toBe("applied");
    expect(bench.valueOf("count")).toBe(before + 1);
    expect(profileToRecord(bench.profile).isFrozen).toBe(false);
  });

  test("drops the state of what nobody asks for by itself", () => {
    const bench = full();
    bench.set = compileSet(far.slice(1));
    expect(bench.track(1, LATER_MS)).toBe("applied");
    expect(bench.profile.sizeBytes).toBe(profileBytes(bench.profile));
  });

  test("goes on once what filled it is over", () => {
    const bench = full();
    expect(bench.track(1, LATER_MS + 30 * DAY_MS)).toBe("applied");
  });

  test("that is the sum of two is cut to what fits", () => {
    const [one, other] = [new Bench(reduced("all", "unique")), new Bench(reduced("all", "unique"))];
    for (let index = 0; index < 150; index += 1) {
      one.track(url(index));
      other.track(url(1_000 + index));
    }
    const own = one.valueOf("all") as string[];
    const merge = { kind: "merge", moved: other.profile } as const;
    applyEvent(one.profile, merge, one.set, { offset: 1_000, nowMs: NOW_MS });
    expect(isFull(one.profile)).toBe(false);
    const values = one.valueOf("all") as string[];
    expect(values.length).toBeGreaterThan(own.length);
    expect(values).toEqual(expect.arrayContaining(own));
    expect([...one.profile.incompleteFor]).toEqual(["all"]);
  });

  test.each([
    ["long names of calls", 30_000, 5],
    ["many names of calls", 10, MAX_EVENT_NAMES + 5],
  ])(
    "is none by %s of those that are merged into it: what has no room is left out",
    (_, characters, merges) => {
      const bench = new Bench(counted);
      const [type, firstMs, lastMs] = ["track", NOW_MS, NOW_MS];
      for (let index = 0; index < merges; index += 1) {
        const moved = { ...createProfile(`anon:${index}`, 0), judgedAtMs: NOW_MS };
        const name = `${index}`.padEnd(characters, "x");
        moved.events.set(`${type} ${name}`, { type, name, count: 1, firstMs, lastMs });
        const moment = { offset: index, nowMs: NOW_MS };
        expect(applyEvent(bench.profile, { kind: "merge", moved }, bench.set, moment)).toBe("applied");
      }
      const { events, sizeBytes, uncounted } = bench.profile;
      expect([sizeBytes <= MAX_PROFILE_BYTES, sizeBytes]).toEqual([true, profileBytes(bench.profile)]);
      expect([events.size <= MAX_EVENT_NAMES, uncounted]).toEqual([true, UNCOUNTED.names]);
    },
  );
});
