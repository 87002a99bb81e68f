// Finds the keys of a JSON text that are written with escapes, and writes them without.
import { isMark, STAND_IN_MARK, STAND_IN_SHIFT } from "./stand-ins.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const LETTER_U = 0x75;

const SHORT_ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);

/** The end of the string that `from` lies in: the position of its closing quote, else the text's end. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

/** Whether a colon comes next. JSON's blanks are below U+0021, as are characters that JSON.parse will refuse. */
function isKeyEndingAt(text: string, closingQuote: number): boolean {
  let at = closingQuote + 1;
  while (text.charCodeAt(at) <= BLANK) at += 1;
  return text.charCodeAt(at) === COLON;
}

/** A backslash stands only in strings, so each string is entered at its first one, and no other is looked at. */
export function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; ) {
    const end = endOfString(text, at);
    if (isKeyEndingAt(text, end)) return true;
    at = text.indexOf("\\", end);
  }
  return false;
}

/** UTF-16 units, filled from the start. */
interface Output {
  readonly units: Uint16Array;
  length: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The same text with its keys free of escapes: stand-ins for what needs one. What is no JSON stays none. */
export function withoutEscapedKeys(text: string): string {
  // An escape is never shorter than what is written for it.
  const output: Output = { units: new Uint16Array(text.length), length: 0 };
  let from = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', from)) {
    const end = endOfString(text, start + 1);
    const isKey = isKeyEndingAt(text, end);
    copy(text, { from, to: isKey ? start : end }, output);
    if (isKey) writeKey(text, { from: start, to: end }, output);
    if (end < text.length) copy(text, { from: end, to: end + 1 }, output);
    from = end + 1;
  }
  copy(text, { from, to: text.length }, output);
  return Buffer.from(output.units.buffer, 0, output.length * 2).toString("utf16le");
}

function copy(text: string, { from, to }: Range, output: Output): void {
  for (let at = from; at < to; at += 1) output.units[output.length++] = text.charCodeAt(at);
}

/**
 * Writes a key. Copies everything from an escape on that JSON does not allow, for JSON.parse to refuse:
 * nothing may complete it.
 */
function writeKey(text: string, { from, to }: Range, output: Output): void {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== BACKSLASH) {
      output.units[output.length++] = code;
      continue;
    }
    const escaped = escapedAt(text, at);
    if (escaped < 0) {
      copy(text, { from: at, to }, output);
      return;
    }
    at += text.charCodeAt(at + 1) === LETTER_U ? 5 : 1;
    writeUnit(escaped, escapedAt(text, at + 1), output);
  }
}

function writeUnit(unit: number, next: number, output: Output): void {
  const needsStandIn = unit < BLANK || unit === QUOTE || unit === BACKSLASH || isMark(unit, next);
  if (needsStandIn) output.units[output.length++] = STAND_IN_MARK;
  output.units[output.length++] = needsStandIn ? unit + STAND_IN_SHIFT : unit;
}

/** The unit that the escape at this backslash stands for; -1 when there is none. */
function escapedAt(text: string, backslash: number): number {
  if (text.charCodeAt(backslash) !== BACKSLASH) return -1;
  const letter = text.charCodeAt(backslash + 1);
  if (letter !== LETTER_U) return SHORT_ESCAPES.get(letter) ?? -1;
  let unit = 0;
  for (let at = backslash + 2; at < backslash + 6; at += 1) {
    const digit = hexDigit(text.charCodeAt(at));
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
