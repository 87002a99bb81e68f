import { expect, test } from "@jest/globals";
import { csvRow, writeText } from "./csv.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+49 123", "'+49 123"],
  ["-5", "'-5"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1", "'\r=1"],
  ["＝1+1", "'＝1+1"],
  ["'=1+1", "''=1+1"],
  ["a=1", "a=1"],
  ["", ""],
])(
  "a spreadsheet does not run %j: it is written %j, and one apostrophe in front is taken away to have it back",
  (text, written) => {
    expect(writeText({})(text)).toBe(written);
    expect(writeText({ cells: "exact" })(text)).toBe(text);
    expect(written.replace(/^'/, "")).toBe(text);
  },
);

test("what a spreadsheet may cut at is quoted", () => {
  expect(csvRow(["a", 'b"c', "d;=1", "'=1", "e,f", "g\nh", "i\t=1", ""])).toBe(
    'a,"b""c","d;=1","\'=1","e,f","g\nh","i\t=1",\r\n',
  );
});
