// Refuses an OpenAPI document that a linter's recommended rules find fault with, and one that breaks callers of the last release.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { breakingChanges } from "./breaking-changes.ts";
import { currentDocument, releasedDocument } from "./document.ts";

const document = await currentDocument();
const config = await createConfig({
  extends: ["recommended"],
  rules: {
    // Of /v1/audiences/preview and /v1/audiences/{id}, and of computed traits, the router takes the one without a parameter.
    "no-ambiguous-paths": "off",
  },
});
const source = JSON.stringify(document);
const found = await lintFromString({ source, absoluteRef: "openapi.json", config });
const faults = found.map(({ location, message, ruleId }) => {
  const at = location.map(({ pointer }) => pointer ?? "").join(", ");
  return `${ruleId} at ${at}: ${message}`;
});
const broken = breakingChanges(releasedDocument(), document).map(
  (change) => `breaks callers of the last release: ${change}`,
);
const lines = [...faults, ...broken];
for (const line of lines) process.stderr.write(`openapi: ${line}\n`);
process.exitCode = lines.length > 0 ? 1 : 0;
