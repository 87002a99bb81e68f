import { describe, expect, test } from "@jest/globals";
import { describeJson, isJsonObject, jsonSizeBytes } from "./json.ts";
import { jsonFault, pathOfInfinity } from "./nesting.ts";

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
    expect(jsonFault(value, depth)).toBeUndefined();
    if (depth > 0) expect(jsonFault(value, depth - 1)).toBe("too_deep");
  });
});

describe("a number beyond what a double holds", () => {
  test.each([
    ["1e400", ""],
    ["[1,-1e999]", "[1]"],
    ['{"a":{"b":1e308,"c":1e309}}', "a.c"],
    ['{"items":[{"total":1},{"total":1e400}]}', "items[1].total"],
    ['{"a":[[1e400]]}', "a[0][0]"],
  ])("is found in %s", (text, path) => {
    const value: unknown = JSON.parse(text);
    expect(jsonFault(value, 9)).toBe("number_out_of_range");
    expect(pathOfInfinity(value)).toBe(path);
  });

  test("is none where there is none", () => {
    const value: unknown = JSON.parse('{"a":[1.7e308,-1e-400,null,"1e400"]}');
    expect([jsonFault(value, 9), pathOfInfinity(value)]).toEqual([undefined, undefined]);
  });
});
