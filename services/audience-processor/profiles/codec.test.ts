import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createProfile, NO_STEPS, type Profile, profileFromRecord, profileToRecord } from "#audiences";
import type { SerdeOptions } from "#serde";
import { stubRegistry, stubSerde, TOPICS } from "../fixtures/bench.ts";
import { createCodec } from "./codec.ts";

/** A profile of release 0.1.0, as it lies in Kafka behind its header. */
const RELEASED_BYTES = "0e1200000a00000000000000000000020c726563656e74020208747275650a00";

const ms = fc.oneof(
  fc.integer({ min: -100, max: 100 }),
  fc.maxSafeNat().map((n) => n - (n % 2)),
  fc.nat({ max: 2 ** 42 }),
);
const count = fc.nat();
const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: "binary", maxLength: 80 }));
const value = fc.jsonValue({ maxDepth: 1 });
const double = fc.double({ noNaN: true });
const moment = { atMs: ms, receivedAtMs: ms, value };

const tally = fc.record({
  index: fc.nat({ max: 2 ** 31 - 1 }),
  n: count,
  firstMs: fc.nat({ max: 2 ** 42 }),
  lastMs: fc.nat({ max: 2 ** 42 }),
});
const none = { sum: 0, min: 0, max: 0, pick: undefined };
const counts = fc.array(
  tally.map((facts) => ({ ...facts, ...none })),
  { maxLength: 3 },
);
const numbers = fc.array(fc.record({ facts: tally, sum: double, min: double, max: double }), {
  maxLength: 3,
});
const pick = fc.record({ ...moment, atMs: fc.nat({ max: 2 ** 42 }), receivedAtMs: fc.nat({ max: 2 ** 42 }) });
const leaf = fc.oneof(
  fc.array(fc.nat({ max: 2 ** 42 }), { maxLength: 4 }).map((times) => ({ kind: "times" as const, times })),
  counts.map((tallies) => ({ kind: "counts" as const, tallies })),
  numbers.map((all) => ({
    kind: "numbers" as const,
    tallies: all.map(({ facts, ...sums }) => ({ ...facts, ...sums, pick: undefined })),
  })),
  fc.array(fc.record({ facts: tally, pick }), { maxLength: 3 }).map((all) => ({
    kind: "picks" as const,
    tallies: all.map(({ facts, pick: of }) => ({ ...facts, ...none, pick: of })),
  })),
  fc
    .record({
      values: fc.array(fc.tuple(text, counts), { maxLength: 3 }),
      isOverflowing: fc.boolean(),
    })
    .map(({ isOverflowing, values }) => {
      const facts = { tallyCount: 0, textBytes: 0, pruneAtMs: 0, isHashed: false };
      return { kind: "values" as const, values: new Map(values), isOverflowing, ...facts };
    }),
  fc.record({
    kind: fc.constant("occurrences" as const),
    isOverflowing: fc.boolean(),
    occurrences: fc.array(
      pick.map((of) => ({ ...of, fromMs: of.atMs + 5, untilMs: of.atMs + 5_000_000_000 })),
      { maxLength: 3 },
    ),
  }),
);

const anyFlip = fc.record({
  ...{ computationId: text, generation: count, seq: count, text, atMs: ms },
  ...{ traits: text, isTracked: fc.boolean() },
});
const result = fc.record({
  text,
  seq: count,
  sinceMs: ms,
  generation: count,
  deadlineMs: fc.oneof(ms, fc.constant(Number.POSITIVE_INFINITY)),
});
const event = fc.record({ type: text, name: text, count, firstMs: ms, lastMs: ms });

