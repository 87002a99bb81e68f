/** An object as JSON.parse makes it. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** "a number", "an array", …: what a value is, for messages. */
export function describeJson(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (value === "") return "empty";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}

/** Bytes of the value as compact JSON in UTF-8. */
export function jsonSizeBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
