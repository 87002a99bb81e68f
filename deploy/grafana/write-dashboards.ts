// Writes the dashboards as files for Grafana: `npm run generate`; with --check it only compares.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonText } from "../json-text.ts";
import { dashboards } from "./all.ts";
import { dashboardJson } from "./panels.ts";

const FOLDER = join(import.meta.dirname, "dashboards");

mkdirSync(FOLDER, { recursive: true });
for (const dashboard of dashboards) {
  const file = join(FOLDER, `${dashboard.uid}.json`);
  const text = `${jsonText(dashboardJson(dashboard))}\n`;
  if (!process.argv.includes("--check")) {
    writeFileSync(file, text);
  } else if (readFileSync(file, "utf8") !== text) {
    process.stderr.write(
      `deploy/grafana/dashboards/${dashboard.uid}.json is stale: run \`npm run generate\`\n`,
    );
    process.exitCode = 1;
  }
}