const profile: fc.Arbitrary<Profile> = fc
  .record({
    facts: fc.record({ appliedOffset: ms, version: count, judgedAtMs: ms }),
    redirectTo: fc.option(text, { nil: undefined }),
    deletedAtMs: fc.option(ms, { nil: undefined }),
    recentCalls: fc.array(fc.nat({ max: 2 ** 48 - 1 }), { maxLength: 300 }),
    traits: fc.array(fc.tuple(text, fc.record(moment)), { maxLength: 4 }),
    events: fc.array(event, { maxLength: 4 }),
    leaves: fc.array(fc.tuple(text, leaf), { maxLength: 5 }),
    lists: fc.array(text, { maxLength: 3 }),
    backfilled: fc.array(fc.tuple(text, count), { maxLength: 3 }),
    results: fc.array(fc.tuple(text, result), { maxLength: 4 }),
    outbox: fc.array(
      fc.oneof(
        anyFlip,
        anyFlip.map((flip) => ({ ...flip, toAccount: "acme" })),
      ),
      { maxLength: 3 },
    ),
    accounts: fc.array(fc.tuple(text, fc.record({ told: fc.array(text, { maxLength: 3 }), toldAtMs: ms })), {
      maxLength: 3,
    }),
    outboxOffset: fc.option(ms, { nil: undefined }),
    changedUntilMs: ms,
    linkedAtMs: fc.option(ms, { nil: undefined }),
    suppressions: fc.array(
      fc.record({ sourceId: fc.option(text), fromOffset: ms, toOffset: fc.option(ms) }),
      { maxLength: 3 },
    ),
    uncounted: fc.constantFrom(0 as const, 1 as const, 2 as const),
    seenAtMs: ms,
    forgottenTo: count,
    moves: fc.array(
      fc.record({
        computationId: fc.string(),
        by: fc.constantFrom(1, -1),
        batch: count,
        hour: count,
        entered: count,
        left: count,
        members: count,
      }),
      { maxLength: 3 },
    ),
    steps: fc.constant(NO_STEPS),
    incompleteFor: fc.array(text, { maxLength: 3 }).map((ids) => new Set(ids)),
  })
  .map(({ facts, ...parts }) => ({
    ...createProfile("user-1", 7),
    ...facts,
    ...parts,
    traits: new Map(parts.traits),
    accounts: new Map(parts.accounts),
    events: new Map(parts.events.map((one) => [`${one.type} ${one.name}`, one])),
    leaves: new Map(parts.leaves),
    lists: new Set(parts.lists),
    backfilled: new Map(parts.backfilled),
    results: new Map(parts.results),
  }));

const LATER_FIELDS: ReadonlySet<unknown> = new Set([
  "incompleteFor",
  "uncounted",
  "outboxOffset",
  "changedUntilMs",
  "linkedAtMs",
  "suppressions",
  "seenAtMs",
  "forgottenTo",
  "moves",
  "isTracked",
  "toAccount",
  "accounts",
]);

/** A profile's traits are released, a flip's are not. */
function isLater(field: { readonly name?: unknown; readonly type?: unknown } | null): boolean {
  return LATER_FIELDS.has(field?.name) || (field?.name === "traits" && field.type === "string");
}

/** Of release 0.1.0. */
const schemaOf: NonNullable<SerdeOptions["schemaOf"]> = (record) => {
  const text = readFileSync(join(import.meta.dirname, `../../../schemas/${record}.avsc`), "utf8");
  return JSON.parse(text, (_, one: unknown) =>
    Array.isArray(one) ? one.filter((field) => !isLater(field)) : one,
  );
};

async function opened() {
  const serde = await stubSerde();
  const codec = createCodec(serde, TOPICS);
  const encode = (of: Profile) => serde.encode(TOPICS.profiles, profileToRecord(of));
  const decode = (value: Buffer) => {
    const state = serde.decode(TOPICS.profiles, value);
    if ("then" in state) throw new Error("the schema is not known yet");
    return profileFromRecord("user-1", state);
  };
  await serde.decode(TOPICS.profiles, encode(createProfile("user-1", 7)));
  return { codec, decode, encode, serde };
}

test("a profile is written as the schema's own library writes it, and read as that reads it", async () => {
  const { codec, decode, encode } = await opened();
  fc.assert(
    fc.property(profile, (one) => {
      const { value: written } = codec.entryOf(one);
      expect(written.equals(encode(one))).toBe(true);
      expect(codec.read("user-1", written)).toEqual(decode(written));
    }),
    { numRuns: 200 },
  );
});

