// The page of tested SDKs, from the list that the suites run.
import { CALL_TYPES } from "#contract";
import { FAILURES } from "#support/flaky-proxy";
import type { Sdk } from "../../test/sdk/sdk.ts";
import { SDKS } from "../../test/sdk/sdks.ts";
import { WRITTEN } from "../../test/sdk/written.ts";
import type { Generated } from "./generated.ts";

const INTRODUCTION = `# Tested SDKs

<!-- Generated from test/sdk by \`npm run generate\`; do not edit. -->

For developers who send calls: which SDKs are tested, and how. [sending-calls.md](sending-calls.md) sets them up.

\`npm test\` runs each library unchanged: a program sends a call of each type and a bulk of track calls, which must arrive at the webhook, signed (\`test/sdk/sdks.test.ts\`).
*Outages*: each batch meets a reset connection, a lost answer, 503 with Retry-After and a late success; each call must arrive once (\`test/sdk/outages.test.ts\`).

| library | version | runs in | calls | its program sets | outages |
|---|---|---|---|---|---|
`;

const written = `
## Requests written by hand

These libraries need a phone, or their packages are not available. Their [requests](../develop/contract.md#what-sdks-send) are sent twice, as after a lost answer; their calls must arrive once (\`test/sdk/outages.test.ts\`): ${WRITTEN.map(({ name }) => name).join(", ")}.
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

export const generated: readonly Generated[] = [
  { file: "docs/use/sdks.md", text: [INTRODUCTION, ...SDKS.map(rowOf), written].join("") },
];
