import { isJsonObject } from "#contract";
import { MAX_TEXT_CHARACTERS } from "./limits.ts";

/** `properties.total` as its parts; undefined when it is no dotted path. */
export function parsePath(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string" || value.length > MAX_TEXT_CHARACTERS) return undefined;
  const parts = value.split(".");
  return parts.includes("") ? undefined : parts;
}

/** The value at the path; undefined when it is missing, null, or lies beyond what is no object. Own properties only. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const part of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value ?? undefined;
}
