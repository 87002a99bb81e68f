import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { begunAtEnd, placesOf } from "./needle.ts";

/** Parts that repeat themselves, so that a search has to go back. */
const repeated = fc
  .array(
    fc
      .tuple(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }), fc.nat(120))
      .map(([part, times]) => part.repeat(times)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""));

/** A needle and a text that is made of pieces of it. */
const search = fc
  .tuple(repeated, repeated)
  .map(([one, other]) => `${one}c${other}`)
  .chain((needle) => {
    const cuts = fc.tuple(fc.nat(needle.length), fc.nat(needle.length));
    const piece = cuts.map(([from, to]) => needle.slice(Math.min(from, to), Math.max(from, to)));
    const pieces = fc.array(fc.oneof(piece, fc.constant(needle)), { maxLength: 5 });
    return fc.record({ needle: fc.constant(needle), text: pieces.map((all) => all.join("")) });
  })
  .filter(({ needle }) => needle.length >= 4);

function naivePlaces(needle: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) places.push(at);
  return places;
}

function naiveBegun(needle: string, text: string): number {
  for (let length = needle.length - 1; length >= 4; length -= 1)
    if (text.endsWith(needle.slice(0, length))) return length;
  return 0;
}

describe("a needle is found as by comparing it everywhere", () => {
  test("all of it", () => {
    fc.assert(
      fc.property(search, ({ needle, text }) => {
        expect(placesOf(needle, text)).toEqual(naivePlaces(needle, text));
      }),
    );
  });

  test("its beginning at the text's end", () => {
    fc.assert(
      fc.property(search, ({ needle, text }) => {
        expect(begunAtEnd(needle, text, 4)).toBe(naiveBegun(needle, text));
      }),
    );
  });

  test.each([4, 250, 251, 1_000])("of %d characters, one after the other", (length) => {
    const needle = `${"a".repeat(length - 1)}b`;
    expect(placesOf(needle, `aa${needle}${needle}a${needle}b`)).toEqual([2, 2 + length, 3 + 2 * length]);
    expect(placesOf("a".repeat(length), "a".repeat(2 * length + 1))).toEqual([0, length]);
  });
});
