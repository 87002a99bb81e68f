import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createProfile, type Profile, profileFromRecord, profileToRecord } from "#audiences";
import { stubSerde, TOPICS } from "../fixtures/bench.ts";
import { createCodec } from "./codec.ts";

const ms = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.maxSafeNat(), fc.nat({ max: 2 ** 42 }));
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
const counts = fc.array(tally.map((facts) => ({ ...facts, ...none })), { maxLength: 3 });
const numbers = fc.array(fc.record({ facts: tally, sum: double, min: double, max: double }), { maxLength: 3 });
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
      const facts = { tallyCount: 0, textBytes: 0, pruneAtMs: 0 };
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

const flip = fc.record({ computationId: text, generation: count, seq: count, text, atMs: ms });
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
    facts: fc.record({ appliedOffset: ms, version: count, judgedAtMs: ms, isFrozen: fc.boolean() }),
    redirectTo: fc.option(text, { nil: undefined }),
    deletedAtMs: fc.option(ms, { nil: undefined }),
    recentCalls: fc.array(fc.nat({ max: 2 ** 48 - 1 }), { maxLength: 300 }),
    traits: fc.array(fc.tuple(text, fc.record(moment)), { maxLength: 4 }),
    events: fc.array(event, { maxLength: 4 }),
    leaves: fc.array(fc.tuple(text, leaf), { maxLength: 5 }),
    lists: fc.array(text, { maxLength: 3 }),
    backfilled: fc.array(fc.tuple(text, count), { maxLength: 3 }),
    results: fc.array(fc.tuple(text, result), { maxLength: 4 }),
    outbox: fc.array(flip, { maxLength: 3 }),
  })
  .map(({ facts, ...parts }) => ({
    ...createProfile("user-1", 7),
    ...facts,
    ...parts,
    traits: new Map(parts.traits),
    events: new Map(parts.events.map((one) => [`${one.type} ${one.name}`, one])),
    leaves: new Map(parts.leaves),
    lists: new Set(parts.lists),
    backfilled: new Map(parts.backfilled),
    results: new Map(parts.results),
  }));

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
    { numRuns: 500 },
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
    { numRuns: 500 },
  );
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
