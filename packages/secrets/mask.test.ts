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

describe("masking takes time in proportion to secrets and text, whoever chose them", () => {
  const LONGEST_HEADER = 4_096;
  /** Values that begin alike, and repeat themselves, so that a text can nearly be all of them everywhere. */
  const periodic = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${"a".repeat(LONGEST_HEADER - 6)}zz${1_000 + index}`);
  const nearly = Buffer.from(`${"&#97;".repeat(5_115)}c`);

  /** The least of three: a collection, the compiler, or a neighbour on the core makes one of them dearer, not all. */
  function cpuMs(work: () => void): number {
    const spent = Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage();
      work();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...spent);
  }

  test.each([1, 15, 50])("%d headers of 4,096 characters: less than 100 ms", (count) => {
    const secrets = periodic(count);
    const spentMs = cpuMs(() => {
      const mask = createMask(secrets);
      mask.beginning(nearly, 1_024);
      mask(nearly.toString());
    });
    expect(spentMs).toBeLessThan(100);
  });

  test("what is nearly a secret stays, what is one goes", () => {
    const [secret = "", ...others] = periodic(15);
    const mask = createMask([secret, ...others]);
    expect(mask(`a${secret}zz`)).toBe("a********zz");
    expect(mask(nearly.toString())).toBe(nearly.toString());
    expect(mask.beginning(nearly, 10)).toBe("&#97;&#97;");
    const inHtml = secret.replace(/./g, (letter) => `&#${letter.charCodeAt(0)};`);
    expect(mask(`&#97;${inHtml}`)).toBe("&#97;********");
  });

  test("of more headers than any server takes nothing is compared: the whole text is masked", () => {
    const mask = createMask(periodic(50));
    expect(mask("a")).toBe("********");
    expect(mask.beginning(nearly, 1_024)).toBe("********");
    expect(mask.beginning(nearly, 4)).toBe("****");
  });

  test("thousands of short secrets are looked for where their first characters are, up to a bound", () => {
    const mask = createMask(Array.from({ length: 3_000 }, (_, index) => `${1_000 + index}-key`));
    const page = "<p>Nothing to see here.</p>".repeat(900);
    expect(mask(`${page}3999-key`) === `${page}********`).toBe(true);
    const all = Array.from({ length: 3_000 }, (_, index) => `${1_000 + index}-kex`).join("");
    expect(cpuMs(() => mask(all))).toBeLessThan(100);
    expect(mask(all)).toBe("********");
  });
});
