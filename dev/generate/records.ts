// The types of records, from schemas/*.avsc.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Generated } from "./generated.ts";

type AvroType = string | AvroType[] | AvroComplex;
interface AvroField {
  name: string;
  type: AvroType;
  default?: unknown;
  doc?: string;
}
interface AvroComplex {
  type: string;
  name?: string;
  doc?: string;
  items?: AvroType;
  values?: AvroType;
  fields?: AvroField[];
}

const SCHEMAS = join(import.meta.dirname, "../../schemas");
const PRIMITIVES: Record<string, string> = {
  null: "null",
  boolean: "boolean",
  int: "number",
  long: "number",
  float: "number",
  double: "number",
  string: "string",
  bytes: "Buffer",
};

/** The TypeScript type of an Avro type; named records met on the way are collected in `records`. */
function typeOf(type: AvroType, records: Map<string, string>): string {
  if (typeof type === "string") return PRIMITIVES[type] ?? type;
  if (Array.isArray(type)) return type.map((member) => typeOf(member, records)).join(" | ");
  if (type.type === "array") return `Array<${typeOf(type.items ?? "null", records)}>`;
  if (type.type === "map") return `Record<string, ${typeOf(type.values ?? "null", records)}>`;
  if (type.type !== "record" || type.name === undefined) return typeOf(type.type, records);
  const fields = (type.fields ?? []).map((field) => {
    const doc = field.doc === undefined ? "" : `  /** ${field.doc} */\n`;
    return `${doc}  ${field.name}: ${typeOf(field.type, records)};`;
  });
  const doc = type.doc === undefined ? "" : `/** ${type.doc} */\n`;
  if (!records.has(type.name)) {
    records.set(type.name, `${doc}export interface ${type.name} {\n${fields.join("\n")}\n}`);
  }
  return type.name;
}

function defaultsOf({ fields = [], name = "" }: AvroComplex): string {
  const optional = fields.filter((field) => field.default !== undefined);
  const lines = optional.map((field) => `  ${field.name}: ${JSON.stringify(field.default)},`);
  return `/** A destination in all that nobody has set (contract 2.3, 4.4, 4.5). */\nexport const DESTINATION_DEFAULTS = {\n${lines.join("\n")}\n} as const satisfies Partial<${name}>;`;
}

function generate(): string {
  const records = new Map<string, string>();
  const names: string[] = [];
  let defaults = "";
  for (const file of readdirSync(SCHEMAS).sort()) {
    const schema = JSON.parse(readFileSync(join(SCHEMAS, file), "utf8")) as AvroComplex;
    if (file === "destination-config.avsc") defaults = defaultsOf(schema);
    names.push(`  ${JSON.stringify(basename(file, ".avsc"))}: ${typeOf(schema, records)};`);
  }
  const map = `/** Schema file name (without .avsc) to its record. */\nexport interface RecordTypes {\n${names.join("\n")}\n}`;
  return `// Generated from schemas/*.avsc by \`npm run generate\`; do not edit.\n\n${[...records.values(), map, defaults].join("\n\n")}\n`;
}

export const generated: readonly Generated[] = [
  { file: "packages/topics/records.generated.ts", text: generate() },
];
