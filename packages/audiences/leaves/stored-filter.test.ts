import { expect, test } from "@jest/globals";
import { filterFrom, filterOf } from "./stored-filter.ts";

test("a filter is read once for each version of a destination", () => {
  const one = { filter: JSON.stringify({ event: "Bought" }) };
  expect(filterOf(one)).toBe(filterOf(one));
  expect(filterOf({ ...one })).toEqual(filterOf(one));
  expect(filterOf({ filter: null })).toBeUndefined();
});

test("a filter that cannot be read is refused with the reason", () => {
  expect(() => filterFrom('{"later":"version"}')).toThrow(
    "a destination's filter cannot be read: filter must have one of",
  );
});