test("bytes that end too early, go on or are damaged are no profile, and are not read for ever", async () => {
  const { codec } = await opened();
  fc.assert(
    fc.property(profile, fc.nat(), fc.integer({ min: 0, max: 255 }), (one, at, byte) => {
      const { value: written } = codec.entryOf(one);
      const cut = written.subarray(0, 5 + (at % (written.length - 5)));
      expect(() => codec.read("user-1", cut)).toThrow();
      expect(() => codec.read("user-1", Buffer.concat([written, Buffer.of(byte)]))).toThrow();
      const damaged = Buffer.from(written);
      damaged[5 + (at % (written.length - 5))] = byte;
      try {
        void codec.read("user-1", damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
    { numRuns: 200 },
  );
});

test.each(["counts", "numbers", "picks", "values"])(
  "%s that say that they are more than there are are not looked for",
  async (kind) => {
    const { codec, serde } = await opened();
    const leaf = { key: "a", kind, isOverflowing: false, longs: [2 ** 40, 1, 2], doubles: [], texts: ["1"] };
    const record = { ...profileToRecord(createProfile("user-1", 7)), leaves: [leaf] };
    const value = serde.encode(TOPICS.profiles, record);
    expect(() => codec.read("user-1", value)).toThrow("the columns of a leaf end too early");
  },
);

describe("in an upgrade", () => {
  const known = { computationId: "recent", generation: 1, seq: 1, text: "true", atMs: 5 };
  /** What the release before sent: no track call, and no traits along. */
  const ALONE = { traits: "", isTracked: false };
  const flip = { ...known, traits: '{"plan":"pro"}', isTracked: true };
  const unsent: Profile = { ...createProfile("user-1", 7), appliedOffset: 9, judgedAtMs: 5, outbox: [flip] };

  /** This version, and the release before with its own schema, on one registry. */
  async function both() {
    const registry = stubRegistry();
    const [now, before] = [await stubSerde({ registry }), await stubSerde({ registry, schemaOf })];
    return { before, codec: createCodec(now, TOPICS), now };
  }

  test("a profile that the release before wrote is read; what it has not sent is due at once", async () => {
    const { before, codec, now } = await both();
    const value = before.encode(TOPICS.profiles, profileToRecord(unsent));
    expect(value.subarray(0, 5)).not.toEqual(now.header(TOPICS.profiles));
    const read = await codec.read("user-1", value);
    expect({ ...read, sizeBytes: 0 }).toEqual({ ...unsent, outbox: [{ ...known, ...ALONE }] });
    expect(await codec.describe(value)).toEqual({ appliedOffset: 9, version: 0, dueMs: 0 });
    // Bytes that such a version has left behind.
    expect(value.toString("hex", 5)).toBe(RELEASED_BYTES);
  });

  test("the release before reads what is written now, and takes the outbox for unsent: it is sent again under the same ids", async () => {
    const { before, codec } = await both();
    const { dueMs, value } = codec.entryOf({ ...unsent, outboxOffset: 9 });
    expect(dueMs).toBe(Number.POSITIVE_INFINITY);
    expect(await before.decode(TOPICS.profiles, value)).toMatchObject({ appliedOffset: 9, outbox: [known] });
  });
});

test("what was written stays as it is when the next one is written", async () => {
  const { codec } = await opened();
  const [first, second] = fc.sample(profile, 2);
  if (first === undefined || second === undefined) throw new Error("no sample");
  const { value: written } = codec.entryOf(first);
  const before = Buffer.from(written);
  codec.entryOf(second);
  expect(written.equals(before)).toBe(true);
});

test("a number that the schema does not take is refused", async () => {
  const { codec } = await opened();
  for (const judgedAtMs of [1.5, Number.NaN, 2 ** 60])
    expect(() => codec.entryOf({ ...createProfile("user-1", 7), judgedAtMs })).toThrow(/no whole number/);
});
