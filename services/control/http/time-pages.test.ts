import { expect, test } from "@jest/globals";
import { placeOf } from "../records/places/places.ts";
import { cursorOf, readScannedPage } from "./time-pages.ts";

test("a cursor names a place of the last partition that there may be", () => {
  const mark = { atMs: 1_700_000_000_000, place: placeOf({ partition: 2_047, offset: 2 ** 41 }) };
  expect(readScannedPage({ after: cursorOf(mark) }).behind).toEqual(mark);
});
