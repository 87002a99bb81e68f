import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordName } from "#topics";
import type { RawSchema } from "./avro.ts";

const SCHEMAS = join(import.meta.dirname, "../../schemas");

const read = new Map<RecordName, RawSchema>();

/** The schema with which this version of the code reads and writes a record: schemas/<name>.avsc. Always the same object. */
export function readSchema(record: RecordName): RawSchema {
  const known = read.get(record);
  if (known !== undefined) return known;
  const schema = JSON.parse(readFileSync(join(SCHEMAS, `${record}.avsc`), "utf8")) as RawSchema;
  read.set(record, schema);
  return schema;
}
