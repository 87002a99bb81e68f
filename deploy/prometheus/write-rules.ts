// Writes hookline.rules.yaml from the rules beside it: `node deploy/prometheus/write-rules.ts [--check]`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { ruleGroups } from "./rules.ts";

const FILE = "deploy/prometheus/hookline.rules.yaml";
const HEADER = "# Generated from the files beside it by `npm run generate`; do not edit.\n";

const text = HEADER + stringify({ groups: ruleGroups }, { lineWidth: 0, aliasDuplicateObjects: false });
const path = join(import.meta.dirname, "../..", FILE);
if (!process.argv.includes("--check")) {
  writeFileSync(path, text);
} else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
  process.stderr.write(`${FILE} is stale: run \`npm run generate\`\n`);
  process.exitCode = 1;
}
