import { isJsonObject } from "#contract";
import { MAX_TEXT_CHARACTERS } from "./limits.ts";

/** `properties.total` as its parts; undefined when it is no dotted path. */
export function parsePath(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string" || value.length > MAX_TEXT_CHARACTERS) return undefined;
  const parts = value.split(".");
  return parts.includes("") ? undefined : parts;
}

/** A key with dots may have so many parts: each is looked for on every call. */
const MAX_PARTS_OF_A_KEY = 8;
const INDEX = /^(0|[1-9]\d{0,8})$/;

/** Own properties of an object, elements of a list by their number; undefined when there is none. */
function ownValue(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return INDEX.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Keys that the beginning of the path may mean, the shortest first: `a.b` is `b` in `a`, or else the key `a.b`. */
export function* keysAt(path: readonly string[], at = 0): Generator<readonly [key: string, end: number]> {
  const last = Math.min(path.length, at + MAX_PARTS_OF_A_KEY);
  let key = path[at] ?? "";
  for (let end = at + 1; end <= last; end += 1) {
    yield [key, end];
    key = `${key}.${path[end] ?? ""}`;
  }
}

/** The value at the path; undefined when it is missing, null, or lies beyond what is no object and no list. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  let at = 0;
  while (at < path.length && value !== undefined) {
    const next = ownValue(value, path[at] ?? "");
    if (next !== undefined || at + 1 === path.length) {
      value = next;
      at += 1;
    } else [value, at] = joinedAt(value, path, at);
  }
  return value ?? undefined;
}

function joinedAt(root: unknown, path: readonly string[], at: number): [value: unknown, end: number] {
  for (const [key, end] of keysAt(path, at)) {
    const value = ownValue(root, key);
    if (value !== undefined) return [value, end];
  }
  return [undefined, path.length];
}
