import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { dueIn, dueKeyOf, entryIn, factsIn, isAsNew, keyIn, tableKeyOf, toTableValue } from "./entry.ts";

const LAST_MS = 2 ** 48 - 2;

describe("an entry on disk", () => {
  test("is the one that was put there, under a key of any length", () => {
    const facts = fc.record({
      appliedOffset: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER >> 5 }),
      version: fc.nat(),
      dueMs: fc.oneof(fc.nat({ max: LAST_MS }), fc.constant(Number.POSITIVE_INFINITY)),
    });
    const key = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.constantFrom("", "k".repeat(1_024), "k".repeat(1_025), "é".repeat(512), `${"é".repeat(512)}k`),
    );
    const value = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(facts, key, value, (known, name, bytes) => {
        const entry = { ...known, key: name, value: bytes };
        const written = toTableValue(entry);
        expect(factsIn(written)).toEqual(known);
        expect(entryIn(tableKeyOf(name), written)).toEqual(entry);
      }),
    );
  });

  test("has its key in the table's up to 1,024 bytes, and a hash of it there above", () => {
    for (const key of ["", "a", "k".repeat(1_024), "é".repeat(512)]) expect(keyIn(tableKeyOf(key))).toBe(key);
    const long = ["k".repeat(1_025), "l".repeat(30_000), `${"é".repeat(512)}k`].map(tableKeyOf);
    expect(long.map((tableKey) => [tableKey.length, keyIn(tableKey)])).toEqual(
      Array(3).fill([33, undefined]),
    );
    expect(new Set(long.map(String)).size).toBe(3);
  });

  test("takes its value and 20 bytes more, and its key where the table's does not hold it", () => {
    const sizeOf = (key: string) =>
      toTableValue({ key, value: Buffer.alloc(7), appliedOffset: 0, version: 0, dueMs: 0 }).length;
    expect([sizeOf("k".repeat(1_024)), sizeOf("k".repeat(1_025))]).toEqual([27, 27 + 1_025]);
  });
});

describe("the index of due times", () => {
  test("is in the order of the times, and then of the keys", () => {
    const keys = [
      [0, "b"],
      [1, "a"],
      [1, "b"],
      [256, "a"],
      [LAST_MS, "a"],
    ] as const;
    const places = keys.map(([dueMs, key]) => dueKeyOf(dueMs, tableKeyOf(key)) ?? Buffer.alloc(0));
    expect(places.toSorted(Buffer.compare)).toEqual(places);
    for (const [at, place] of places.entries()) {
      const { dueMs, tableKey } = dueIn(place);
      expect([dueMs, keyIn(tableKey)]).toEqual([...(keys[at] ?? [])]);
    }
  });

  test("has nothing that is never due; what was due before all time is due at its beginning, nothing too early", () => {
    const dueMs = (wantedMs: number) => {
      const place = dueKeyOf(wantedMs, tableKeyOf("a"));
      return place && dueIn(place).dueMs;
    };
    expect([Number.POSITIVE_INFINITY, LAST_MS + 1, LAST_MS, -5, 1.2].map(dueMs)).toEqual([
      undefined,
      undefined,
      LAST_MS,
      0,
      2,
    ]);
  });
});

test.each([
  [[5, 1], undefined, true],
  [[5, 1], [4, 9], true],
  [[4, 9], [5, 1], false],
  [[5, 2], [5, 1], true],
  [[5, 1], [5, 1], true],
  [[5, 1], [5, 2], false],
] as const)("of two records of a key the newer one stands: %j instead of %j is %j", (other, kept, stands) => {
  type Age = readonly [version: number, appliedOffset: number];
  const facts = ([version, appliedOffset]: Age) => ({ version, appliedOffset, dueMs: 0 });
  expect(isAsNew(facts(other), kept && facts(kept))).toBe(stands);
});
