// Records as JSON that a person reads and later versions understand: bytes are base64, and a missing field is its default.
import type { RecordName, RecordTypes } from "#topics";
import { InvalidRecordError } from "./errors.ts";
import { readSchema } from "./schemas.ts";

/** A schema as our files have it: named types, null unions, arrays, maps. */
type Schema = string | readonly Schema[] | RecordSchema | CollectionSchema;

interface RecordSchema {
  readonly type: "record";
  readonly name: string;
  readonly fields: readonly FieldSchema[];
}

interface FieldSchema {
  readonly name: string;
  readonly type: Schema;
  readonly default?: unknown;
}

type CollectionSchema =
  | { readonly type: "array"; readonly items: Schema }
  | { readonly type: "map"; readonly values: Schema };

type Fields = Readonly<Record<string, unknown>>;

export function recordToJson(value: object): string {
  return JSON.stringify(value, function replace(this: Fields, key: string, shown: unknown) {
    // A Buffer has become something else by its own toJSON.
    const own = this[key];
    return Buffer.isBuffer(own) ? own.toString("base64") : shown;
  });
}

/**
 * Parses what `recordToJson` wrote. Throws an InvalidRecordError for a field that this version does not know.
 */
export function recordFromJson<R extends RecordName>(record: R, json: unknown): RecordTypes[R] {
  const schema = readSchema(record) as Schema;
  // Whether it fits the schema is looked at when it is encoded.
  return revived(schema, json, new Map(namedIn(schema))) as RecordTypes[R];
}

/** Named types wherever they are described, also in what a record leaves null or empty. */
function namedIn(schema: Schema): [string, RecordSchema][] {
  if (typeof schema === "string") return [];
  if (isUnion(schema)) return schema.flatMap(namedIn);
  if (schema.type === "array") return namedIn(schema.items);
  if (schema.type === "map") return namedIn(schema.values);
  return [[schema.name, schema], ...schema.fields.flatMap(({ type }) => namedIn(type))];
}

function revived(schema: Schema, json: unknown, types: Map<string, RecordSchema>): unknown {
  if (typeof schema === "string") {
    const named = types.get(schema);
    if (named !== undefined) return revived(named, json, types);
    return schema === "bytes" ? Buffer.from(String(json), "base64") : json;
  }
  if (isUnion(schema)) {
    const [other = "null"] = schema.filter((each) => each !== "null");
    return json === null ? null : revived(other, json, types);
  }
  if (schema.type === "array") return (json as unknown[]).map((item) => revived(schema.items, item, types));
  if (schema.type === "map")
    return Object.fromEntries(
      Object.entries(json as Fields).map(([key, item]) => [key, revived(schema.values, item, types)]),
    );
  return revivedRecord(schema, json as Fields, types);
}

function isUnion(schema: Schema): schema is readonly Schema[] {
  return Array.isArray(schema);
}

function revivedRecord({ name, fields }: RecordSchema, json: Fields, types: Map<string, RecordSchema>) {
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(json).find((field) => !known.has(field));
  if (unknown !== undefined) throw new InvalidRecordError(`${name} has no field ${unknown} in this version`);
  return Object.fromEntries(
    fields.map((field) => {
      // A default is in the form of JSON: an empty text for no bytes.
      const value = field.name in json ? json[field.name] : field.default;
      if (value === undefined) throw new InvalidRecordError(`${name} has no ${field.name}`);
      return [field.name, revived(field.type, value, types)];
    }),
  );
}
