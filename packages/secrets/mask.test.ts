import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { bytesToMask, createMask } from "./index.ts";

const SECRET = `Bearer s3cr3t/"v<'Älue"+=`;
const hexOf = (letter: string): string => letter.charCodeAt(0).toString(16).toUpperCase();
const escaped = (text: string, letters: RegExp): string =>
  text.replace(letters, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("a secret that an endpoint sends back is masked", () => {
  const json = JSON.stringify(SECRET).slice(1, -1);
  test.each<[string, string]>([
    ["as it is", SECRET],
    ["JSON-escaped", json],
    ["JSON-escaped with slashes", json.replaceAll("/", "\\/")],
    ["JSON-escaped beyond ASCII", json.replaceAll("Ä", "\\u00c4")],
    ["percent-encoded", encodeURIComponent(SECRET)],
    [
      "percent-encoded in lower case",
      encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ["as a form's field", new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ["in capitals", SECRET.toUpperCase()],
    ["in lower case", SECRET.toLowerCase()],
    ["in hex", Buffer.from(SECRET).toString("hex")],
    ["in hex of capitals", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["JSON-escaped as Go does it for HTML", escaped(json, /[<>&]/g)],
    ["JSON-escaped as .NET does it", escaped(json.replaceAll('\\"', "\\u0022"), /["&'+<>`\u007f-\uffff]/g)],
    ["with every letter as \\u", escaped(SECRET, /./gs)],
    ["with every letter as \\u, in capitals", escaped(SECRET, /./gs).toUpperCase().replaceAll("\\U", "\\u")],
    ["HTML-escaped", SECRET.replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")],
    ["HTML-escaped by numbers", SECRET.replace(/["'<]/g, (letter) => `&#x${hexOf(letter)};`)],
    ["HTML-escaped with slashes", SECRET.replace(/["'<=/]/g, (letter) => `&#x${hexOf(letter)};`)],
    ["with every letter as an HTML number", SECRET.replace(/./gs, (letter) => `&#${letter.charCodeAt(0)};`)],
    ["in base64", Buffer.from(SECRET).toString("base64")],
    ["in base64url", Buffer.from(SECRET).toString("base64url")],
  ])("%s", (_what, form) => {
    expect(createMask([SECRET])(`before ${form} after`)).toBe("before ******** after");
  });

  test.each([0, 1, 2, 3, 4])("in base64 of something longer, %d bytes into it", (before) => {
    const whole = Buffer.from(`${"x".repeat(before)}${SECRET}, and more`);
    for (const encoding of ["base64", "base64url"] as const) {
      const shown = createMask([SECRET])(whole.toString(encoding));
      expect(shown).toContain("********");
      expect(Buffer.from(shown.replaceAll("*", ""), encoding).toString("latin1")).not.toContain("s3cr3t");
    }
  });

  test("in a text whose other letters change their number in lower case", () => {
    expect(createMask(["s3cr3t"])("İİ S3CR3T İ")).toBe("İİ ******** İ");
  });

  test("whatever it is, wherever it stands", () => {
    const text = fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(text, fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (secret, before, after) => {
        fc.pre(!`${before}********${after}`.includes(secret));
        const shown = createMask([secret])(
          [
            JSON.stringify({ echoed: `${before}${secret}${after}` }),
            Buffer.from(`${before}${secret}${after}`).toString("base64"),
            encodeURIComponent(`${before}${secret}${after}`),
          ].join("\n"),
        );
        const [line = "", base64 = "", percent = ""] = shown.split("\n");
        expect([line, base64, percent].every((one) => one.includes("********"))).toBe(true);
      }),
    );
  });

  test("also where the end of the text has cut it, and where masks before it have made room for it", () => {
    const mask = createMask([SECRET]);
    const text = Buffer.from(SECRET.repeat(20));
    const cut = text.subarray(0, bytesToMask([SECRET], 64) - 5);
    expect(mask.beginning(cut, 64)).toMatch(/^\*+$/);
    expect(mask.beginning(Buffer.from("short ä"), 7)).toBe("short ");
  });

  test("the longest first; values too short to mean anything stay", () => {
    expect(createMask(["token", "token-of-a"])("token-of-a token abc")).toBe("******** ******** abc");
    expect(createMask(["abc", ""])("abc")).toBe("abc");
  });
});
