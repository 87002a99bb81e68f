import { describe, expect, test } from "@jest/globals";
import { audience as audienceOf, callOf, NOW_MS, trait as traitOf } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import type { ComputationInput } from "./computation.ts";
import { type ComputationSet, compileSet } from "./computation-set.ts";
import type { ProfileCall } from "./event.ts";
import { advance, evaluate } from "./judging.ts";
import { createProfile, type Profile } from "./profile.ts";
import { MAX_RECENT_CALLS } from "./recent-calls.ts";
import { profileToRecord } from "./record.ts";

const audience = (definition: unknown, more: Partial<ComputationInput> = {}) =>
  audienceOf("aud", definition, more);
const trait = (definition: unknown) => traitOf("trait", definition);

/** A profile with a hand on it. */
class Bench {
  readonly profile: Profile;
  readonly #set: ComputationSet;
  #offset = 0;

  constructor(set: ComputationSet, id = "u") {
    this.#set = set;
    this.profile = createProfile(id, 0);
  }

  /** That happened at `atMs` and came at `nowMs`. */
  call({ atMs, nowMs = NOW_MS, ...fields }: Partial<ProfileCall> & { atMs?: number; nowMs?: number }) {
    this.#offset += 1;
    const times = { timestampMs: atMs ?? nowMs, receivedAtMs: nowMs };
    const call = callOf({ messageId: `m${this.#offset}`, ...times, ...fields });
    return applyEvent(this.profile, { kind: "call", call }, this.#set, { offset: this.#offset, nowMs });
  }

  texts(): string[] {
    return this.profile.outbox.map(({ text }) => text);
  }
}

describe("counts in a window are exact to the millisecond", () => {
  test("a member leaves when the Nth newest occurrence is as old as the window, not before", () => {
    const set = compileSet([audience({ event: "A", within: "60s", count: { op: "gte", value: 2 } })]);
    const bench = new Bench(set);
    bench.call({ atMs: NOW_MS - 20_000 });
    bench.call({ atMs: NOW_MS - 30_000 });
    expect(bench.profile.nextDeadlineMs).toBe(NOW_MS + 30_000);
    advance(bench.profile, set, NOW_MS + 29_999);
    expect(bench.texts()).toEqual(["true"]);
    advance(bench.profile, set, NOW_MS + 30_000);
    expect(bench.texts()).toEqual(["true", "false"]);
  });

  test("a late call that happened before the deadline keeps a member in, one that happened after does not undo the end", () => {
    const set = compileSet([audience({ event: "A", within: "60s" })]);
    const late = new Bench(set);
    late.call({});
    late.call({ atMs: NOW_MS + 59_999, nowMs: NOW_MS + 90_000 });
    expect(late.texts()).toEqual(["true"]);
    const after = new Bench(set);
    after.call({});
    after.call({ atMs: NOW_MS + 60_000, nowMs: NOW_MS + 90_000 });
    expect(after.texts()).toEqual(["true", "false", "true"]);
  });
});

describe("what counts once", () => {
  const set = compileSet([trait({ event: "A", reduce: { fn: "count" } })]);

  test("a call that comes again under its messageId, as long as no more than 256 others came between", () => {
    const bench = new Bench(set);
    bench.call({ messageId: "first" });
    expect(bench.call({ messageId: "first" })).toBe("duplicate");
    for (let index = 0; index < MAX_RECENT_CALLS - 1; index += 1) bench.call({});
    expect(bench.call({ messageId: "first" })).toBe("duplicate");
    for (let index = 0; index < MAX_RECENT_CALLS; index += 1) bench.call({});
    expect(bench.call({ messageId: "first" })).toBe("applied");
    expect(profileToRecord(bench.profile).recentCalls.length).toBeLessThanOrEqual(6 * MAX_RECENT_CALLS);
  });

  test("a record that is read again changes nothing", () => {
    const bench = new Bench(set);
    bench.call({});
    const event = { kind: "delete", atMs: NOW_MS } as const;
    expect(applyEvent(bench.profile, event, set, { offset: 1, nowMs: NOW_MS })).toBe("already_applied");
    expect(bench.profile.deletedAtMs).toBeUndefined();
  });
});

describe("times of changes rise, so that a receiver can order them", () => {
  const set = compileSet([audience({ trait: "plan", op: "eq", value: "pro" })]);
  const plan = (bench: Bench, value: string, nowMs = NOW_MS) =>
    bench.call({ type: "identify", body: { traits: { plan: value } }, nowMs });
  const timesOf = ({ profile }: Bench) => profile.outbox.map(({ atMs }) => atMs - NOW_MS);

  test("within one millisecond, and where the clock is behind what was sent", () => {
    const bench = new Bench(set);
    for (const value of ["pro", "free", "pro"]) plan(bench, value);
    plan(bench, "free", NOW_MS + 2);
    expect(bench.texts()).toEqual(["true", "false", "true", "false"]);
    expect(timesOf(bench)).toEqual([0, 1, 2, 3]);
    expect(bench.profile.results.get("aud")?.sinceMs).toBe(NOW_MS + 3);
  });

  test("over a deletion: a user who comes back is not sent anything earlier, nor what is not later than the deletion", () => {
    const bench = new Bench(set);
    for (const value of ["pro", "free", "pro"]) plan(bench, value);
    const comeBack = (deletedAtMs: number, offset: number) => {
      const at = { offset, nowMs: NOW_MS };
      applyEvent(bench.profile, { kind: "delete", atMs: deletedAtMs }, set, at);
      const { atMs = 0 } = identify(deletedAtMs + 1, offset + 1) ?? {};
      return atMs - NOW_MS;
    };
    const identify = (atMs: number, offset: number) => {
      const body = { traits: { plan: "pro" } };
      const call = callOf({ type: "identify", name: null, messageId: `again ${offset}`, body, atMs });
      applyEvent(bench.profile, { kind: "call", call }, set, { offset, nowMs: NOW_MS });
      return bench.profile.outbox.at(-1);
    };
    expect(comeBack(NOW_MS - 1, 100)).toBe(3);
    expect(comeBack(NOW_MS + 50, 200)).toBe(51);
  });
});

describe("deletion (contract 5.3)", () => {
  const set = compileSet([audience({ event: "A" })]);

  test("sends no false, ignores what is older, and begins a new incarnation with what is newer", () => {
    const bench = new Bench(set);
    bench.call({});
    const deletion = { kind: "delete", atMs: NOW_MS + 10 } as const;
    applyEvent(bench.profile, deletion, set, { offset: 1_000, nowMs: NOW_MS + 10 });
    expect(bench.texts()).toEqual([]);
    expect(bench.profile.results.size).toBe(0);
    const old = callOf({ timestampMs: NOW_MS + 10, receivedAtMs: NOW_MS + 50 });
    const late = { offset: 1_001, nowMs: NOW_MS + 50 };
    expect(applyEvent(bench.profile, { kind: "call", call: old }, set, late)).toBe("deleted");
    const later = { offset: 1_002, nowMs: NOW_MS + 51 };
    const fresh = callOf({ atMs: NOW_MS + 51 });
    expect(applyEvent(bench.profile, { kind: "call", call: fresh }, set, later)).toBe("applied");
    expect(bench.profile).toMatchObject({ incarnation: 1_002, outbox: [{ text: "true", seq: 1 }] });
  });

  test("a call that came after it counts, also where the clock is still before it", () => {
    const bench = new Bench(set);
    const deletion = { kind: "delete", atMs: NOW_MS } as const;
    const at = (offset: number) => ({ offset, nowMs: NOW_MS - 500 });
    applyEvent(bench.profile, deletion, set, at(1));
    const call = callOf({ atMs: NOW_MS + 1 });
    expect(applyEvent(bench.profile, { kind: "call", call }, set, at(2))).toBe("applied");
    expect(bench.texts()).toEqual(["true"]);
  });

  test("a list that was uploaded before it does not bring the user back; one that was uploaded later does", () => {
    const list = { id: "l", key: "l", generation: 1, state: "live", includeAnonymous: false } as const;
    const lists = compileSet([{ ...list, definition: { kind: "list" } }]);
    const bench = new Bench(lists);
    const onList = (atMs: number) => ({ kind: "list", listId: "l", isMember: true, atMs }) as const;
    const at = (offset: number) => ({ offset, nowMs: NOW_MS + offset });
    applyEvent(bench.profile, onList(NOW_MS), lists, at(1));
    applyEvent(bench.profile, { kind: "delete", atMs: NOW_MS + 10 }, lists, at(2));
    expect(applyEvent(bench.profile, onList(NOW_MS + 10), lists, at(3))).toBe("deleted");
    expect([bench.profile.lists.size, bench.texts()]).toEqual([0, []]);
    expect(applyEvent(bench.profile, onList(NOW_MS + 11), lists, at(4))).toBe("applied");
    expect(bench.texts()).toEqual(["true"]);
  });
});

describe("edits and pauses", () => {
  const definition = { event: "A" };

  test("an edit sends only differences, under its generation and the next seq", () => {
    const bench = new Bench(compileSet([audience(definition)]));
    bench.call({});
    const same = compileSet([audience(definition, { generation: 2 })]);
    evaluate(bench.profile, same.computations.values(), NOW_MS + 1);
    expect(bench.profile.outbox).toHaveLength(1);
    // The id of the change that was sent follows from it.
    expect(bench.profile.results.get("aud")).toMatchObject({ text: "true", generation: 1, seq: 1 });
    const other = compileSet([audience({ event: "B" }, { generation: 3 })]);
    evaluate(bench.profile, other.computations.values(), NOW_MS + 2);
    expect(bench.profile.outbox.at(-1)).toMatchObject({ text: "false", generation: 3, seq: 2 });
    expect(bench.profile.results.get("aud")).toMatchObject({ text: "false", generation: 3, seq: 2 });
  });

  test("a paused audience folds and is silent; resumed it sends the net difference", () => {
    const bench = new Bench(compileSet([audience(definition, { state: "paused" })]));
    bench.call({});
    expect(bench.texts()).toEqual([]);
    evaluate(bench.profile, compileSet([audience(definition)]).computations.values(), NOW_MS + 1);
    expect(bench.texts()).toEqual(["true"]);
  });
});

describe("computed traits (contract 8.2)", () => {
  const numbers = [5, 5, 3];
  test.each([
    ["count", ["1", "2", "3", "0"]],
    ["sum", ["5", "10", "13", "null"]],
    ["avg", ["5", `${13 / 3}`, "null"]],
    ["min", ["5", "3", "null"]],
    ["max", ["5", "null"]],
    ["first", ["5", "null"]],
    ["last", ["5", "3", "null"]],
    ["unique", ["[5]", "[3,5]", "[]"]],
    ["unique_count", ["1", "2", "0"]],
    ["most_frequent", ["5", "null"]],
  ])("%s is sent when it has changed, and what is left when its window is empty", (fn, texts) => {
    const reduce = fn === "count" ? { fn } : { fn, path: "properties.n" };
    const set = compileSet([trait({ event: "A", within: "60s", reduce })]);
    const bench = new Bench(set);
    for (const [index, n] of numbers.entries())
      bench.call({ atMs: NOW_MS + index, nowMs: NOW_MS + index, body: { properties: { n } } });
    // Bucket by bucket: all three are in one.
    advance(bench.profile, set, NOW_MS + 60_002);
    expect(bench.texts()).toEqual(texts);
  });
});

test("an anonymous profile is in audiences that include anonymous ones, and has no computed traits", () => {
  const inputs = [
    audience({ event: "A" }),
    audience({ event: "A" }, { id: "all", key: "all", includeAnonymous: true }),
  ];
  const bench = new Bench(compileSet([...inputs, trait({ event: "A", reduce: { fn: "count" } })]), "anon:x");
  bench.call({});
  expect(bench.profile.outbox.map(({ computationId }) => computationId)).toEqual(["all"]);
});

test("a trait that was removed hides none whose key has dots; one that is there does", () => {
  const bench = new Bench(compileSet([audience({ trait: "utm.source", op: "eq", value: "x" })]));
  for (const utm of [{ medium: "m" }, null, { medium: "m" }])
    bench.call({ type: "identify", name: null, body: { traits: { utm, "utm.source": "x" } } });
  expect(bench.texts()).toEqual(["true", "false"]);
});

test("the body of a call is asked for by conditions and paths only: whoever gives it may parse it then", () => {
  let parsed = 0;
  const fold = (definition: unknown): void => {
    const body = {
      get: () => {
        parsed += 1;
        return {};
      },
    };
    const call = Object.defineProperty(callOf(), "body", body);
    const profile = createProfile("u", 0);
    const set = compileSet([audience(definition)]);
    expect(applyEvent(profile, { kind: "call", call }, set, { offset: 1, nowMs: NOW_MS })).toBe("applied");
  };
  fold({ event: "A", within: "30d" });
  fold({ event: "A", count: { op: "gte", value: 3 } });
  expect(parsed).toBe(0);
  fold({ event: "A", where: [{ path: "properties.total", op: "gte", value: 1 }] });
  expect(parsed).toBe(1);
});

test("a trait is known under the name that it has when the profile is read again: without halves of surrogate pairs", () => {
  const bench = new Bench(compileSet([]));
  for (const half of ["\ud83d", "\ud83e"])
    bench.call({ type: "identify", name: null, body: { traits: { [`plan${half}`]: half } } });
  expect([...bench.profile.traits].map(([key, { value }]) => [key, value])).toEqual([
    ["plan\ufffd", "\ud83e"],
  ]);
});
