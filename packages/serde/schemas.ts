import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordName } from "#topics";
import type { RawSchema } from "./avro.ts";

const SCHEMAS = join(import.meta.dirname, "../../schemas");

/** The schema with which this version of the code reads and writes a record: schemas/<name>.avsc. */
export function readSchema(record: RecordName): RawSchema {
  return JSON.parse(readFileSync(join(SCHEMAS, `${record}.avsc`), "utf8")) as RawSchema;
}
