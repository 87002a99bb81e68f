// Processes of two versions run side by side during an upgrade, and Kafka keeps what the older ones wrote (decision 79).
import { describe, expect, test } from "@jest/globals";
import avro from "avsc";
import type { RawSchema } from "./avro.ts";
import { currentSchemas, releasedSchemas } from "./fixtures/release-schemas.ts";

/** Why `reader` cannot read what `writer` wrote; undefined where it can. */
function obstacle(reader: RawSchema, writer: RawSchema): string | undefined {
  try {
    avro.Type.forSchema(reader).createResolver(avro.Type.forSchema(writer));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The fields that an upgrade or a rollback between the two would break. */
function obstacles(released: RawSchema, current: RawSchema): string[] {
  const found = {
    "the new version cannot read the old one's records": obstacle(current, released),
    "the old version cannot read the new one's records": obstacle(released, current),
  };
  return Object.entries(found).flatMap(([what, why]) => (why === undefined ? [] : [`${what}: ${why}`]));
}

type Field = avro.schema.RecordType["fields"][number];

const recordOf = (...fields: Field[]): RawSchema => ({ type: "record", name: "Call", fields });
const id: Field = { name: "id", type: "string" };
const released = recordOf(id, { name: "sentAtMs", type: "long", default: 0 });

describe("a change of a schema", () => {
  test("that adds or takes away a field with a default is compatible", () => {
    const note: Field = { name: "note", type: ["null", "string"], default: null };
    expect(obstacles(released, recordOf(id, { name: "sentAtMs", type: "long", default: 0 }, note))).toEqual(
      [],
    );
    expect(obstacles(released, recordOf(id))).toEqual([]);
  });

  test.each<[string, RawSchema, RegExp]>([
    [
      "a field without a default",
      recordOf(id, { name: "url", type: "string" }),
      /^the new version cannot read/,
    ],
    [
      "the loss of a field without a default",
      recordOf({ name: "sentAtMs", type: "long", default: 0 }),
      /^the old version cannot read/,
    ],
    ["a field's other type", recordOf({ name: "id", type: "long" }), /^the new version cannot read/],
    [
      "a wider number",
      recordOf(id, { name: "sentAtMs", type: "double", default: 0 }),
      /^the old version cannot read/,
    ],
    [
      "another name of the record",
      { type: "record", name: "Other", fields: [id] },
      /^the new version cannot read/,
    ],
  ])("is refused: %s", (_, current, why) => {
    expect(obstacles(released, current)[0]).toMatch(why);
  });
});

test("every schema and that of the last release read each other's records, and none is gone", () => {
  const current = currentSchemas().schemas;
  const broken = Object.entries(releasedSchemas().schemas).flatMap(([name, schema]) => {
    const now = current[name];
    if (now === undefined) return [`${name}: it is gone; its records may still be in Kafka`];
    return obstacles(schema, now).map((why) => `${name}: ${why}`);
  });
  expect(broken).toEqual([]);
});
