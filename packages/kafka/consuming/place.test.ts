import { expect, test } from "@jest/globals";
import { Place } from "./place.ts";

/** A record that is not done. */
function seen(offset: number): { readonly offset: number; isDone: boolean } {
  return { offset, isDone: false };
}

test("a place that was never lost is known, also before its first batch", () => {
  expect(new Place().isKnown).toBe(true);
});

test("it is not known from its loss to the first batch of the new term, and commits nothing then", () => {
  const place = new Place();
  place.begin(0, 2);
  const [first, second] = [seen(0), seen(1)];
  for (const record of [first, second]) place.see(record);
  place.done(first);
  expect([place.isKnown, place.committable]).toEqual([true, 1]);
  place.lose([second]);
  place.ownAnew();
  expect([place.isKnown, place.committable]).toEqual([false, undefined]);
  place.begin(1, 2);
  expect([place.isKnown, place.committable]).toEqual([true, 1]);
});

test("a log that goes back within a term was cut: what was seen, and where it is now, are told", () => {
  const place = new Place();
  place.begin(0, 5);
  for (let offset = 0; offset < 5; offset += 1) place.see(seen(offset));
  expect(place.begin(2, 4)).toEqual({ seenUpTo: 5, nowAt: 2 });
});
