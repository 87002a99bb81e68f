/** Whether objects and arrays nest deeper than `maxDepth` levels, `value` itself being level 1. Its own recursion ends there. */
export function nestsDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (maxDepth === 0) return true;
  if (Array.isArray(value)) return value.some((item) => nestsDeeperThan(item, maxDepth - 1));
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    const child = object[key];
    if (typeof child === "object" && child !== null && nestsDeeperThan(child, maxDepth - 1)) return true;
  }
  return false;
}
