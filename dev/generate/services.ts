// What follows from the tables of services, and of options of destinations, where Helm, Compose, Prometheus, Docker and pages have it.
import { portsOf, SERVICE_NAMES, SERVICES, type ServiceName } from "#contract";
import { SERVICE_SETTINGS } from "../../cli/service-settings.ts";
import { valuesSchema } from "../../deploy/helm/values-schema.ts";
import { jsonText } from "../../deploy/json-text.ts";
import { OPTIONS } from "../../services/control/resources/destinations/options/table.ts";
import type { Generated } from "./generated.ts";

/** Keys of the secret that the chart mounts, by the setting that reads them. */
const SECRETS = { HOOKLINE_ENCRYPTION_KEYS: "encryption-keys", HOOKLINE_API_TOKENS: "api-tokens" };

/** Volumes of docker-compose.yml that have another name than their service's. */
const VOLUMES: Partial<Record<ServiceName, string>> = {
  "webhook-router": "router-data",
  "audience-processor": "audience-data",
};

/** What docker-compose.yml gives to each service that reads the setting. */
const COMPOSED: Readonly<Record<string, { readonly environment: string; readonly volume?: string }>> = {
  HOOKLINE_AUDIENCES: { environment: "HOOKLINE_AUDIENCES: *audiences" },
  HOOKLINE_CONSOLE: { environment: `HOOKLINE_CONSOLE: \${HOOKLINE_CONSOLE:-on}` },
  HOOKLINE_ENCRYPTION_KEYS: { environment: "<<: *webhooks", volume: "secrets:/secrets:ro" },
  HOOKLINE_API_TOKENS: {
    environment: "HOOKLINE_API_TOKENS_FILE: /tokens/api-token",
    volume: "api-tokens:/tokens:ro",
  },
};

function settingsOf(name: ServiceName): ReadonlySet<string> {
  const settings = Object.values(SERVICE_SETTINGS[name]).flatMap((group) => group.settings);
  return new Set(settings.map(({ env }) => env));
}

/** The value of each row whose setting the service reads. */
function readBy<T>(name: ServiceName, rows: Readonly<Record<string, T>>): T[] {
  const read = settingsOf(name);
  return Object.entries(rows).flatMap(([env, row]) => (read.has(env) ? [row] : []));
}

function charted(name: ServiceName) {
  const { does: _, ...facts } = SERVICES[name];
  const valuesKey = name.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  return { name, valuesKey, ...facts, secrets: readBy(name, SECRETS) };
}

/**
 * Nobody waits for these within milliseconds: where cores are short, each gets half of what another container gets. Chart: requests of half as much.
 * With 500 audiences on two full cores more calls are held, and they take larger steps (docs/operate/performance.md).
 */
const HALF_WEIGHT: ReadonlySet<ServiceName> = new Set(["audience-processor", "control"]);

const volumeOf = (name: ServiceName): string => VOLUMES[name] ?? `${name}-data`;

function composed(name: ServiceName): string {
  const { hasDisk, ...rest } = SERVICES[name];
  const given = readBy(name, COMPOSED);
  const own = given.map(({ environment }) => environment);
  const merged = ["*connection", ...own.flatMap((line) => (line.startsWith("<<: ") ? line.slice(4) : []))];
  const volumes = [
    ...(hasDisk ? [`${volumeOf(name)}:/data`] : []),
    ...given.flatMap(({ volume = [] }) => volume),
  ];
  const portVariable = `HOOKLINE_${name.toUpperCase().replaceAll("-", "_")}_PORT`;
  const lines = [
    "<<: *hookline",
    `command: [${name}]`,
    ...(hasDisk ? [] : ["tmpfs: [/data]"]),
    ...(HALF_WEIGHT.has(name) ? ["cpu_shares: 512"] : []),
    "environment:",
    `  <<: [${merged.join(", ")}]`,
    ...own.flatMap((line) => (line.startsWith("<<: ") ? [] : `  ${line}`)),
    ...(volumes.length > 0 ? [`volumes: ${JSON.stringify(volumes).replaceAll(",", ", ")}`] : []),
    ...("port" in rest ? [`ports: ["127.0.0.1:\${${portVariable}:-${rest.port}}:${rest.port}"]`] : []),
  ];
  return `  ${name}:\n${lines.map((line) => `    ${line}\n`).join("")}\n`;
}

const scraped = SERVICE_NAMES.map(
  (name) =>
    `  - job_name: hookline-${name}\n    dns_sd_configs: [{ names: [${name}], type: A, port: ${SERVICES[name].metricsPort} }]\n`,
);
const exposed = SERVICE_NAMES.flatMap(portsOf).toSorted((a, b) => a - b);
const disks = SERVICE_NAMES.filter((name) => SERVICES[name].hasDisk).map((name) => `  ${volumeOf(name)}:\n`);
const brokers = SERVICE_NAMES.map((name) => `  ${name}: { environment: *brokers }\n`);
/** The first sentence of what the API's document says of each. */
const options = Object.entries(OPTIONS).map(([name, { schema }]) => {
  const { description = "" } = schema as { readonly description?: string };
  return `| \`${name}\` | ${description.split(". ", 1)[0]} |\n`;
});
const metricsPorts = SERVICE_NAMES.map((name) => `${name} ${SERVICES[name].metricsPort}`);

export const generated: readonly Generated[] = [
  { file: "deploy/helm/hookline/files/services.json", text: `${jsonText(SERVICE_NAMES.map(charted))}\n` },
  { file: "deploy/helm/hookline/values.schema.json", text: `${jsonText(valuesSchema())}\n` },
  { file: "deploy/compose/prometheus.yml", place: /(?<=\nscrape_configs:\n).*$/s, text: scraped.join("") },
  {
    file: "docker-compose.yml",
    place: /(?<=# services:start.*\n).*(?= {2}# services:end)/s,
    text: SERVICE_NAMES.map(composed).join(""),
  },
  {
    file: "docker-compose.yml",
    place: /(?<=\n {2}api-tokens:\n).*(?= {2}prometheus-data:)/s,
    text: disks.join(""),
  },
  {
    file: "docker-compose.three-brokers.yml",
    place: /( {2}\S+ \{ environment: \*brokers \}\n)+/,
    text: brokers.join(""),
  },
  { file: "Dockerfile", place: /(?<=\nEXPOSE ).*/, text: exposed.join(" ") },
  {
    file: "docs/use/destinations.md",
    place: /(?<=\n\| option \| what it does \|\n\|---\|---\|\n)(\|.*\n)+/,
    text: options.join(""),
  },
  {
    file: "docs/develop/contract.md",
    place: /(?<=`\/readyz`\): ).*(?=\.\n)/,
    text: metricsPorts.join(", "),
  },
];
