import { expect, test } from "@jest/globals";
import { costProblem, definitionCost, spaceCostProblem } from "./cost.ts";

const SEARCH = { path: "a", op: "contains", value: "x" };

test("a definition costs its leaves and their conditions; what looks into texts and lists is counted beside", () => {
  expect(definitionCost({ event: "A" })).toEqual({ conditions: 1, searches: 0 });
  expect(definitionCost({ trait: "a", op: "not_contains", value: "x" })).toEqual({
    conditions: 1,
    searches: 1,
  });
  expect(
    definitionCost({
      all: [
        { event: "A", where: [SEARCH, { path: "b", op: "eq", value: 1 }] },
        { not: { any: [SEARCH, { audience: "b" }] } },
      ],
      everyone: true,
    }),
  ).toEqual({ conditions: 5, searches: 2 });
  expect(definitionCost({ event: "A", where: [SEARCH], reduce: { fn: "count" } })).toEqual({
    conditions: 2,
    searches: 1,
  });
  const next = { event: "B", within: "1h", where: [SEARCH] };
  expect(definitionCost({ event: "A", within: "2h", notFollowedBy: next })).toEqual({
    conditions: 3,
    searches: 1,
  });
  expect(definitionCost(null)).toEqual({ conditions: 0, searches: 0 });
});

test("the bounds are exact, and are named with the figure", () => {
  const searches = (count: number) => ({ conditions: count, searches: count });
  expect(costProblem(searches(100))).toBeUndefined();
  expect(costProblem(searches(101))).toContain(
    "has 101 conditions with contains or not_contains, at most 100",
  );
  const others = Array.from({ length: 20 }, () => searches(99));
  expect(spaceCostProblem(searches(20), others)).toBeUndefined();
  expect(spaceCostProblem(searches(21), others)).toContain("to 2001 conditions with contains");
  const conditions = (count: number) => ({ conditions: count, searches: 0 });
  expect(spaceCostProblem(conditions(1), [conditions(9_999)])).toBeUndefined();
  expect(spaceCostProblem(conditions(2), [conditions(9_999)])).toContain(
    "to 10001 conditions, at most 10000",
  );
});

test("where a bound is passed already, what costs no more of it than what it replaces is taken", () => {
  const before = { conditions: 400, searches: 400 };
  expect(costProblem(before, before)).toBeUndefined();
  expect(costProblem({ conditions: 500, searches: 150 }, before)).toBeUndefined();
  expect(costProblem({ conditions: 401, searches: 401 }, before)).toContain("has 401 conditions");
  const dear = [{ conditions: 11_000, searches: 2_400 }];
  expect(spaceCostProblem(before, dear, before)).toBeUndefined();
  expect(spaceCostProblem({ conditions: 399, searches: 0 }, dear, before)).toBeUndefined();
  expect(spaceCostProblem({ conditions: 400, searches: 401 }, dear, before)).toContain("to 2801 conditions");
  expect(spaceCostProblem({ conditions: 401, searches: 399 }, dear, before)).toContain("to 11401 conditions");
  // Each measure by itself: few conditions do not make up for many searches.
  expect(
    spaceCostProblem({ conditions: 401, searches: 1 }, [{ conditions: 1, searches: 2_400 }], before),
  ).toBeUndefined();
});

test("a definition without a search is made also where there are too many of them", () => {
  expect(
    spaceCostProblem({ conditions: 1, searches: 0 }, [{ conditions: 1, searches: 2_400 }]),
  ).toBeUndefined();
});
