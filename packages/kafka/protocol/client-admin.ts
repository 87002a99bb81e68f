import kafkajs from "kafkajs";
import type { Host } from "#host";
import { type ClusterAdmin, type Commit, type NewTopic, NO_LEADER, type TopicShape } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { CommittedOffset } from "../session.ts";
import { connectCluster } from "./client-brokers.ts";
import { committedByTopic } from "./committed-offsets.ts";
import { JoinedQuestions } from "./joined-questions.ts";
import { offsetsAtTimes, offsetsOf } from "./list-offsets.ts";
import { ReplaceableConnection } from "./replaceable-connection.ts";

/** The client's admin, connected on first use. */
export function createClientAdmin(client: kafkajs.Kafka, host: Host): ClusterAdmin {
  const connection = new ReplaceableConnection<kafkajs.Admin>({
    name: "the admin client",
    open: () => connect(client),
    close: (admin) => admin.disconnect(),
  });
  /** For what the client's admin does not offer. */
  const own = new ReplaceableConnection<kafkajs.Cluster>({
    name: "the admin client",
    open: () => connectCluster(client),
    close: (cluster) => cluster.disconnect(),
  });
  const use = <R>(work: (admin: kafkajs.Admin) => Promise<R>): Promise<R> => connection.use(work);
  const shapes = new JoinedQuestions((topics) => use((admin) => shapesOf(admin, topics)), host);
  const offsets = new JoinedQuestions((topics) => own.use((cluster) => offsetsOf(cluster, topics)), host);
  const offsetsAt = new JoinedQuestions(
    (asked) => own.use((cluster) => offsetsAtTimes(cluster, asked)),
    host,
  );
  /** By group. */
  const commits = new Map<string, JoinedQuestions<Map<number, Commit>>>();
  function commitsOfGroup(groupId: string, topic: string): Promise<Map<number, Commit>> {
    const ask = (topics: readonly string[]) => use((admin) => commitsOf(admin, groupId, topics));
    const questions = commits.get(groupId) ?? new JoinedQuestions(ask, host);
    commits.set(groupId, questions);
    return questions.ask(topic);
  }
  return {
    listTopics: () => use((admin) => admin.listTopics()),
    createTopics: (topics) => use((admin) => createTopics(admin, topics)),
    deleteTopics: (topics) => use((admin) => admin.deleteTopics({ topics: [...topics] })),
    async shapes(topics) {
      const found = await Promise.all(topics.map(async (topic) => [topic, await shapes.ask(topic)] as const));
      return new Map(found.flatMap(([topic, shape]) => (shape === undefined ? [] : [[topic, shape]])));
    },
    settings: (topics) => use((admin) => settingsOf(admin, topics)),
    alterSetting: (topic, setting, value) => use((admin) => alterSetting(admin, topic, { setting, value })),
    offsets: (topic) => offsets.ask(topic),
    offsetsAt: (topic, timestampMs) => offsetsAt.ask(JSON.stringify({ topic, timestampMs })),
    commits: commitsOfGroup,
    async memberCount(groupIds) {
      const { groups } = await use((admin) => admin.describeGroups([...groupIds]));
      return groups.reduce((sum, { members }) => sum + members.length, 0);
    },
    commitUnlessJoined: (groupId, places) =>
      own.use((cluster) => commitUnlessJoined(cluster, groupId, places)),
    async reset() {
      void connection.putAside();
      void own.putAside();
    },
    async close() {
      await Promise.all([connection.close(host), own.close(host)]);
    },
  };
}

/** Kafka's answer to a commit of nobody's member while the group has members. */
const REFUSED = "UNKNOWN_MEMBER_ID";

async function commitUnlessJoined(
  cluster: kafkajs.Cluster,
  groupId: string,
  places: readonly CommittedOffset[],
): Promise<boolean> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  try {
    await coordinator.offsetCommit({
      groupId,
      groupGenerationId: -1,
      memberId: "",
      topics: committedByTopic(places),
    });
    return true;
  } catch (thrown) {
    if ((thrown as { readonly type?: unknown }).type === REFUSED) return false;
    throw thrown;
  }
}

async function connect(client: kafkajs.Kafka): Promise<kafkajs.Admin> {
  const admin = client.admin();
  await admin.connect();
  return admin;
}

async function createTopics(admin: kafkajs.Admin, topics: readonly NewTopic[]): Promise<void> {
  // Resolves to false, without an error, for topics that another process has made meanwhile.
  const creation = admin.createTopics({
    waitForLeaders: true,
    topics: topics.map(({ name, partitions, replicationFactor, settings }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor,
      configEntries: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
    })),
  });
  await creation.catch((thrown: unknown) => {
    throw creationError(thrown);
  });
}

/** What the client knows of a topic that was not created. */
interface CreationError {
  readonly topic: string;
  readonly type: string;
}

/** Fewer brokers than copies: the others may still come. */
const TOO_FEW_BROKERS = "INVALID_REPLICATION_FACTOR";

/** The client's error for several topics says none of their reasons; this has the first topic's. */
function creationError(thrown: unknown): unknown {
  const { errors = [] } = thrown as { readonly errors?: readonly CreationError[] };
  const first = errors.find(({ type }) => type !== "TOPIC_ALREADY_EXISTS");
  if (first === undefined) return thrown;
  const { canRetry, code, message } = fromClientError(first);
  return new KafkaError(code, `the topic ${first.topic} is not created: ${message}`, {
    canRetry: canRetry || first.type === TOO_FEW_BROKERS,
    cause: thrown,
  });
}

async function shapesOf(
  admin: kafkajs.Admin,
  names: readonly string[],
): Promise<Map<string, TopicShape | undefined>> {
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

async function commitsOf(
  admin: kafkajs.Admin,
  groupId: string,
  topics: readonly string[],
): Promise<Map<string, Map<number, Commit>>> {
  const found = await admin.fetchOffsets({ groupId, topics: [...topics] });
  return new Map(
    topics.map((topic) => [topic, commitsIn(topic, found.find((each) => each.topic === topic)?.partitions)]),
  );
}

function commitsIn(
  topic: string,
  partitions: readonly kafkajs.FetchOffsetsPartition[] = [],
): Map<number, Commit> {
  // "Nothing is committed" would be an answer, and a wrong one.
  if (partitions.length === 0)
    throw new KafkaError("unavailable", `the partitions of ${topic} are not known`, { canRetry: true });
  const commits = partitions.map(({ partition, offset, metadata }) => {
    return [partition, { offset: Number(offset), metadata: metadata ?? undefined }] as const;
  });
  // The client says -1 where nothing was committed.
  return new Map(commits.filter(([, { offset }]) => offset >= 0));
}
