import { describe, expect, test } from "@jest/globals";
import { describeJson, isJsonObject, jsonSizeBytes } from "./json.ts";
import { nestsDeeperThan } from "./nesting.ts";

describe("what a value is, for messages", () => {
  test.each([
    [undefined, "missing"],
    [null, "null"],
    ["", "empty"],
    [[], "an array"],
    [{}, "an object"],
    ["x", "a string"],
    [0, "a number"],
    [false, "a boolean"],
  ])("%p is %s", (value, text) => expect(describeJson(value)).toBe(text));

  test.each([[null], [[]], ["x"], [undefined]])("%p is no object", (value) =>
    expect(isJsonObject(value)).toBe(false),
  );
});

test("a size is that of compact JSON in UTF-8; what JSON cannot say has none", () => {
  expect(jsonSizeBytes({ a: "ü" })).toBe(10);
  expect(jsonSizeBytes(undefined)).toBe(0);
});

describe("nesting", () => {
  test.each([
    ["a number", 1, 0],
    ["null", null, 0],
    ["an object", {}, 1],
    ["an array", [], 1],
    ["an object with values that do not nest", { a: 1, b: null, c: "x" }, 1],
    ["an array in an object", { a: [1] }, 2],
    ["an object in an array", [null, 1, {}], 2],
    ["the deeper of two", { a: {}, b: { c: {} } }, 3],
  ])("%s is as deep as it is", (_what, value, depth) => {
    expect(nestsDeeperThan(value, depth)).toBe(false);
    if (depth > 0) expect(nestsDeeperThan(value, depth - 1)).toBe(true);
  });
});
