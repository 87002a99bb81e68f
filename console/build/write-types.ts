// Writes console/api/openapi.generated.ts, the types of control's API, from its OpenAPI document. Only the compiler reads them: they are made
// before each check of types, and are not kept in the repository.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTypescript, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { currentDocument } from "../../test/openapi/document.ts";

const FILE = join(import.meta.dirname, "../api/openapi.generated.ts");

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

const source = JSON.stringify(shortened(await currentDocument()));
const nodes = await openapiTypescript(source, { exportType: true });
writeFileSync(FILE, COMMENT_HEADER + astToString(nodes));
