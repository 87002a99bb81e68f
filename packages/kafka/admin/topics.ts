import { TOMBSTONES_KEPT_MS } from "#topics";
import type {
  ComparedTopics,
  EnsuredTopics,
  EnsureTopicsOptions,
  TopicDifference,
  TopicSpec,
} from "../admin-types.ts";
import type { TopicShape } from "../cluster.ts";
import type { AdminClient } from "./admin-client.ts";

/** A topic just created is known to the controller before every broker knows it: over ten seconds on a busy machine. A minute of tries. */
const TRIES_UNTIL_KNOWN = 60;

/** The topic settings that the map decides; everything else is the cluster's. */
function configOf({ cleanup }: TopicSpec, minInsyncReplicas: number): Record<string, string> {
  const always = {
    "cleanup.policy": cleanup.policy,
    // A cluster's own choice may be a codec that the client cannot read.
    "compression.type": "producer",
    "min.insync.replicas": String(minInsyncReplicas),
  };
  if (cleanup.policy === "delete") return { ...always, "retention.ms": String(cleanup.retentionMs) };
  const { minCompactionLagMs } = cleanup;
  return {
    ...always,
    "delete.retention.ms": String(TOMBSTONES_KEPT_MS),
    ...(minCompactionLagMs === undefined ? {} : { "min.compaction.lag.ms": String(minCompactionLagMs) }),
  };
}

/**
 * Creates missing topics, then compares all of them with their specs. Changes existing topics only where the
 * options say so.
 */
export async function ensureTopics(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<EnsuredTopics> {
  const missing = await missingOf(client, specs);
  if (missing.length > 0) await create(client, missing, options);
  const found = await compare(client, specs, options);
  const raised = options.raiseRetention === true ? found.filter(isTooShort) : [];
  for (const { topic, setting, wanted } of raised)
    await client.run((admin) => admin.alterSetting(topic, setting, wanted));
  const differing = found.filter((difference) => !raised.includes(difference));
  return { created: missing.map(({ name }) => name), differing, raised };
}

/** Compares existing topics with their specs, as `ensureTopics` does; nothing is created or changed. */
export async function compareTopics(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<ComparedTopics> {
  const missing = await missingOf(client, specs);
  const present = specs.filter((spec) => !missing.includes(spec));
  const differing = present.length === 0 ? [] : await compare(client, present, options);
  return { missing: missing.map(({ name }) => name), differing };
}

async function missingOf(client: AdminClient, specs: readonly TopicSpec[]): Promise<TopicSpec[]> {
  const existing = new Set(await client.run((admin) => admin.listTopics()));
  return specs.filter(({ name }) => !existing.has(name));
}

/** Records are deleted sooner than asked for. A negative retention is none at all. */
export function isTooShort({ setting, wanted, found }: TopicDifference): boolean {
  return setting === "retention.ms" && Number(found) >= 0 && Number(found) < Number(wanted);
}

async function create(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  const { partitions, replicationFactor, minInsyncReplicas } = options;
  const topics = specs.map((spec) => ({
    name: spec.name,
    partitions,
    replicationFactor,
    settings: configOf(spec, minInsyncReplicas),
  }));
  await client.run((admin) => admin.createTopics(topics));
}

async function compare(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<TopicDifference[]> {
  const names = specs.map(({ name }) => name);
  const settings = await client.run((admin) => admin.settings(names), TRIES_UNTIL_KNOWN);
  const shapes = await client.run((admin) => admin.shapes(names), TRIES_UNTIL_KNOWN);
  return specs.flatMap((spec) => {
    const wanted: Record<string, string> = {
      ...configOf(spec, options.minInsyncReplicas),
      partitions: String(options.partitions),
      "replication factor": String(options.replicationFactor),
    };
    const found: Record<string, string> = { ...settings.get(spec.name), ...shapeOf(shapes, spec.name) };
    return Object.entries(wanted)
      .filter(([setting, value]) => found[setting] !== value)
      .map(([setting, value]) => ({
        topic: spec.name,
        setting,
        wanted: value,
        found: found[setting] ?? "unknown",
      }));
  });
}

function shapeOf(shapes: ReadonlyMap<string, TopicShape>, topic: string): Record<string, string> {
  const shape = shapes.get(topic);
  return shape === undefined
    ? {}
    : { partitions: String(shape.leaders.length), "replication factor": String(shape.replicationFactor) };
}
