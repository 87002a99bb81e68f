// A reader of JSON that shares nothing with ingest's, nor with JSON.parse and its faults: the shortest there is. For tests.

const BLANKS = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const CHARACTERS = /[^"\\]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The value of a text, as it is written; throws when it is no JSON. */
export function readPlainJson(text: string): unknown {
  let at = 0;

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }
  function is(character: string): boolean {
    match(BLANKS);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }
  function must(condition: boolean): void {
    if (!condition) throw new SyntaxError(`no JSON at ${at}`);
  }
  function readString(): string {
    let value = "";
    while (text[at] !== '"') {
      const characters = match(CHARACTERS) ?? "";
      must(characters.split("").every((character) => character >= " "));
      value += characters;
      if (text[at] === '"') break;
      const escaped = match(ESCAPE) ?? "";
      must(escaped !== "");
      const letter = escaped[1] ?? "";
      value +=
        letter === "u"
          ? String.fromCharCode(Number.parseInt(escaped.slice(2), 16))
          : (SHORT[letter] ?? letter);
    }
    at += 1;
    return value;
  }
  function readMembers(): object {
    const object = {};
    if (is("}")) return object;
    do {
      must(is('"'));
      const key = readString();
      must(is(":"));
      const value = readValue();
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    } while (is(","));
    must(is("}"));
    return object;
  }
  function readItems(): unknown[] {
    const items: unknown[] = [];
    if (is("]")) return items;
    do items.push(readValue());
    while (is(","));
    must(is("]"));
    return items;
  }
  function readValue(): unknown {
    if (is("{")) return readMembers();
    if (is("[")) return readItems();
    if (is('"')) return readString();
    const scalar = match(SCALAR) ?? "";
    must(scalar !== "");
    if (scalar === "null") return null;
    return scalar === "true" || scalar === "false" ? scalar === "true" : Number(scalar);
  }

  const value = readValue();
  match(BLANKS);
  must(at === text.length);
  return value;
}
