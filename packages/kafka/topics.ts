import kafkajs from "kafkajs";
import type { AdminClient } from "./admin-client.ts";
import type { EnsureTopicsOptions, TopicDifference, TopicSpec } from "./types.ts";

const DAY_MS = 86_400_000;

/** The longest that a table or a changelog's reader may be away without missing a deletion. */
const TOMBSTONES_KEPT_MS = 7 * DAY_MS;

/** A topic just created is known to the controller before every broker knows it: up to some ten seconds on a busy machine. */
const TRIES_UNTIL_KNOWN = 15;

/** The topic settings that the map decides; everything else is the cluster's. */
function configOf({ cleanup }: TopicSpec, minInsyncReplicas: number): Record<string, string> {
  const always = { "cleanup.policy": cleanup.policy, "min.insync.replicas": String(minInsyncReplicas) };
  return cleanup.policy === "delete"
    ? { ...always, "retention.ms": String(cleanup.retentionMs) }
    : { ...always, "delete.retention.ms": String(TOMBSTONES_KEPT_MS) };
}

/** Creates what is missing, then compares all of it with what was asked for. Changes nothing that is there. */
export async function ensureTopics(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<{ created: string[]; differing: TopicDifference[] }> {
  const existing = new Set(await client.run((admin) => admin.listTopics()));
  const missing = specs.filter(({ name }) => !existing.has(name));
  if (missing.length > 0) await create(client, missing, options);
  const differing = await compare(client, specs, options);
  return { created: missing.map(({ name }) => name), differing };
}

async function create(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  await client.run((admin) =>
    // Resolves to false, without an error, for topics that another process has made meanwhile.
    admin.createTopics({
      waitForLeaders: true,
      topics: specs.map((spec) => ({
        topic: spec.name,
        numPartitions: options.partitions,
        replicationFactor: options.replicationFactor,
        configEntries: Object.entries(configOf(spec, options.minInsyncReplicas)).map(([name, value]) => ({
          name,
          value,
        })),
      })),
    }),
  );
}

async function compare(
  client: AdminClient,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<TopicDifference[]> {
  const [found, shapes] = [await describe(client, specs), await shapesOf(client, specs)];
  return specs.flatMap((spec) => {
    const wanted: Record<string, string> = {
      ...configOf(spec, options.minInsyncReplicas),
      partitions: String(options.partitions),
      "replication factor": String(options.replicationFactor),
    };
    const is: Record<string, string> = { ...found.get(spec.name), ...shapes.get(spec.name) };
    return Object.entries(wanted)
      .filter(([setting, value]) => is[setting] !== value)
      .map(([setting, value]) => ({
        topic: spec.name,
        setting,
        wanted: value,
        found: is[setting] ?? "unknown",
      }));
  });
}

async function describe(
  client: AdminClient,
  specs: readonly TopicSpec[],
): Promise<Map<string, Record<string, string>>> {
  const { resources } = await client.run(
    (admin) =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: specs.map(({ name }) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
      }),
    TRIES_UNTIL_KNOWN,
  );
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

async function shapesOf(
  client: AdminClient,
  specs: readonly TopicSpec[],
): Promise<Map<string, Record<string, string>>> {
  const { topics } = await client.run(
    (admin) => admin.fetchTopicMetadata({ topics: specs.map(({ name }) => name) }),
    TRIES_UNTIL_KNOWN,
  );
  return new Map(
    topics.map(({ name, partitions }) => [
      name,
      {
        partitions: String(partitions.length),
        "replication factor": String(partitions[0]?.replicas.length ?? 0),
      },
    ]),
  );
}
