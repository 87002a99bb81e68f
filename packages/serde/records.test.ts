// Tests that schemas/*.avsc and the wire agree: every record that a schema allows survives the way to bytes
// and back.
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { RecordName, SourceConfig } from "#topics";
import { createRead, parseSchema } from "./avro.ts";
import { readSchema } from "./schemas.ts";
import { createEncoder, HEADER_BYTES } from "./wire.ts";

type AvroType = string | readonly AvroType[] | AvroComplex;
interface AvroComplex {
  readonly type: AvroType;
  readonly name?: string;
  readonly items?: AvroType;
  readonly values?: AvroType;
  readonly fields?: readonly { readonly name: string; readonly type: AvroType }[];
}

const RECORDS = readdirSync(join(import.meta.dirname, "../../schemas")).map((file) =>
  basename(file, ".avsc"),
);

const text = fc.string({ unit: "grapheme" });
const PRIMITIVES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  int: fc.integer(),
  // Unix milliseconds end at 8.64e15 in JavaScript; avsc doubles a long on its way, so it is exact up to 2^52.
  long: fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 }),
  double: fc.double({ noNaN: true }),
  string: text,
  bytes: fc.uint8Array().map((array) => Buffer.from(array)),
};
/** No destination is called so, and avsc drops it. */
const mapKey = text.filter((name) => name !== "__proto__");

/** Values of an Avro type; `named` has the records that were met before. */
function valuesOf(type: AvroType, named: Map<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  if (typeof type === "string") {
    const values = PRIMITIVES[type] ?? named.get(type);
    if (values === undefined) throw new Error(`a schema names ${type}, which is not known`);
    return values;
  }
  if (!("type" in type)) return fc.oneof(...type.map((member) => valuesOf(member, named)));
  if (type.type === "array") return fc.array(valuesOf(type.items ?? "null", named));
  if (type.type === "map")
    return fc.dictionary(mapKey, valuesOf(type.values ?? "null", named), { noNullPrototype: true });
  if (type.type !== "record") return valuesOf(type.type, named);
  const fields = (type.fields ?? []).map((field) => [field.name, valuesOf(field.type, named)]);
  const values = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>);
  named.set(type.name ?? "", values);
  return values;
}

/** Small slabs, so that many records meet the end of one. */
const encoder = createEncoder(512);

describe("every record of the topic map", () => {
  test.each(RECORDS as RecordName[])("%s comes back equal, field by field", (record) => {
    const type = parseSchema(readSchema(record));
    const read = createRead(type, type);
    fc.assert(
      fc.property(valuesOf(readSchema(record) as AvroType, new Map()), (value) => {
        const decoded = read(encoder.encode(type, 1, value as object), HEADER_BYTES);
        expect({ ...(decoded as object) }).toEqual(value);
      }),
    );
  });

  test("records encoded one after the other do not touch each other", () => {
    const type = parseSchema(readSchema("source-config"));
    const read = createRead(type, type);
    const sizes = [10, 900, 3, 200, 250, 20, 600, 1];
    const values = sizes.map((size, index) => ({ ...SOURCE, id: `${index}`, name: "x".repeat(size) }));
    const encoded = values.map((value) => encoder.encode(type, 1, value));
    expect(encoded.map((one) => ({ ...(read(one, HEADER_BYTES) as object) }))).toEqual(values);
  });

  test("a value that does not fit is refused by the names of its fields, without its content", () => {
    const type = parseSchema(readSchema("source-config"));
    const wrong = { ...SOURCE, writeKeys: ["fine", { key: "hidden-content" }], version: "hidden-content" };
    const encode = () => encoder.encode(type, 1, wrong);
    expect(encode).toThrow("hookline.SourceConfig does not fit its schema at: writeKeys.1, version");
    expect(encode).not.toThrow("hidden-content");
  });
});

const SOURCE: SourceConfig = {
  id: "s",
  name: "n",
  enabled: true,
  labels: {},
  writeKeys: [],
  version: 1,
  createdAtMs: 0,
  updatedAtMs: 0,
};
