// Compares Kafka and the registry with what this version needs. Loaded when it is asked for: the client is half of a start.
import { connect } from "#connection";
import { type Admin, fromClientError, type WitnessedTopic } from "#kafka";
import type { SettingsOf } from "#runtime";
import { allTopics, type ConfigurationTopic, configurationTopics, type Topic, topicMap } from "#topics";
import { openRestores } from "./backup/index.ts";
import type { settings as provisionSchema } from "./provision/config.ts";
import { type JudgedDifference, judge } from "./provision/index.ts";

/** The differences between a deployment's topics and schemas and what this version needs. */
export interface ComparedDeployment {
  readonly missingTopics: readonly string[];
  /** Configuration topics that are gone or empty although they had records; those that are gone are not among the missing ones. */
  readonly lostTopics: readonly string[];
  readonly missingSchemas: readonly string[];
  readonly differing: readonly JudgedDifference[];
  /** Services do not become ready, or lose records that they have not read. */
  readonly isUnusable: boolean;
}

/** Rejects with an error of the kafka or serde package at the first request that gets no answer. */
export async function compareDeployment({
  kafka: kafkaSettings,
  registry,
  topics: options,
  creation,
  provisioning,
}: SettingsOf<typeof provisionSchema>): Promise<ComparedDeployment> {
  const { profileEventsKeptMs } = provisioning;
  const map = topicMap({ ...options, profileEventsKeptMs });
  const topics = allTopics(map);
  const { kafka, serde, close } = connect({
    kafka: kafkaSettings,
    registryUrl: registry.registryUrl,
    topics,
  });
  try {
    const { missing, differing } = await kafka.admin().compareTopics(topics, creation);
    const missingSchemas = await serde.missing();
    const lostTopics = await lostOf(kafka.admin(), configurationTopics(map), missing);
    const missingTopics = missing.filter((name) => !lostTopics.includes(name));
    const judged = judge(differing, map);
    const isUnusable =
      missing.length + missingSchemas.length + lostTopics.length > 0 || judged.some(({ isWrong }) => isWrong);
    return { missingTopics, lostTopics, missingSchemas, differing: judged, isUnusable };
  } finally {
    await close();
  }
}

/** Configuration topics with a restore that has begun and not ended, by the time at which it began. Rejects as `compareDeployment` does. */
export async function halfRestoredTopics(
  settings: Pick<SettingsOf<typeof provisionSchema>, "kafka" | "registry" | "topics">,
): Promise<ReadonlyMap<string, number>> {
  const names = configurationTopics(topicMap(settings.topics)).map(({ topic }) => topic.name);
  const { kafka, close } = connect({
    kafka: settings.kafka,
    registryUrl: settings.registry.registryUrl,
    topics: [],
  });
  const begunAtMs = new Map<string, number>();
  try {
    const all = new Set(await kafka.admin().topicNames());
    for (const name of names.filter((each) => all.has(each))) {
      const [open] = await openRestores(kafka, name);
      if (open !== undefined) begunAtMs.set(name, open.begunAtMs);
    }
    return begunAtMs;
  } finally {
    await close();
  }
}

/** `missing` topics without a witness that is there were never created: nothing of them is lost. */
async function lostOf(
  admin: Pick<Admin, "holdsRecords">,
  configuration: readonly ConfigurationTopic[],
  missing: readonly string[],
): Promise<string[]> {
  const isThere = ({ name }: Topic): boolean => !missing.includes(name);
  const lost: string[] = [];
  for (const { topic, witnesses } of configuration) {
    const names = witnesses.filter(isThere).map(({ name }) => name);
    if (!isThere(topic) && names.length === 0) continue;
    if (await isLost(admin, { topic: topic.name, witnesses: names })) lost.push(topic.name);
  }
  return lost;
}

async function isLost(admin: Pick<Admin, "holdsRecords">, topic: WitnessedTopic): Promise<boolean> {
  try {
    await admin.holdsRecords(topic);
    return false;
  } catch (thrown) {
    const { code } = fromClientError(thrown);
    if (code !== "records_lost" && code !== "unknown_topic") throw thrown;
    return code === "records_lost";
  }
}
