// A cluster's access rules, and what retention does, by the bare client: the product does neither.
import kafkajs from "kafkajs";
import type { AccessRule } from "#topics";
import { until } from "./until.ts";

/** A rule with its principal as Kafka knows it, e.g. User:ingest. */
export type GrantedRule = Omit<AccessRule, "principal"> & { readonly principal: string };

/** The bare client, for what the product has no door to. */
export async function withBareAdmin<R>(
  brokers: readonly string[],
  use: (admin: kafkajs.Admin) => Promise<R>,
): Promise<R> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Removes a partition's records before this offset, as retention does. */
export async function removeRecordsBefore(
  brokers: readonly string[],
  { topic, partition }: { readonly topic: string; readonly partition: number },
  offset: number,
): Promise<void> {
  const partitions = [{ partition, offset: String(offset) }];
  await withBareAdmin(brokers, async (admin) => {
    // The client deletes only where it has looked before.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions });
  });
}

/** As removeRecordsBefore, for a compacted topic, which a broker refuses to shorten. */
export async function removeCompactedBefore(
  brokers: readonly string[],
  { topic, partition }: { readonly topic: string; readonly partition: number },
  offset: number,
): Promise<void> {
  const setPolicy = (policy: string) =>
    withBareAdmin(brokers, (admin) =>
      admin.alterConfigs({
        resources: [{ type: 2, name: topic, configEntries: [{ name: "cleanup.policy", value: policy }] }],
        validateOnly: false,
      }),
    );
  await setPolicy("delete");
  // The controller answers before the partition's broker knows the policy: until then it refuses.
  await until(
    () => removeRecordsBefore(brokers, { topic, partition }, offset).then(() => true, isRefusedByPolicy),
    {
      timeoutMs: 30_000,
      what: `the broker to know the policy of ${topic}`,
    },
  );
  await setPolicy("compact");
}

/** False, so that one asks again; throws what has another cause. */
function isRefusedByPolicy(error: unknown): false {
  const { cause } = error as { cause?: { partitions?: readonly { error?: { type?: string } }[] } };
  const types = cause?.partitions?.map((partition) => partition.error?.type) ?? [];
  if (!types.includes("POLICY_VIOLATION")) throw error;
  return false;
}

/** Ids of all consumer groups that begin so. */
export async function groupIds(brokers: readonly string[], prefix: string): Promise<string[]> {
  const { groups } = await withBareAdmin(brokers, (admin) => admin.listGroups());
  return groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(prefix));
}

/** The client's numbers are in the order of Kafka's protocol. */
function numberOf(enumeration: object, name: string): number {
  const key = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  const number = (enumeration as Readonly<Record<string, number>>)[key];
  if (number === undefined) throw new Error(`the client knows no ${key}`);
  return number;
}

/** Tells the cluster's authorizer, as whoever `brokers` let in without a password. */
export async function grant(brokers: readonly string[], rules: readonly GrantedRule[]): Promise<void> {
  const acl = rules.flatMap(({ principal, resourceType, patternType, names, operations }) =>
    names.flatMap((resourceName) =>
      operations.map((operation) => ({
        principal,
        host: "*",
        resourceName,
        resourceType: numberOf(kafkajs.AclResourceTypes, resourceType),
        resourcePatternType: numberOf(kafkajs.ResourcePatternTypes, patternType),
        operation: numberOf(kafkajs.AclOperationTypes, operation),
        permissionType: kafkajs.AclPermissionTypes.ALLOW,
      })),
    ),
  );
  await withBareAdmin(brokers, (admin) => admin.createAcls({ acl }));
}

export interface Login {
  readonly brokers: readonly string[];
  /** PEM of the authority that the broker's certificate is from. */
  readonly authority: string;
  readonly username: string;
  readonly password: string;
}

/** What the broker says when this user writes one record; undefined when it takes it. */
export async function refusalOfWrite(login: Login, topic: string): Promise<string | undefined> {
  const { authority, brokers, username, password } = login;
  const producer = new kafkajs.Kafka({
    brokers: [...brokers],
    ssl: { ca: authority },
    sasl: { mechanism: "scram-sha-512", username, password },
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 0 },
  }).producer({ allowAutoTopicCreation: false });
  try {
    await producer.connect();
    await producer.send({ topic, messages: [{ key: "k", value: "v" }] });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await producer.disconnect();
  }
}
