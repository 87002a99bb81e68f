// Writes docs/use/sdks.md from the list that the suites run: `node test/sdk/write-page.ts [--check]`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAILURES } from "#support/flaky-proxy";
import type { Sdk } from "./sdk.ts";
import { SDKS } from "./sdks.ts";
import { WRITTEN } from "./written.ts";

const PAGE = "docs/use/sdks.md";
const path = join(import.meta.dirname, "../..", PAGE);

const INTRODUCTION = `# SDKs that are run

<!-- Generated from test/sdk by \`npm run generate\`; do not edit. -->

Each library is run unchanged against the whole product by \`npm test\`. Its program sends one call of each type, one of them dated 2012, and a bulk of track calls; every call must be at the webhook,
signed (\`test/sdk/sdks.test.ts\`). *Outages*: each of its batches meets a reset connection, a lost answer, 503 with Retry-After and a late success, and every call must be at the
webhook once (\`test/sdk/outages.test.ts\`, [decision 65](decisions/0065-sdks-through-outages.md)). How each is pointed at Hookline: [sending-calls.md](sending-calls.md).

| library | version | runs in | calls | its program sets | outages |
|---|---|---|---|---|---|
`;

const WRITTEN_INTRODUCTION = `
## Requests written by hand

These cannot be run where the tests run: their packages are not to be had there, or they need a phone. The requests that they send are written down from their sources and sent as they are, twice, as after a lost answer: each
must be answered with what satisfies all of them, 200 and \`{"success":true}\`, and its calls must be at the webhook once (\`test/sdk/outages.test.ts\`).

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
