// docs/develop/contract.md says the same as the tables that everything is made from.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { formatDuration, portsOf, RETRY_DELAYS_MS, SERVICE_NAMES, SERVICES, WINDOW_MS } from "./index.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/develop/contract.md"), "utf8");

/** The text of one rule. */
function rule(number: string): string {
  const from = page.indexOf(`**${number}**`);
  return page.slice(from, page.indexOf("\n- **", from + 1)).toLowerCase();
}

test("no two services have a port in common, and rule 11.1 has those of their own", () => {
  const ports = SERVICE_NAMES.flatMap(portsOf);
  expect(new Set(ports).size).toBe(ports.length);
  expect(rule("11.1")).toContain(`ingest ${SERVICES.ingest.port}, control ${SERVICES.control.port}`);
});

test("rule 3.5 has the delays and the window of the retries", () => {
  const written = rule("3.5").replaceAll(/(\d+) (s|min|hours)\b/g, (_, count, unit) => count + unit[0]);
  for (const delayMs of RETRY_DELAYS_MS) expect(written).toContain(formatDuration(delayMs));
  expect(written).toContain(formatDuration(WINDOW_MS));
});
