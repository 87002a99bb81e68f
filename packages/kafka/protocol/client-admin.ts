import kafkajs from "kafkajs";
import type { Host } from "#host";
import type { ClusterAdmin, Commit, NewTopic, TopicShape } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { ReplaceableConnection } from "./replaceable-connection.ts";

const NO_LEADER = -1;

/** The client's admin, connected on first use. */
export function createClientAdmin(client: kafkajs.Kafka, host: Host): ClusterAdmin {
  const connection = new ReplaceableConnection<kafkajs.Admin>({
    name: "the admin client",
    open: () => connect(client),
    close: (admin) => admin.disconnect(),
  });
  const use = <R>(work: (admin: kafkajs.Admin) => Promise<R>): Promise<R> => connection.use(work);
  return {
    listTopics: () => use((admin) => admin.listTopics()),
    createTopics: (topics) => use((admin) => createTopics(admin, topics)),
    deleteTopics: (topics) => use((admin) => admin.deleteTopics({ topics: [...topics] })),
    shapes: (topics) => use((admin) => shapesOf(admin, topics)),
    settings: (topics) => use((admin) => settingsOf(admin, topics)),
    alterSetting: (topic, setting, value) => use((admin) => alterSetting(admin, topic, { setting, value })),
    async offsets(topic) {
      const offsets = await use((admin) => admin.fetchTopicOffsets(topic));
      return offsets.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
    },
    async offsetsAt(topic, timestampMs) {
      const offsets = await use((admin) => admin.fetchTopicOffsetsByTimestamp(topic, timestampMs));
      return offsets.map(({ partition, offset }) => ({ partition, offset: Number(offset) }));
    },
    async committedOffsets(groupId, topic) {
      const commits = await use((admin) => commitsOf(admin, groupId, topic));
      return new Map([...commits].map(([partition, { offset }]) => [partition, offset]));
    },
    commits: (groupId, topic) => use((admin) => commitsOf(admin, groupId, topic)),
    async deleteGroups(groupIds) {
      await use((admin) => admin.deleteGroups([...groupIds]));
    },
    async reset() {
      void connection.putAside();
    },
    close: () => connection.close(host),
  };
}

async function connect(client: kafkajs.Kafka): Promise<kafkajs.Admin> {
  const admin = client.admin();
  await admin.connect();
  return admin;
}

async function createTopics(admin: kafkajs.Admin, topics: readonly NewTopic[]): Promise<void> {
  // Resolves to false, without an error, for topics that another process has made meanwhile.
  await admin.createTopics({
    waitForLeaders: true,
    topics: topics.map(({ name, partitions, replicationFactor, settings }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor,
      configEntries: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
    })),
  });
}

async function shapesOf(admin: kafkajs.Admin, names: readonly string[]): Promise<Map<string, TopicShape>> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
  return new Map(topics.map(({ name, partitions }) => [name, shapeOf(partitions)]));
}

function shapeOf(partitions: readonly kafkajs.PartitionMetadata[]): TopicShape {
  const leaders: number[] = new Array(partitions.length).fill(NO_LEADER);
  for (const { partitionId, leader } of partitions) leaders[partitionId] = leader;
  return { leaders, replicationFactor: partitions[0]?.replicas.length ?? 0 };
}

async function settingsOf(
  admin: kafkajs.Admin,
  topics: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

/** Kafka's number for a setting that was given to the topic itself. */
const OWN_SETTING = 1;

/**
 * Changes one setting. The request takes away each setting of the topic that it does not name, so existing
 * ones are sent again.
 */
async function alterSetting(
  admin: kafkajs.Admin,
  name: string,
  { setting, value }: { readonly setting: string; readonly value: string },
): Promise<void> {
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type, name }] });
  const own = (resources[0]?.configEntries ?? [])
    .filter(({ configName, configSource }) => configSource === OWN_SETTING && configName !== setting)
    .map(({ configName, configValue }) => ({ name: configName, value: configValue }));
  const configEntries = [...own, { name: setting, value }];
  await admin.alterConfigs({ validateOnly: false, resources: [{ type, name, configEntries }] });
}

async function commitsOf(admin: kafkajs.Admin, groupId: string, topic: string): Promise<Map<number, Commit>> {
  const [ofTopic] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const partitions = ofTopic?.partitions ?? [];
  // "Nothing is committed" would be an answer, and a wrong one.
  if (partitions.length === 0)
    throw new KafkaError("unavailable", `the partitions of ${topic} are not known`, { canRetry: true });
  const commits = partitions.map(({ partition, offset, metadata }) => {
    return [partition, { offset: Number(offset), metadata: metadata ?? undefined }] as const;
  });
  // The client says -1 where nothing was committed.
  return new Map(commits.filter(([, { offset }]) => offset >= 0));
}
