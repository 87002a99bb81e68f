// Compares Kafka and the registry with what this version needs. Loaded when it is asked for: the client is half of a start.
import { connect } from "#connection";
import { type Admin, fromClientError, type Kafka, type WitnessedTopic } from "#kafka";
import type { SettingsOf } from "#runtime";
import {
  allTopics,
  type ConfigurationTopic,
  configurationTopics,
  consumerGroups,
  type Topic,
  topicMap,
} from "#topics";
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

type WhereTopicsAre = Pick<SettingsOf<typeof provisionSchema>, "kafka" | "registry" | "topics">;

/** Configuration topics with a restore that has begun and not ended, by the time at which it began. Rejects as `compareDeployment` does. */
export function halfRestoredTopics(settings: WhereTopicsAre): Promise<ReadonlyMap<string, number>> {
  return withTopics(settings, async (kafka, all) => {
    const names = configurationTopics(topicMap(settings.topics)).map(({ topic }) => topic.name);
    const begunAtMs = new Map<string, number>();
    for (const name of names.filter((each) => all.has(each))) {
      const [open] = await openRestores(kafka, name);
      if (open !== undefined) begunAtMs.set(name, open.begunAtMs);
    }
    return begunAtMs;
  });
}

/** A consumer group's commit behind the end of a partition: its end was lost, or its topic was created again. */
export interface AheadGroup {
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
  readonly committed: number;
  readonly end: number;
}

/** Of the groups that calls depend on. Rejects as `compareDeployment` does. */
export function groupsAhead(settings: WhereTopicsAre): Promise<readonly AheadGroup[]> {
  const { calls, deliveryJobs, deliveryRetries, profileEvents } = topicMap(settings.topics);
  const { deliverer, keying, profiles, webhookRouter } = consumerGroups(settings.topics.prefix);
  const read: [string, Topic][] = [
    ...[webhookRouter, keying].map(({ id }): [string, Topic] => [id, calls]),
    ...[deliveryJobs, ...deliveryRetries].map((topic): [string, Topic] => [deliverer.id, topic]),
    [profiles.id, profileEvents],
  ];
  return withTopics(settings, async (kafka, all) => {
    const there = read.filter(([, { name }]) => all.has(name));
    const found = await Promise.all(
      there.map(([groupId, { name }]) => aheadIn(kafka.admin(), groupId, name)),
    );
    return found.flat();
  });
}

async function aheadIn(admin: Admin, groupId: string, topic: string): Promise<AheadGroup[]> {
  // The commits first: the end only grows.
  const commits = await admin.committedOffsets(groupId, topic);
  return (await admin.offsets(topic)).flatMap(({ partition, high: end }) => {
    const committed = commits.get(partition) ?? 0;
    return committed > end ? [{ groupId, topic, partition, committed, end }] : [];
  });
}

/** `work` gets the names of all topics. */
async function withTopics<R>(
  { kafka: kafkaSettings, registry }: WhereTopicsAre,
  work: (kafka: Kafka, names: ReadonlySet<string>) => Promise<R>,
): Promise<R> {
  const { kafka, close } = connect({ kafka: kafkaSettings, registryUrl: registry.registryUrl, topics: [] });
  try {
    return await work(kafka, new Set(await kafka.admin().topicNames()));
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
