// JSON.parse of V8 can read a key that is written with an escape as another key, once any object of the same shape had a
// key with a backslash (https://github.com/nodejs/node/issues/63785, open in Node 24 and 26): {"a":1,"\n":2} comes out with
// the key "\" after {"a":1,"\\":2}. One customer's call could so alter another's. Text with such keys is rare; it is
// parsed without any escape in it, and these are put back afterwards.

/** Some key with an escape in it. May also hold for strings that are no keys, which costs time only. */
const ESCAPE_IN_KEY = /"[^"\\]*(?:\\.[^"\\]*)+"\s*:/;

/** An escape as JSON allows it; others stay, for JSON.parse to refuse. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** What is nested deeper is refused anyway (MAX_CALL_DEPTH and two levels of a batch). */
const MAX_DEPTH = 100;

/** As JSON.parse should be: throws the same SyntaxErrors, apart from the positions in them. */
export function parseExactJson(text: string): unknown {
  if (!text.includes("\\") || !ESCAPE_IN_KEY.test(text)) return JSON.parse(text);
  const mark = unusedCharacter(text);
  const withoutEscapes = text.replace(ESCAPE, (_, hex?: string, short?: string) => {
    return mark + (hex ?? hexOf(SHORT_ESCAPES[short ?? ""] ?? short ?? ""));
  });
  const marked = new RegExp(`${mark}(.{4})`, "g");
  const restore = (part: string) =>
    part.replace(marked, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return restoreAll(JSON.parse(withoutEscapes), restore, 0);
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}

/** From the private use area: 6,400 characters, of which a text that holds them all is not worth a thought. */
function unusedCharacter(text: string): string {
  let code = 0xe000;
  while (code < 0xf8ff && text.includes(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}

function restoreAll(value: unknown, restore: (part: string) => string, depth: number): unknown {
  if (typeof value === "string") return restore(value);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => restoreAll(item, restore, depth + 1));
  const restored = {};
  for (const [key, member] of Object.entries(value)) {
    // Not by assignment: that would call the setter of `__proto__`.
    Object.defineProperty(restored, restore(key), {
      value: restoreAll(member, restore, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return restored;
}
