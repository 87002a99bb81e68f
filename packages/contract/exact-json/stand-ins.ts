// Stand-ins for the characters that a key of JSON can only have as escapes: two units of UTF-16 each, the mark and the
// character itself, moved up. The mark is half of a surrogate pair. Text decoded from UTF-8 has it only with the other half behind it.

export const STAND_IN_MARK = 0xdbff;
export const STAND_IN_SHIFT = 0x2400;

const MARK = String.fromCharCode(STAND_IN_MARK);

/**
 * The depth below which nothing is restored: a deeper body is refused anyway (MAX_CALL_DEPTH and two levels
 * of a batch).
 */
const MAX_DEPTH = 100;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a unit would be taken for a mark; `next` is the one behind it. */
export function isMark(unit: number, next: number): boolean {
  return unit === STAND_IN_MARK && !isLowSurrogate(next);
}

/** Gives the value with the characters back in its keys: the same objects where no key changes. */
export function restoreKeys(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (!Array.isArray(value)) return restoreObject(value as Record<string, unknown>, depth);
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    if (typeof item === "object" && item !== null) value[index] = restoreKeys(item, depth + 1);
  }
  return value;
}

function restoreObject(object: Record<string, unknown>, depth: number): object {
  let hasMark = false;
  // Object.entries takes three times as long for an object of thousands of keys.
  for (const key in object) {
    hasMark ||= key.includes(MARK);
    const member = object[key];
    if (typeof member !== "object" || member === null) continue;
    const restored = restoreKeys(member, depth + 1);
    // Each member is the object's own, also `__proto__`: so this calls no setter.
    if (restored !== member) object[key] = restored;
  }
  return hasMark ? renamed(object) : object;
}

/** A new object, because the order of keys is part of a call. */
function renamed(object: Record<string, unknown>): object {
  const restored: Record<string, unknown> = {};
  for (const written in object) {
    const key = written.includes(MARK) ? keyOf(written) : written;
    const value = object[written];
    if (key !== "__proto__") restored[key] = value;
    else
      Object.defineProperty(restored, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return restored;
}

/** The number of units that one call of String.fromCharCode can take. */
const CHUNK = 4_096;

function keyOf(written: string): string {
  let key = "";
  let units: number[] = [];
  for (let at = 0; at < written.length; at += 1) {
    let unit = written.charCodeAt(at);
    if (isMark(unit, written.charCodeAt(at + 1))) {
      at += 1;
      unit = written.charCodeAt(at) - STAND_IN_SHIFT;
    }
    if (units.push(unit) < CHUNK) continue;
    key += String.fromCharCode(...units);
    units = [];
  }
  return key + String.fromCharCode(...units);
}
