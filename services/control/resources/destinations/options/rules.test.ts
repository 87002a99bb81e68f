import { expect, test } from "@jest/globals";
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { optionProblems } from "./rules.ts";

const where = Array.from({ length: 10 }, () => ({ path: "a", op: "not_contains", value: "x" }));
const searching = (searches: number) => ({
  all: Array.from({ length: searches / 10 }, () => ({ event: "A", where })),
});

test("a filter from before the bound may be sent again, and made cheaper; a dearer one is refused", () => {
  const problemsOf = (filter: object, stored: string | null) => {
    const before = { ...DESTINATION_DEFAULTS, filter: stored } as DestinationConfig;
    return optionProblems({ filter }, { before, partitions: 1, retryDelaysMs: [1_000] });
  };
  const stored = JSON.stringify(searching(400));
  expect(problemsOf(searching(400), stored)).toEqual([]);
  expect(problemsOf(searching(150), stored)).toEqual([]);
  const refusedWith = (figure: number) => {
    const message = `has ${figure} conditions with contains or not_contains, at most 100 are allowed`;
    return [{ path: "filter", message }];
  };
  expect(problemsOf(searching(410), stored)).toEqual(refusedWith(410));
  expect(problemsOf(searching(400), JSON.stringify(searching(150)))).toEqual(refusedWith(400));
  expect(problemsOf(searching(150), null)).toEqual(refusedWith(150));
});
