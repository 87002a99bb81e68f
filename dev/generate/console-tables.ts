// What is chosen from in the console, from the tables of the product.
import { NAME_FIELDS } from "#audiences";
import {
  DEAD_LETTER_REASONS,
  DROP_REASONS,
  OUTCOME_REASONS,
  PASSED_OVER_REASONS,
  REFUSAL_CODES,
} from "#contract";
import { ISSUE_STATES } from "../../services/control/deliveries/issues/state.ts";
import { AUDIT_ACTIONS } from "../../services/control/http/audit/audit.ts";
import { HEALTH_STATES } from "../../services/control/resources/destinations/health/view.ts";
import { OPTIONS } from "../../services/control/resources/destinations/options/table.ts";
import { REGULATION_STATUSES } from "../../services/control/resources/regulations/schemas.ts";
import type { Generated } from "./generated.ts";

/** The kind of a field, by the type that its values have in the schema. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ array: "list", boolean: "switch", object: "conditions", string: "text" },
  ...{ integer: "number", number: "number" },
};

const options = Object.entries(OPTIONS).map(([name, { schema, shown }]) => {
  const [type = "", orNull] = [(schema as { readonly type?: string | string[] }).type ?? ""].flat();
  const of = { kind: KINDS[type], isNullable: orNull === "null", group: "sending", unset: "", ...shown };
  return [name, of];
});
const TABLES = {
  OPTIONS: Object.fromEntries(options),
  DEAD_LETTER_REASONS,
  DROP_REASONS,
  OUTCOME_REASONS,
  // Of a destination that was off or not connected nothing is recorded.
  PASSED_OVER_REASONS: PASSED_OVER_REASONS.filter((reason) => reason !== "not_connected"),
  REFUSAL_CODES,
  CALL_KINDS: NAME_FIELDS,
  AUDIT_ACTIONS,
  HEALTH_STATES,
  ISSUE_STATES,
  REGULATION_STATUSES,
};
const exported = ([name, table]: [string, object]): string =>
  `export const ${name} = ${JSON.stringify(table, undefined, 2)} as const;\n`;
const text = `// Written by \`npm run generate\`.\n${Object.entries(TABLES).map(exported).join("")}`;

export const generated: readonly Generated[] = [{ file: "console/api/tables.generated.ts", text }];
