import { describe, expect, test } from "@jest/globals";
import {
  asKind,
  blankValue,
  choicesOf,
  valueTypeOf,
  withCallKind,
  withMeasure,
  withOperator,
  withTraitFn,
  withWindow,
} from "./node.ts";
import { KINDS, MEASURES, OPERATORS, WINDOWS } from "./tables.ts";

const A = { path: "a", op: "eq", value: 1 };
const B = { path: "b", op: "eq", value: 2 };

const MEMBERS = { members: { event: "A" }, count: { op: "gte", value: 3 } };

describe("another kind", () => {
  test.each([
    [{ all: [A, B] }, "any", { any: [A, B] }],
    [A, "all", { all: [A] }],
    [{}, "all", { all: [] }],
    [A, "not", { not: A }],
    [{ any: [A, B] }, "not", { not: { all: [A, B] } }],
    [{ not: A, everyone: true }, "all", { all: [A], everyone: true }],
    [{ all: [A] }, "path", KINDS["path"]?.blank],
    [
      { of: "accounts", ...MEMBERS, everyone: true },
      "all",
      { of: "accounts", all: [MEMBERS], everyone: true },
    ],
    [{ of: "accounts", all: [A, MEMBERS] }, "any", { of: "accounts", any: [A, MEMBERS] }],
    [{ of: "accounts", all: [A] }, "members", { of: "accounts", ...KINDS["members"]?.blank }],
  ])("of %j as %s is %j", (node, kind, expected) => {
    expect(asKind(node, kind)).toEqual(expected);
  });
});

describe("another operator", () => {
  test.each([
    ["a value that both can have stays", A, "gte", { path: "a", op: "gte", value: 1 }],
    [
      "a text is no number for it",
      { path: "a", op: "eq", value: "x" },
      "gt",
      { path: "a", op: "gt", value: "x" },
    ],
    ["a truth is none to compare by size", { op: "eq", value: true }, "gt", { op: "gt", value: 0 }],
    ["no value where none is taken", A, "exists", { path: "a", op: "exists" }],
    ["a list begins", A, "in", { path: "a", op: "in", value: [""] }],
    ["a date begins", { op: "eq", value: "x" }, "before", { op: "before", value: "2026-01-31T00:00:00Z" }],
    ["a trait stays", { op: "eq", value: { trait: "t" } }, "gt", { op: "gt", value: { trait: "t" } }],
    ["a trait goes", { op: "eq", value: { trait: "t" } }, "exists", { op: "exists" }],
    [
      "the case counts where it must",
      { op: "eq", value: "x", ignoreCase: true },
      "gt",
      { op: "gt", value: "x" },
    ],
  ])("%s", (_, node, op, expected) => {
    expect(withOperator(node, op)).toEqual(expected);
  });
});

describe("another measure", () => {
  test.each([
    ["the window stays", { event: "A", between: ["1d", "2d"], count: 1 }, "first", ["between", "first"]],
    ["a window that is needed", { event: "A" }, "afterBreak", ["afterBreak", "within"]],
    [
      "a window that it cannot have",
      { event: "A", within: "1d", where: [] },
      "stopped",
      ["stopped", "where"],
    ],
    ["none", { event: "A", reduce: {}, op: "eq", value: 1, within: "1d" }, "", ["within"]],
  ])("%s", (_, node, measure, fields) => {
    const changed = withMeasure(node, measure);
    expect(Object.keys(changed).sort()).toEqual(["event", ...fields].sort());
  });

  test("another window is in place of the former", () => {
    expect(withWindow({ event: "A", within: "1d" }, "between")).toEqual({
      event: "A",
      between: ["30d", "90d"],
    });
    expect(withWindow({ event: "A", within: "1d" }, "")).toEqual({ event: "A" });
  });
});

test("a value's type is what it is, or the first that the operator has", () => {
  expect(valueTypeOf({ op: "eq", value: 1 })).toBe("number");
  expect(valueTypeOf({ op: "starts_with", value: 1 })).toBe("text");
  expect(valueTypeOf({ op: "in", value: [1] })).toBe("numbers");
  expect(valueTypeOf({ op: "eq", value: null })).toBe("number");
  expect(valueTypeOf({ op: "in", value: [null, 2] })).toBe("numbers");
  expect(valueTypeOf({ op: "eq", value: { trait: "x" } })).toBe("a trait");
  expect(blankValue("eq", "a trait")).toEqual({ trait: "" });
});

test("a filter is offered nothing that needs a user's history", () => {
  const names = (table: Parameters<typeof choicesOf>[0]) => choicesOf(table, "filter").map(([one]) => one);
  expect(names(KINDS)).toEqual(["all", "any", "not", "path", "event", "page", "screen"]);
  expect(names(OPERATORS)).not.toContain("within_last");
  expect([Object.keys(MEASURES).length, Object.keys(WINDOWS).length]).toEqual([8, 3]);
});

test("a computed trait keeps the name of its calls, and its path where one is needed", () => {
  const sum = { event: "A", reduce: { fn: "sum", path: "a" } };
  expect(withCallKind(sum, "page")).toEqual({ page: "A", reduce: { fn: "sum", path: "a" } });
  expect(withTraitFn(sum, "max")).toEqual({ event: "A", reduce: { fn: "max", path: "a" } });
  expect(withTraitFn(sum, "count")).toEqual({ event: "A", reduce: { fn: "count" } });
  expect(withTraitFn({ event: "A", reduce: { fn: "count" } }, "sum")["reduce"]).toMatchObject({ fn: "sum" });
});
