import BrokerPool, { type BrokerPoolInternals, type ClientMetadata } from "kafkajs/src/cluster/brokerPool.js";
import Cluster, { type ClusterInternals } from "kafkajs/src/cluster/index.js";
import Metadata, { type MetadataVersion } from "kafkajs/src/protocol/requests/metadata/index.js";
import { systemHost } from "#host";
import { NO_LEADER } from "../cluster.ts";
import { isPatched } from "./patched.ts";

/** The age of the client's consumers and producers, and of the Java client. */
const MAX_AGE_MS = 300_000;
/** The same while nobody leads some partition: who reads it asks nobody, so that no refusal tells of its new leader. */
const LEADERLESS_MAX_AGE_MS = 1_000;

const { metadata: clientMetadata } = Cluster.prototype;
const { findConnectedBroker } = BrokerPool.prototype;
const { elapsed } = systemHost;

const maxAges = new WeakMap<object, number>();
/** Until when the newest answer is believed, on the clock that nobody sets back. */
const expiries = new WeakMap<object, number>();
const latest = new WeakMap<object, ClientMetadata | null>();
/** Those whose newest answer had a partition without a leader. */
const leaderless = new WeakSet<object>();

/**
 * Patches how the client keeps metadata. Its admin believes what it knows of topics for 0 ms: before each
 * request it asks for all topics that it was ever asked about. The patch lets it believe them for as long as
 * a consumer does. A former leader refuses what it is asked, and our admin then begins again (AdminClient). A
 * request for topics by name gets them as they are now: the client would ask twice, and swallow the second
 * refusal. The client also replaces its knowledge of topics by each answer, which has only the topics that
 * were asked for: work under way on another topic finds no partitions meanwhile, and reads that nothing is
 * committed. With the patch a topic stays known until a newer answer comes. And one partition that nobody leads
 * costs the client the whole answer; with the patch its leader is -1. And the client takes the age of an answer
 * from the wall clock: set back, it would look for no new leader for so long. And it asks any broker, which answers what it was asked before
 * first, such as a commit that waits for a killed replica: one that owes no answer is asked instead. Safe to call again.
 */
export function patchMetadata(): void {
  patchBrokerPool();
  acceptLeaderless();
  Cluster.prototype.metadata = async function metadataAsAnswered(this: ClusterInternals, asked = {}) {
    const { topics = [] } = asked;
    if (topics.length === 0) return clientMetadata.call(this, asked);
    await this.brokerPool.refreshMetadata(topics);
    const { metadata: known } = this.brokerPool;
    if (known === null) throw new TypeError("the client forgets what it was answered");
    return { ...known, topicMetadata: known.topicMetadata.filter(({ topic }) => topics.includes(topic)) };
  };
}

function isBusy({ connectionPool }: BrokerPoolInternals["brokers"][string]): boolean {
  return (connectionPool.pool[0]?.requestQueue.inflight.size ?? 0) > 0;
}

function patchBrokerPool(): void {
  BrokerPool.prototype.findConnectedBroker = async function findIdleBroker() {
    const found = await findConnectedBroker.call(this);
    const idle = Object.values(this.brokers).find((broker) => broker.isConnected() && !isBusy(broker));
    return isBusy(found) ? (idle ?? found) : found;
  };
  Object.defineProperty(BrokerPool.prototype, "metadataMaxAge", {
    configurable: true,
    get(this: object) {
      const maxAgeMs = maxAges.get(this) ?? MAX_AGE_MS;
      return leaderless.has(this) ? Math.min(maxAgeMs, LEADERLESS_MAX_AGE_MS) : maxAgeMs;
    },
    set(this: object, ms: number) {
      if (ms > 0) maxAges.set(this, ms);
    },
  });
  Object.defineProperty(BrokerPool.prototype, "metadataExpireAt", {
    configurable: true,
    get(this: object) {
      const expiryMs = expiries.get(this);
      if (expiryMs === undefined) return null;
      return elapsed() > expiryMs ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    },
    set(this: { readonly metadataMaxAge: number }, atMs: number | null) {
      if (atMs === null) expiries.delete(this);
      else expiries.set(this, elapsed() + this.metadataMaxAge);
    },
  });
  Object.defineProperty(BrokerPool.prototype, "metadata", {
    configurable: true,
    get(this: object) {
      return latest.get(this) ?? null;
    },
    set(this: object, answer: ClientMetadata | null) {
      latest.set(this, answer === null ? null : withOthers(answer, latest.get(this)));
      const partitions = answer?.topicMetadata.flatMap(({ partitionMetadata }) => partitionMetadata) ?? [];
      if (partitions.some(({ leader }) => leader === NO_LEADER)) leaderless.add(this);
      else leaderless.delete(this);
    },
  });
}

function withOthers(answer: ClientMetadata, before: ClientMetadata | null | undefined): ClientMetadata {
  const answered = new Set(answer.topicMetadata.map(({ topic }) => topic));
  const others = (before?.topicMetadata ?? []).filter(({ topic }) => !answered.has(topic));
  return { ...answer, topicMetadata: [...answer.topicMetadata, ...others] };
}

function acceptLeaderless(): void {
  if (isPatched(Metadata, "metadata")) return;
  const original = Metadata.protocol;
  Metadata.protocol = ({ version }) => withoutPartitionErrors(original({ version }));
}

/** A topic's error stays one: the topic is unknown, or may not be seen. */
function withoutPartitionErrors(build: MetadataVersion): MetadataVersion {
  return (asked) => {
    const { request, response } = build(asked);
    const parse = async (data: ClientMetadata): Promise<ClientMetadata> => {
      const topicMetadata = data.topicMetadata.map((topic) => ({
        ...topic,
        partitionMetadata: topic.partitionMetadata.map((each) => ({ ...each, partitionErrorCode: 0 })),
      }));
      return response.parse({ ...data, topicMetadata });
    };
    return { request, response: { ...response, parse } };
  };
}
