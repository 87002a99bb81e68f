import { expect, test } from "@jest/globals";
import { totalOf } from "./totals.ts";

const page = { after: undefined, data: [1, 2], isLast: false };

test.each([
  [3, { total: 3, atLeast: 3 }],
  [10_000, { total: 10_000, atLeast: 10_000 }],
  [10_001, { total: null, atLeast: 10_000 }],
])("a list of %p is counted up to ten thousand", async (entries, total) => {
  expect(await totalOf({ ...page, count: (most) => Math.min(entries, most) })).toEqual(total);
});

test("a list that is whole on its first page is not counted again", async () => {
  const count = () => {
    throw new Error("not asked for");
  };
  expect(await totalOf({ ...page, isLast: true, count })).toEqual({ total: 2, atLeast: 2 });
});
