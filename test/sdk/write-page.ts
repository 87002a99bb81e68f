// Writes docs/use/sdks.md from the list that the suites run: `node test/sdk/write-page.ts [--check]`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CALL_TYPES } from "#contract";
import { FAILURES } from "#support/flaky-proxy";
import type { Sdk } from "./sdk.ts";
import { SDKS } from "./sdks.ts";
import { WRITTEN } from "./written.ts";

const PAGE = "docs/use/sdks.md";
const path = join(import.meta.dirname, "../..", PAGE);

const INTRODUCTION = `# Tested SDKs

<!-- Generated from test/sdk by \`npm run generate\`; do not edit. -->

For developers who send calls: which SDKs are tested, in which version, and how. [sending-calls.md](sending-calls.md) says how each is set up.

\`npm test\` runs each library unchanged against the whole product. A program sends a call of each type and a bulk of track calls; each must arrive at the webhook, signed (\`test/sdk/sdks.test.ts\`).
*Outages*: each batch meets a reset connection, a lost answer, 503 with Retry-After and a late success; each call must arrive once (\`test/sdk/outages.test.ts\`).

| library | version | runs in | calls | its program sets | outages |
|---|---|---|---|---|---|
`;

const written = `
## Requests written by hand

The tests cannot run these libraries: they need a phone, or their packages are not available. Their requests ([what they send](../develop/contract.md#what-sdks-send)) are sent twice, as after a lost answer; their calls must arrive once (\`test/sdk/outages.test.ts\`): ${WRITTEN.map(({ name }) => name).join(", ")}.
`;

function outagesOf({ failures, whyNotAll }: Sdk): string {
  if (failures.length === FAILURES.length) return "all";
  return `${failures.join(", ") || "none"}: ${whyNotAll}`;
}

function rowOf(sdk: Sdk): string {
  const { name, version, language, types, settings } = sdk;
  const sent = [...new Set(types)];
  const calls = sent.length === CALL_TYPES.length ? "all" : sent.join(", ");
  const cells = [`\`${name}\``, version, language, calls, settings || "", outagesOf(sdk)];
  return `| ${cells.join(" | ")} |\n`;
}

const page = [INTRODUCTION, ...SDKS.map(rowOf), written].join("");
if (!process.argv.includes("--check")) {
  writeFileSync(path, page);
} else if (!existsSync(path) || readFileSync(path, "utf8") !== page) {
  process.stderr.write(`${PAGE} is stale: run \`npm run generate\`\n`);
  process.exitCode = 1;
}
