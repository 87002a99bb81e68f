// The schema of the chart's values: values.yaml has every name and type, and the rules here what a type cannot say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { isJsonObject, type JsonObject } from "#contract";

const VALUES = join(import.meta.dirname, "hookline/values.yaml");
const PORTS = { type: "array", items: { type: "integer", minimum: 1, maximum: 65_535 } };
/** Variables that the chart itself gives, from values of its own, or that its probes and Services go by. */
const OF_THE_CHART =
  "(SHUTDOWN_GRACE|PARTITIONS|REPLICATION_FACTOR|KAFKA_BROKERS|SCHEMA_REGISTRY_URL|(METRICS|INGEST|CONTROL)_PORT)";
const SETTINGS = {
  type: "object",
  propertyNames: { pattern: "^(HOOKLINE|NODE)_[A-Z_0-9]+$", not: { pattern: `^HOOKLINE_${OF_THE_CHART}$` } },
  additionalProperties: { type: ["string", "number", "boolean"] },
};

/** The first rule whose pattern fits a value's path says what it may be. */
const RULES: readonly (readonly [path: RegExp, schema: JsonObject])[] = [
  [/^image\.pullPolicy$/, { enum: ["Always", "IfNotPresent", "Never"] }],
  [/^image\.pullSecrets$/, { type: "array", items: { type: "string" } }],
  [/^kafka\.brokers$/, { type: "array", minItems: 1, items: { type: "string", pattern: "^[^/,]+:[0-9]+$" } }],
  [/^kafka\.saslMechanism$/, { enum: ["", "plain", "scram-sha-256", "scram-sha-512"] }],
  [/^registry\.url$/, { type: "string", pattern: "^https?://" }],
  [/^secrets\.existingSecret$/, { type: "string", minLength: 1 }],
  [/^topics\.partitions$/, { type: "integer", minimum: 1, maximum: 10_000 }],
  [/^topics\.replicationFactor$/, { type: "integer", minimum: 1, maximum: 9 }],
  [/^networkPolicy\.tracesPorts$/, PORTS],
  [/Ports$/, { ...PORTS, minItems: 1 }],
  [/(Peers|^tolerations)$/, { type: "array", items: { type: "object" } }],
  [/CIDRs$/, { type: "array", items: { type: "string", pattern: "/[0-9]+$" } }],
  [/(^|\.)settings$/, SETTINGS],
  [/(\.resources|^affinity|^global)$/, { type: "object" }],
  [/(labels|annotations|^nodeSelector)$/i, { type: "object", additionalProperties: { type: "string" } }],
  [/\.storage\.size$/, { type: "string", pattern: "^[0-9]+(Mi|Gi|Ti)$" }],
  [/\.interval$/, { type: "string", pattern: "^[0-9]+(s|m)$" }],
  // KEDA looks at one topic: with no process left, nobody would send what waits in the others.
  [/(\.replicas|^deliverer\.keda\.minReplicas)$/, { type: "integer", minimum: 1 }],
];

function schemaOf(value: unknown, path: string): JsonObject {
  const [, rule] = RULES.find(([where]) => where.test(path)) ?? [];
  if (rule !== undefined) return rule;
  if (typeof value === "number") return { type: "integer", minimum: 0 };
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    if (typeof value === "object") throw new Error(`values-schema.ts has to say what ${path} may hold`);
    return { type: typeof value };
  }
  const properties = Object.entries(value).map(([name, inner]) => [
    name,
    schemaOf(inner, path === "" ? name : `${path}.${name}`),
  ]);
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}

/** As Helm reads it, which refuses names that values.yaml does not have; `global` is Helm's own. */
export function valuesSchema(): JsonObject {
  const values: unknown = { ...parse(readFileSync(VALUES, "utf8")), global: {} };
  const HEAD = { $schema: "http://json-schema.org/draft-07/schema#", title: "Values of the chart hookline" };
  return { ...HEAD, ...schemaOf(values, "") };
}
