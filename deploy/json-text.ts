const LINE_WIDTH = 110;

/** JSON in which an object or list that fits on one line stands on one. */
export function jsonText(value: unknown, indent = ""): string {
  const short = JSON.stringify(value);
  if (indent.length + short.length <= LINE_WIDTH || typeof value !== "object" || value === null) return short;
  const within = `${indent}  `;
  const [open, parts, close] = Array.isArray(value)
    ? ["[", value.map((item) => jsonText(item, within)), "]"]
    : [
        "{",
        Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item, within)}`),
        "}",
      ];
  return `${open}\n${parts.map((part) => within + part).join(",\n")}\n${indent}${close}`;
}
