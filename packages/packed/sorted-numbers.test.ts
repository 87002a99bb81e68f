import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { NumberGroups } from "./number-groups.ts";
import { SortedNumbers } from "./sorted-numbers.ts";

const ascending = (one: number, other: number): number => one - other;

test("numbers that come and go are in their order, from any place and both ways", () => {
  const change = fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.boolean());
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 6_000, minLength: 2_000, size: "max" }),
      fc.integer({ min: -1, max: 3_001 }),
      (changes, place) => {
        const numbers = new SortedNumbers(ascending);
        const model = new Set<number>();
        for (const [number, isRemoval] of changes) {
          if (isRemoval) numbers.remove(number);
          else if (!model.has(number)) numbers.add(number);
          if (isRemoval) model.delete(number);
          else model.add(number);
        }
        const sorted = [...model].sort(ascending);
        const isBehind = (number: number): boolean => number > place;
        expect(numbers.size).toBe(sorted.length);
        expect(numbers.behind(() => true, 10_000)).toEqual(sorted);
        expect(numbers.before(() => false, 10_000)).toEqual(sorted.toReversed());
        expect(numbers.behind(isBehind, 700)).toEqual(sorted.filter(isBehind).slice(0, 700));
        const upTo = sorted.filter((number) => !isBehind(number)).toReversed();
        expect(numbers.before(isBehind, 700)).toEqual(upTo.slice(0, 700));
      },
    ),
    { numRuns: 30 },
  );
});

test("many that come together are each in its place among those that were there", () => {
  const drawn = fc.uniqueArray(fc.integer({ min: 0, max: 20_000 }), { maxLength: 2_000, size: "max" });
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 5 }), fc.nat({ max: 20_000 }), (rounds, removed) => {
      const numbers = new SortedNumbers(ascending);
      const model = new Set<number>();
      for (const round of rounds) {
        const added = round.filter((number) => !model.has(number)).sort(ascending);
        numbers.addAll(Float64Array.from(added));
        for (const number of added) model.add(number);
        if (!model.has(removed)) numbers.add(removed);
        numbers.remove(removed);
        model.delete(removed);
        expect(numbers.size).toBe(model.size);
        expect(numbers.behind(() => true, 30_000)).toEqual([...model].sort(ascending));
      }
    }),
    { numRuns: 20 },
  );
});

test("numbers that come in order, or in several orders at once, are all there", () => {
  const numbers = new SortedNumbers(ascending);
  for (let number = 0; number < 30_000; number += 1)
    numbers.add((number % 12) * 10_000 + Math.floor(number / 12));
  const all = Array.from({ length: 30_000 }, (_, at) => Math.floor(at / 2_500) * 10_000 + (at % 2_500));
  expect(numbers.behind(() => true, 30_000)).toEqual(all);
});

test("whatever is added, removed and asked for between, a group has what a Map of sets would", () => {
  const change = fc.record({
    group: fc.nat({ max: 20 }).map(String),
    number: fc.nat({ max: 3_000 }),
    kind: fc.constantFrom("add", "add", "add", "remove", "ask"),
  });
  // More than wait to be sorted.
  const changes = fc.array(change, { minLength: 2_000, maxLength: 6_000, size: "max" });
  fc.assert(
    fc.property(changes, (drawn) => {
      const groups = new NumberGroups();
      const model = new Map<string, Set<number>>();
      // Removals and questions sort what waits: without them at first, so that much waits.
      for (const [at, { group, kind, number }] of drawn.entries()) {
        const numbers = model.get(group) ?? new Set();
        model.set(group, numbers);
        const isEarly = at < drawn.length / 2;
        if (isEarly || kind === "add") {
          if (!numbers.has(number)) groups.add(group, number);
          numbers.add(number);
        } else if (kind === "remove") {
          groups.remove(group, number);
          numbers.delete(number);
        } else expect([...groups.of(group)]).toEqual([...numbers].sort(ascending));
      }
      for (const [group, numbers] of model)
        expect([...groups.of(group)]).toEqual([...numbers].sort(ascending));
    }),
    { numRuns: 15 },
  );
});

test("a group has its numbers in order, however many, and none that was removed", () => {
  const groups = new NumberGroups();
  for (let number = 999; number >= 0; number -= 1) {
    groups.add("large", number);
    if (number % 3 === 0) groups.add("small", number);
  }
  for (let number = 0; number < 1_000; number += 2) groups.remove("large", number);
  groups.remove("small", 1);
  expect([...groups.of("large")]).toEqual(Array.from({ length: 500 }, (_, at) => 2 * at + 1));
  expect([...groups.of("small")]).toEqual(Array.from({ length: 334 }, (_, at) => 3 * at));
  expect([...groups.of("none")]).toEqual([]);
});
