// One field of a delivered body, without parsing the rest: what conditions ask for stands in front mostly, and the caller's context behind it
import { parseExactJson } from "#contract";
// is the most of it.

/** The bytes are not written as `JSON.stringify` writes an object: then only parsing all of it tells. */
export const UNDECIDED = Symbol("undecided");

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Behind the text whose quote is at `at`. */
function textEnd(bytes: Buffer, at: number): number {
  let place = at + 1;
  while (place < bytes.length && bytes[place] !== QUOTE) place += bytes[place] === BACKSLASH ? 2 : 1;
  return place + 1;
}

function valueEnd(bytes: Buffer, at: number): number {
  let depth = 0;
  for (let place = at; place < bytes.length; ) {
    const byte = bytes[place];
    const isClosing = byte === CLOSE || byte === CLOSE_LIST;
    if (depth === 0 && (isClosing || byte === COMMA)) return place;
    if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (isClosing) depth -= 1;
    place = byte === QUOTE ? textEnd(bytes, place) : place + 1;
  }
  return bytes.length;
}

function isName(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let place = 0; place < name.length; place += 1)
    if (bytes[start + place] !== name.charCodeAt(place)) return false;
  return true;
}

/** Names that are written as they are. */
const PLAIN = /^[\w ]+$/;

/**
 * The field's value; undefined when it is not there. `bytes` is an object as it was stringified (packages/contract/delivered-body.ts): no
 * space, and no name twice.
 */
export function fieldIn(bytes: Buffer, name: string): unknown {
  if (bytes[0] !== OPEN || !PLAIN.test(name) || name === "__proto__") return UNDECIDED;
  for (let at = 1; bytes[at] === QUOTE; ) {
    const nameEnd = textEnd(bytes, at);
    if (bytes[nameEnd] !== COLON) return UNDECIDED;
    const end = valueEnd(bytes, nameEnd + 1);
    if (isName(bytes, at + 1, nameEnd - 1, name))
      return parseExactJson(bytes.toString("utf8", nameEnd + 1, end));
    if (bytes[end] === CLOSE) return end === bytes.length - 1 ? undefined : UNDECIDED;
    if (bytes[end] !== COMMA) return UNDECIDED;
    at = end + 1;
  }
  return bytes.length === 2 && bytes[1] === CLOSE ? undefined : UNDECIDED;
}
