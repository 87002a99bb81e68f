// Writes docs/use/sdks.md from the list that the suites run: `node test/sdk/write-page.ts [--check]`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAILURES } from "#support/flaky-proxy";
import type { Sdk } from "./sdk.ts";
import { SDKS } from "./sdks.ts";
import { WRITTEN } from "./written.ts";

const PAGE = "docs/use/sdks.md";
const path = join(import.meta.dirname, "../..", PAGE);

const INTRODUCTION = `# Tested SDKs

<!-- Generated from test/sdk by \`npm run generate\`; do not edit. -->

For developers who send calls: which SDKs are tested against Hookline, in which version, and how. [sending-calls.md](sending-calls.md) says how each is pointed at Hookline.

\`npm test\` runs each library unchanged against the whole product. A program sends one call of each type, one of them dated 2012, and a bulk of track calls; every call must arrive at the webhook, signed (\`test/sdk/sdks.test.ts\`).
*Outages*: each batch meets a reset connection, a lost answer, 503 with Retry-After and a late success; every call must arrive once (\`test/sdk/outages.test.ts\`, [decision 65](../develop/decisions/0065-clients-and-sdks.md)).

| library | version | runs in | calls | its program sets | outages |
|---|---|---|---|---|---|
`;

const WRITTEN_INTRODUCTION = `
## Requests written by hand

The tests cannot run these libraries: their packages are not available there, or they need a phone. Their requests were written down from their sources and are sent twice, as after a lost answer. Each
must be answered 200 and \`{"success":true}\`, which satisfies all of them, and its calls must arrive once (\`test/sdk/outages.test.ts\`).

| library | sends to | write key | body |
|---|---|---|---|
`;

function outagesOf({ failures, whyNotAll }: Sdk): string {
  if (failures.length === FAILURES.length) return "all";
  return `${failures.join(", ") || "none"}: ${whyNotAll}`;
}

function rowOf(sdk: Sdk): string {
  const { name, version, language, types, settings } = sdk;
  const calls = [...new Set(types)].join(", ");
  const cells = [`\`${name}\``, version, language, calls, settings || "nothing", outagesOf(sdk)];
  return `| ${cells.join(" | ")} |\n`;
}

const writtenRows = WRITTEN.map(
  ({ name, path: url, key, what }) => `| ${[name, `\`${url}\``, key, what].join(" | ")} |\n`,
);

const page = [INTRODUCTION, ...SDKS.map(rowOf), WRITTEN_INTRODUCTION, ...writtenRows].join("");
if (!process.argv.includes("--check")) {
  writeFileSync(path, page);
} else if (!existsSync(path) || readFileSync(path, "utf8") !== page) {
  process.stderr.write(`${PAGE} is stale: run \`npm run generate\`\n`);
  process.exitCode = 1;
}
