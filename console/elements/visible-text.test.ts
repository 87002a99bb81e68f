import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { MOST_SHOWN, visibleLine, visibleText } from "./visible-text.ts";

test("what turns a line around, or cannot be seen, is written out", () => {
  expect(visibleText("a\u202eb\u0000c\u200bd\ufeff\u2066")).toBe(
    "a\\u{202e}b\\u{0}c\\u{200b}d\\u{feff}\\u{2066}",
  );
  expect(visibleText("half \ud83d of 😀 a pair \ude00")).toBe("half \\u{d83d} of 😀 a pair \\u{de00}");
});

test("letters, markup, tabs and line feeds stay as they are", () => {
  const text = "<b>Ünïcode</b> עברית 日本\n\tend";
  expect(visibleText(text)).toBe(text);
});

test("no control and no mark of direction is left in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(visibleText(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069](?<![\n\t])/u);
    }),
  );
});

test("a text of a megabyte is cut, and says so", () => {
  const shown = visibleText("x".repeat(1_000_000));
  expect(shown.length).toBeLessThan(MOST_SHOWN + 100);
  expect(shown).toMatch(/… and 980000 more characters$/);
  expect(visibleLine(`a\nb${"x".repeat(300)}`, 10)).toBe("a bxxxxxxx…");
});
