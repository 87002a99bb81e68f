// The rules and alerts as Prometheus reads them.
import { stringify } from "yaml";
import { ruleGroups } from "../../deploy/prometheus/rules.ts";
import type { Generated } from "./generated.ts";

const HEADER = "# Generated from the files beside it by `npm run generate`; do not edit.\n";
const text = HEADER + stringify({ groups: ruleGroups }, { lineWidth: 0, aliasDuplicateObjects: false });

export const generated: readonly Generated[] = [{ file: "deploy/prometheus/hookline.rules.yaml", text }];
