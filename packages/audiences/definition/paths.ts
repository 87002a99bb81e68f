import { MAX_TEXT_CHARACTERS } from "./limits.ts";

/** `properties.total` as its parts; undefined when it is no dotted path. */
export function parsePath(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string" || value.length > MAX_TEXT_CHARACTERS) return undefined;
  const parts = value.split(".");
  return parts.includes("") ? undefined : parts;
}
