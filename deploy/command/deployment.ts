// Compares Kafka and the registry with what this version needs. Loaded when it is asked for: the client is half of a start.
import { connect } from "#connection";
import { isTooShort, type TopicDifference } from "#kafka";
import type { SettingsOf } from "#runtime";
import { allTopics, topicMap } from "#topics";
import type { settings as provisionSchema } from "../provision/config.ts";

/** What of a deployment's topics and schemas is not as this version needs it. */
export interface ComparedDeployment {
  readonly missingTopics: readonly string[];
  readonly missingSchemas: readonly string[];
  /** Left as they are; `isShort` where records are deleted before they are read. */
  readonly differing: readonly (TopicDifference & { readonly isShort: boolean })[];
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
  const topics = allTopics(topicMap({ ...options, profileEventsKeptMs }));
  const { kafka, serde, close } = connect({
    kafka: kafkaSettings,
    registryUrl: registry.registryUrl,
    topics,
  });
  try {
    const { missing, differing } = await kafka.admin().compareTopics(topics, creation);
    const missingSchemas = await serde.missing();
    const judged = differing.map((difference) => ({ ...difference, isShort: isTooShort(difference) }));
    const isUnusable = missing.length + missingSchemas.length > 0 || judged.some(({ isShort }) => isShort);
    return { missingTopics: missing, missingSchemas, differing: judged, isUnusable };
  } finally {
    await close();
  }
}
