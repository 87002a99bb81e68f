/** Why a value of JSON cannot be kept as it was sent. */
export type JsonFault = "too_deep" | "number_out_of_range";

/**
 * Looks through all of the value. Objects and arrays may nest `maxDepth` levels, `value` itself being level 1; its own recursion ends there.
 * A number beyond what a double holds was read as infinity, which JSON would say as null.
 */
export function jsonFault(value: unknown, maxDepth: number): JsonFault | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "number_out_of_range";
  if (typeof value !== "object" || value === null) return undefined;
  if (maxDepth === 0) return "too_deep";
  return Array.isArray(value) ? faultOfItems(value, maxDepth) : faultOfFields(value, maxDepth);
}

function faultOfItems(items: readonly unknown[], maxDepth: number): JsonFault | undefined {
  for (const item of items) {
    const fault = jsonFault(item, maxDepth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfFields(object: object, maxDepth: number): JsonFault | undefined {
  for (const key in object) {
    const fault = jsonFault((object as Readonly<Record<string, unknown>>)[key], maxDepth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The sentence for a number that is there. */
export function outOfRange(path = "a number"): string {
  const longest = 200;
  const where = path.length > longest ? `${path.slice(0, longest)}…` : path;
  return `${where} is a number beyond what a double can hold (1.8e308)`;
}

/**
 * The path of the first number that no double holds: properties.items[2].total. Empty for the value itself;
 * undefined without one.
 */
export function pathOfInfinity(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const rest = pathOfInfinity(child);
    if (rest === undefined) continue;
    const step = Array.isArray(value) ? `[${key}]` : key;
    return rest === "" || rest.startsWith("[") ? `${step}${rest}` : `${step}.${rest}`;
  }
  return undefined;
}
