// Writes what the console has of control: console/api/openapi.generated.ts, the types of its API, from its OpenAPI document, and
// tables.generated.ts beside it, what is chosen from, from the tables of the product. --check refuses stale ones.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTypescript, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { NAME_FIELDS } from "#audiences";
import { DEAD_LETTER_REASONS, DROP_REASONS, REFUSAL_CODES } from "#contract";
import { OPTIONS } from "../../services/control/resources/destinations/options/table.ts";
import { currentDocument } from "../../test/openapi/document.ts";

const FOLDER = join(import.meta.dirname, "../api");

/** The kind of a field, by the type that its values have in the schema. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ array: "list", boolean: "switch", object: "conditions", string: "text" },
  ...{ integer: "number", number: "number" },
};

/** Without texts for people, and of each operation only the answers of a success: the console shows every problem in one way. */
function shortened(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => shortened(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name, inner]) =>
      !(key !== "properties" && typeof inner !== "object" && /^(description|summary)$/.test(name)) &&
      !(key !== "properties" && /^(examples?|headers|tags)$/.test(name)) &&
      !(key === "responses" && !/^2/.test(name)),
  );
  return Object.fromEntries(entries.map(([name, inner]) => [name, shortened(inner, name)]));
}

const options = Object.entries(OPTIONS).map(([name, { schema, shown }]) => {
  const [type = "", orNull] = [(schema as { readonly type?: string | string[] }).type ?? ""].flat();
  const of = { kind: KINDS[type], isNullable: orNull === "null", group: "sending", unset: "", ...shown };
  return [name, of];
});
const TABLES = {
  OPTIONS: Object.fromEntries(options),
  DEAD_LETTER_REASONS,
  DROP_REASONS,
  REFUSAL_CODES,
  CALL_KINDS: NAME_FIELDS,
};
const exported = ([name, table]: [string, object]): string =>
  `export const ${name} = ${JSON.stringify(table, undefined, 2)} as const;\n`;
const source = JSON.stringify(shortened(await currentDocument()));
const nodes = await openapiTypescript(source, { exportType: true });
const WRITTEN = {
  "openapi.generated.ts": COMMENT_HEADER + astToString(nodes),
  "tables.generated.ts": `// Written by \`npm run generate\`.\n${Object.entries(TABLES).map(exported).join("")}`,
};
for (const [name, text] of Object.entries(WRITTEN)) {
  const file = join(FOLDER, name);
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    process.stderr.write(`console/api/${name} is stale: npm run generate\n`);
    process.exitCode = 1;
  }
}
