import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { KeyBytes } from "./key-bytes.ts";
import { NumberIndex } from "./number-index.ts";

/** Numbers with their texts, beside an index of them. */
function newIndex() {
  const texts = new Map<number, readonly string[]>();
  const index = new NumberIndex((number, text) => texts.get(number)?.includes(text) === true);
  return {
    find: (text: string) => index.find(text),
    change(number: number, now: readonly string[]) {
      for (const text of texts.get(number) ?? []) index.remove(text, number);
      texts.set(number, now);
      for (const text of now) index.set(text, number);
    },
  };
}

/** Two texts of one hash. */
function twins(): [string, string] {
  const key = new KeyBytes();
  const byHash = new Map<number, string>();
  for (let at = 0; ; at += 1) {
    const text = `text ${at}`;
    key.set(text);
    const twin = byHash.get(key.hash);
    if (twin !== undefined) return [twin, text];
    byHash.set(key.hash, text);
  }
}

const [ONE, TWIN] = twins();

test("whatever changes, a text leads to the number that took it last, until that one loses it", () => {
  const text = fc.nat({ max: 40 }).map((number) => `${"ключ".repeat(number % 3)}${number}`);
  const change = fc.tuple(fc.nat({ max: 30 }), fc.uniqueArray(text, { maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200, size: "max" }), (changes) => {
      const index = newIndex();
      const owners = new Map<string, number>();
      for (const [number, now] of changes) {
        index.change(number, now);
        for (const [each, owner] of owners) if (owner === number) owners.delete(each);
        for (const each of now) owners.set(each, number);
      }
      for (const [each, owner] of owners) expect([each, index.find(each)]).toEqual([each, owner]);
    }),
    { numRuns: 60 },
  );
});

test("two texts of one hash lead to the number of each", () => {
  const index = newIndex();
  index.change(1, [ONE]);
  index.change(2, [TWIN]);
  expect([index.find(ONE), index.find(TWIN)]).toEqual([1, 2]);
  index.change(1, []);
  expect([index.find(ONE), index.find(TWIN)]).toEqual([-1, 2]);
});

test("a number keeps the other one of two texts of one hash when one is taken", () => {
  const index = newIndex();
  index.change(1, [ONE, TWIN]);
  index.change(2, [ONE]);
  expect([index.find(ONE), index.find(TWIN)]).toEqual([2, 1]);
  index.change(1, []);
  expect([index.find(ONE), index.find(TWIN), index.find("other")]).toEqual([2, -1, -1]);
});

test("hundreds of thousands are found, and none that was removed", () => {
  const index = newIndex();
  for (let number = 0; number < 200_000; number += 1) index.change(number, [`k${number}`]);
  for (let number = 0; number < 200_000; number += 2) index.change(number, []);
  for (let number = 0; number < 200_000; number += 997)
    expect(index.find(`k${number}`)).toBe(number % 2 === 0 ? -1 : number);
});
