import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { JsonScanner } from "./json-scanner.ts";

/** Whether the scanner reads it as one value with nothing behind it; what it comes to at least. */
function scan(text: string): { readonly isJson: boolean; readonly leastBytes: number } {
  const scanner = new JsonScanner(Buffer.from(text));
  try {
    scanner.skipValue();
    scanner.expectEnd();
    return { isJson: true, leastBytes: Buffer.byteLength(text) - scanner.spareBytes };
  } catch (error) {
    if ((error as Error).name !== "SyntaxError") throw error;
    return { isJson: false, leastBytes: 0 };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const number = fc.stringMatching(/^-?[0-9.eE+-]{0,8}$/);
const piece = fc.oneof(
  fc.constantFrom("{", "}", "[", "]", ":", ",", '"', '"a"', '""', "{}", "[]", '{"a":', '"b":1', "1", "-0"),
  fc.constantFrom(
    "true",
    "false",
    "null",
    "tru",
    "nul",
    "True",
    "NaN",
    " ",
    "\t",
    "\n",
    "\r",
    "\u00a0",
    "\ufeff",
  ),
  fc.constantFrom(
    '\\"',
    "\\",
    "\\n",
    "\\/",
    "\\v",
    "\\u0041",
    "\\u00g1",
    "\\u00",
    "\u0000",
    "\u001f",
    "\u007f",
  ),
  number,
  fc.string({ unit: "binary", maxLength: 3 }),
);
const soup = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(""));
/** A right text with a few characters exchanged. */
const damaged = fc
  .tuple(fc.json({ stringUnit: "binary" }), soup, fc.nat(), fc.nat(3))
  .map(([text, patch, at, cut]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + patch + text.slice(from + cut);
  });

describe("a text is gone over", () => {
  test("exactly when JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.oneof(soup, damaged, number, fc.json({ stringUnit: "binary" })), (text) => {
        expect(scan(text).isJson).toBe(isJson(text));
      }),
      { numRuns: 10_000 },
    );
  });

  test("without recursion, whatever it nests", () => {
    const depth = 300_000;
    expect(scan("[".repeat(depth) + "]".repeat(depth))).toEqual({ isJson: true, leastBytes: 2 * depth });
    expect(scan("[".repeat(depth)).isJson).toBe(false);
    expect(scan(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`).isJson).toBe(true);
  });
});

describe("what a text comes to at least", () => {
  test("is no more than its compact JSON, with any blanks between", () => {
    const value = fc.jsonValue({ stringUnit: "binary" });
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, "\t"), (given, indent) => {
        const compact = JSON.stringify(given);
        expect(scan(JSON.stringify(given, null, indent)).leastBytes).toBeLessThanOrEqual(
          Buffer.byteLength(compact),
        );
      }),
    );
  });

  test.each([
    ['{"a":"bc"}', 10],
    [' { "a" : "bc" } ', 10],
    ['{"a":"\\u0041\\n"}', 10],
    ["[1.000,-2e10]", 5],
    ["[true,false,null]", 17],
    ['{"a":1,"a":1}', 13],
    ["{}", 2],
    ["[[],{}]", 7],
  ])("%s: %d bytes", (text, leastBytes) => {
    expect(scan(text)).toEqual({ isJson: true, leastBytes });
  });
});
