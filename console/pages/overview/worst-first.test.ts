import { expect, test } from "@jest/globals";
import { worstFirst } from "./worst-first.ts";

const failing = (id: string, since: string) => ({ id, health: { since } });
const ROWS = [
  failing("few", "2026-01-03"),
  failing("silent", "2026-01-04"),
  failing("many", "2026-01-05"),
  failing("long-silent", "2026-01-01"),
];

test("those whose requests failed most often come first, whatever their share, then those that fail longest", () => {
  const counts = new Map([
    ["few", { all: 10, success: 0 }],
    ["many", { all: 1_000, success: 980 }],
    ["silent", { all: 5, success: 5 }],
  ]);
  const order = (of: typeof counts) => worstFirst(ROWS, of).map(({ id }) => id);
  expect(order(counts)).toEqual(["many", "few", "long-silent", "silent"]);
  expect(order(new Map())).toEqual(["long-silent", "few", "silent", "many"]);
});
