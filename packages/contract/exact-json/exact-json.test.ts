import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MAX_BATCH_BYTES } from "../limits.ts";
import { parseExactJson } from "./exact-json.ts";

/** Leads JSON.parse astray from here on: by an object of the same shape with a backslash in its key. */
function misleadParser(): void {
  for (const key of ["\\", "\\n", "\\u", "\\u0", "\\ud"]) JSON.parse(JSON.stringify({ a: 1, [key]: 2 }));
}

describe("keys with escapes", () => {
  test.each([
    ['{"a":1,"\\n":2}', "\n"],
    ['{"a":1,"\\"":2}', '"'],
    ['{"a":1,"\\u0041":2}', "A"],
    ['{"a":1,"\\u0041b":2}', "Ab"],
    ['{"a":1,"\\ud83d\\ude00" : 2}', "😀"],
    ['{"a":1,"\\ud800":2}', "\ud800"],
    ['{"a":1,"\\nb":2}', "\nb"],
    ['{"a":1,"\\\\":2}', "\\"],
    ['{"a":1,"__pro\\u0074o__":2}', "__proto__"],
    ['{"a":1,"\\u0000":2}', "\0"],
    // The keys hold the stand-in for escapes itself, in the text and made by escapes.
    ['{"a":1,"\u{10fc00}\\n":2}', "\u{10fc00}\n"],
    ['{"a":1,"\\udbff\\udc00\\n":2}', "\u{10fc00}\n"],
    ['{"a":1,"\\udbff\u0100":2}', "\udbff\u0100"],
    ['{"a":1,"\\udbff\\u0000":2}', "\udbff\0"],
    ['{"a":1,"\\n\\udbff":2}', "\n\udbff"],
    ['{"a":1,"\\udbff\\udbff\\"":2}', '\udbff\udbff"'],
  ])("%s is read as it is written, whatever was parsed before", (text, key) => {
    misleadParser();
    expect(Object.keys(parseExactJson(text) as object)).toEqual(["a", key]);
  });

  test("any value comes back from its JSON, also when every character of it is escaped", () => {
    misleadParser();
    const escaped = (text: string) =>
      text.replace(/"((?:[^"\\]|\\.)*)"/g, (quoted) => {
        const characters = (JSON.parse(quoted) as string).split("");
        return `"${characters.map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
      });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(escaped(text))).toEqual(parseExactJson(text));
        expect(JSON.stringify(parseExactJson(escaped(text)))).toBe(text);
      }),
    );
  });

  test("a character that stands for escapes inside may be in the text itself", () => {
    const text = '{"\\n\ue000":"\ue0000041\\t","\u{10fc00}\u0100":"\\udbff\u0100"}';
    expect(parseExactJson(text)).toEqual({ "\n\ue000": "\ue0000041\t", "\u{10fc00}\u0100": "\udbff\u0100" });
  });

  test.each([
    ['{"A":1,"\\u0041":2,"A":3}', { A: 3 }],
    ['{"\\n":1,"\\u000a":2,"\\u000A":3,"b":0}', { "\n": 3, b: 0 }],
    ['{"\u{10fc00}":1,"\\udbff\\udc00":2,"\u{10fc00}":3}', { "\u{10fc00}": 3 }],
  ])("of the same key in several spellings the last counts: %s", (text, value) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(JSON.stringify(value));
  });

  test("objects inside arrays and objects have their keys, in their order", () => {
    const text = '{"b":[{"\\"":1,"a":{"\\t":{"c":[]}}}],"1":0,"\\u0031":{"__proto__":{"\\n":1}}}';
    expect(JSON.stringify(parseExactJson(text))).toBe(
      '{"1":{"__proto__":{"\\n":1}},"b":[{"\\"":1,"a":{"\\t":{"c":[]}}}]}',
    );
  });

  test.each([
    '{"\\x":1}',
    '{"\\u\\u00410041":1}',
    '{"\\n\\u00\\u00410041":1}',
    '{"\\n":1',
    '{"\\u00g0":1}',
    '{"a\\n":}',
  ])("%s is refused", (text) => {
    expect(() => parseExactJson(text)).toThrow(/JSON/);
  });

  test("a text is refused exactly when JSON.parse refuses it", () => {
    const piece = fc.constantFrom(
      ..."{}[]:,1a \t",
      '"',
      '"',
      '"',
      "\\",
      '\\"',
      "\\n",
      "\\u0041",
      "\\u00",
      "\udbff\udc00",
    );
    const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    const damaged = fc.tuple(soup, fc.nat(60), fc.nat(3)).map(([patch, at, cut]) => {
      const text = '{"a\\n":{"\\u0041":[1,"\\"",{"\\\\":null}]},"b" : "\\t"}';
      return text.slice(0, at) + patch + text.slice(at + cut);
    });
    const refuses = (parse: (text: string) => unknown, text: string) => {
      try {
        parse(text);
        return false;
      } catch (error) {
        if ((error as Error).name === "SyntaxError") return true;
        throw error;
      }
    };
    fc.assert(
      fc.property(fc.oneof(soup, damaged), (text) => {
        expect(refuses(parseExactJson, text)).toBe(refuses(JSON.parse, text));
      }),
      { numRuns: 3_000 },
    );
  });

  test("nesting without end is no stack overflow", () => {
    const text = `{"\\n":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(parseExactJson(text)).toHaveProperty(["\n"]);
  });
});

/** Repeats `unit` as often as fits into the largest body that is taken. */
function bodyOf(unit: (index: number) => string, open = "", close = ""): string {
  const units: string[] = [];
  for (let size = open.length + close.length; size < MAX_BATCH_BYTES; ) {
    const next = unit(units.length);
    units.push(next);
    size += next.length + 1;
  }
  return open + units.slice(0, -1).join(",") + close;
}

/** CPU time of one parse: the mean of as many as the clock, which may tick in hundredths of a second, can tell. */
function cpuMicros(parse: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  for (let parses = 1; ; parses += 1) {
    try {
      parse(text);
    } catch {
      // Refused: that takes its time too.
    }
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > 50_000) return (user + system) / parses;
  }
}

describe("the work for the largest body", () => {
  const ordinary = bodyOf(
    () => '{"type":"track","event":"E","userId":"u","properties":{"a":"b"}}',
    '{"batch":[',
    "]}",
  );
  const half = MAX_BATCH_BYTES / 2 - 10;

  test.each([
    ["quotes that never end", '\\"'.repeat(half)],
    ["a value of escaped quotes", `{"a":"${'\\"'.repeat(half)}"}`],
    ["a key of escaped quotes", `{"${'\\"'.repeat(half)}":1}`],
    ["a key of escapes with blanks behind it", `{"\\n"${" ".repeat(2 * half)}:1}`],
    ["strings that nearly are keys", bodyOf(() => '"\\n"     ')],
    ["many keys with an escape in one object", bodyOf((index) => `"\\n${index}":1`, "{", "}")],
    ["many objects with an escaped key", bodyOf(() => '{"\\n":1}', "[", "]")],
    ["many objects, each with a key of its own", bodyOf((index) => `{"\\n${index}":1}`, "[", "]")],
    ["one escaped key in a large object", bodyOf((index) => `"k${index}":1`, '{"\\n":1,', "}")],
  ])("%s: is that of JSON.parse, times twelve at most", (_what, text) => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BATCH_BYTES);
    const plain = cpuMicros(JSON.parse, text) + cpuMicros(JSON.parse, ordinary);
    expect(cpuMicros(parseExactJson, text)).toBeLessThan(12 * plain);
  });
});
