// Writes the table of services where Helm, Prometheus and Docker read it: `node deploy/write-services.ts [--check]`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { portsOf, SERVICE_NAMES, SERVICES } from "#contract";
import { SERVICE_SETTINGS } from "../cli/service-settings.ts";

/** Keys of the secret that the chart mounts, by the setting that reads them. */
const SECRETS = { HOOKLINE_ENCRYPTION_KEYS: "encryption-keys", HOOKLINE_API_TOKENS: "api-tokens" };

const charted = SERVICE_NAMES.map((name) => {
  const settings = Object.values(SERVICE_SETTINGS[name]).flatMap((group) => group.settings);
  const read = new Set(settings.map(({ env }) => env));
  const secrets = Object.entries(SECRETS).flatMap(([env, secret]) => (read.has(env) ? [secret] : []));
  const { does: _, ...facts } = SERVICES[name];
  const valuesKey = name.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  return { name, valuesKey, ...facts, secrets };
});

const scraped = SERVICE_NAMES.map(
  (name) =>
    `  - job_name: hookline-${name}\n    dns_sd_configs: [{ names: [${name}], type: A, port: ${SERVICES[name].metricsPort} }]\n`,
);
const exposed = SERVICE_NAMES.flatMap(portsOf).toSorted((a, b) => a - b);

/** What stands in each file, and in place of what. */
const WRITTEN: readonly (readonly [file: string, place: RegExp, text: string])[] = [
  ["deploy/helm/hookline/files/services.json", /^.*$/s, `${JSON.stringify(charted, undefined, 2)}\n`],
  ["deploy/compose/prometheus.yml", /(?<=\nscrape_configs:\n).*$/s, scraped.join("")],
  ["Dockerfile", /(?<=\nEXPOSE ).*/, exposed.join(" ")],
];

for (const [file, place, text] of WRITTEN) {
  const path = join(import.meta.dirname, "..", file);
  const before = readFileSync(path, "utf8");
  const after = before.replace(place, () => text);
  if (before === after) continue;
  if (!process.argv.includes("--check")) {
    writeFileSync(path, after);
    continue;
  }
  process.stderr.write(`${file} is stale: run \`npm run generate\`\n`);
  process.exitCode = 1;
}
