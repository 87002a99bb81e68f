// Lets the client's consumers report to their ClientGroup, and mends what they do in a rebalance.
import type kafkajs from "kafkajs";
import ConsumerGroup, {
  type ConsumerGroupInternals,
  type FetchedOffsets,
  type OffsetManagerInternals,
  type OutOfRange,
} from "kafkajs/src/consumer/consumerGroup.js";
import OffsetManager from "kafkajs/src/consumer/offsetManager/index.js";
import { systemHost } from "#host";
import { NO_LEADER } from "../cluster.ts";
import { withinMs } from "../within.ts";
import { fetchedBy, groupOf } from "./client-group.ts";
import { isPatched } from "./patched.ts";

/** How long the reading waits for a heartbeat. A broker lets one wait for the commit before it, which takes 5 s where a replica was killed. */
const BEAT_WAIT_MS = 200;

/** How long a broker that cannot be reached is left alone. */
const UNREACHED_WAIT_MS = 500;

type JoinAndSync = ConsumerGroupInternals["joinAndSync"];
type Fetch = ConsumerGroupInternals["fetch"];
type Recover = ConsumerGroupInternals["recoverFromOffsetOutOfRange"];
type RecoverFetch = ConsumerGroupInternals["recoverFromFetch"];
type Heartbeat = ConsumerGroupInternals["heartbeat"];
type GetCoordinator = OffsetManagerInternals["getCoordinator"];

/** Exported for its tests, as the next three. */
export function connecting(connect: ConsumerGroupInternals["connect"]): ConsumerGroupInternals["connect"] {
  return function connectKnown(this: ConsumerGroupInternals) {
    groupOf(this.cluster)?.connected(this);
    return connect.call(this);
  };
}

/**
 * A joining that fails between its two requests leaves the client fetching what it had before. Its heartbeats name the new generation, so
 * the group goes on counting it as a member, and it never asks for its assignment again (decision 61). And two at a time would make two members of
 * one consumer, of which one reads nothing.
 */
export function joiningWithWord(joinAndSync: JoinAndSync): JoinAndSync {
  return async function joinAndSyncWithWord(this: ConsumerGroupInternals) {
    const group = groupOf(this.cluster);
    const join = async (): Promise<void> => {
      try {
        await joinAndSync.call(this);
        group?.synced();
      } catch (thrown) {
        group?.joiningFailed(thrown);
        throw thrown;
      }
    };
    await (group?.joinOnce(join) ?? join());
  };
}

/** When one broker's fetch makes the client join again, the others' are still under way, at the offsets of before. */
export function fetchingInOneGeneration(fetch: Fetch): Fetch {
  return async function fetchInOneGeneration(this: ConsumerGroupInternals, nodeId) {
    groupOf(this.cluster)?.rejoinIfAsked();
    const manager = this.offsetManager;
    const batches = await fetch.call(this, nodeId);
    if (manager === null || manager !== this.offsetManager) return [];
    for (const batch of batches) fetchedBy.set(batch, manager);
    return batches;
  };
}

/** The client ends the loops of all brokers where one fails, and the consumer after a few times. Kafka itself misses a killed broker after 9 s. */
function leavingUnreached(recover: RecoverFetch): RecoverFetch {
  return async function recoverOrLeave(this: ConsumerGroupInternals, thrown) {
    if (!(thrown instanceof Error) || thrown.name !== "KafkaJSConnectionError")
      return recover.call(this, thrown);
    await systemHost.delay(UNREACHED_WAIT_MS);
  };
}

/**
 * Wraps the client's recovery, which answers "out of range" by beginning again at the log's start. Where retention was faster, it reports how
 * much is gone and goes on there. An offset that is in the log is asked for again: its
 * leader has just become one, or is none any more. A log that ends before the offset is read on from a time,
 * not from its start. A member that has joined again since the fetch has no place yet that could be out of
 * range: it would count as 0.
 */
export function recovering(recover: Recover): Recover {
  return async function recoverWithWord(this: ConsumerGroupInternals, outOfRange: OutOfRange) {
    const { topic, partition } = outOfRange;
    const manager = this.offsetManager;
    if (manager?.committedOffsets()[topic]?.[partition] === undefined) return;
    const fromOffset = Number(String(manager.nextOffset(topic, partition)));
    const group = groupOf(this.cluster);
    const startOffset = await offsetOf(this.cluster, outOfRange, { fromBeginning: true });
    const endOffset = await offsetOf(this.cluster, outOfRange, { fromBeginning: false });
    if (manager !== this.offsetManager || group?.isOver === true) return;
    if (fromOffset < startOffset) {
      group?.recordsGone({ topic, partition, fromOffset, toOffset: startOffset });
      // The client's recovery commits, without the commit's metadata: what is done beyond the log's start would be done again.
      return manager.seek({ topic, partition, offset: String(startOffset) });
    }
    if (fromOffset <= endOffset) return this.cluster.refreshMetadata();
    const fromTimestamp = group?.logCut({ topic, partition, fromOffset, startOffset, endOffset });
    // What follows may fail, and the log may have grown to the old offset by the next fetch: everything before that would be passed over.
    await manager.seek({ topic, partition, offset: String(startOffset) });
    if (fromTimestamp === undefined) return recover.call(this, outOfRange);
    const found = await offsetOf(this.cluster, outOfRange, { fromTimestamp });
    await manager.seek({ topic, partition, offset: String(found < 0 ? endOffset : found) });
  };
}

/** The log's start or end, or its first offset at or after a time; -1 where there is none. */
async function offsetOf(
  cluster: kafkajs.Cluster,
  { topic, partition }: OutOfRange,
  asked: { readonly fromBeginning: boolean } | { readonly fromTimestamp: number },
): Promise<number> {
  const [answer] = await cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], ...asked }]);
  return Number(answer?.partitions[0]?.offset);
}

/**
 * The client keeps a commit's offset and drops its metadata: what the coordinator answers is told here first. And where it is the coordinator no more
 * another one is looked for.
 */
function tellingCommits(getCoordinator: GetCoordinator): GetCoordinator {
  return async function getCoordinatorThatTells(this: OffsetManagerInternals) {
    const { cluster } = this;
    const telling = async <T>(asked: Promise<T>): Promise<T> => {
      try {
        return await asked;
      } catch (thrown) {
        groupOf(cluster)?.coordinatorFailed(thrown);
        throw thrown;
      }
    };
    const broker = await telling(getCoordinator.call(this));
    const offsetFetch = async (request: object): Promise<FetchedOffsets> => {
      const answer = await telling(broker.offsetFetch(request));
      groupOf(cluster)?.commitsRead(this, answer);
      return placesToFind(cluster, answer);
    };
    const offsetCommit = (request: object): Promise<unknown> => telling(broker.offsetCommit(request));
    // The same broker in everything but these.
    const told = { offsetFetch: { value: offsetFetch }, offsetCommit: { value: offsetCommit } };
    return Object.create(broker, told) as typeof broker;
  };
}

/** Has a member follow its group's coordinator to another broker, instead of failing. Exported for its tests. */
export function followingCoordinator(heartbeat: Heartbeat): Heartbeat {
  return async function heartbeatOrLook(this: ConsumerGroupInternals, options) {
    const group = groupOf(this.cluster);
    if (group?.search.isLost(this) === true) return;
    const beat = heartbeat.call(this, options).catch((thrown: unknown) => {
      if (group?.coordinatorFailed(thrown) !== true) throw thrown;
    });
    await withinMs(beat, BEAT_WAIT_MS, systemHost);
  };
}

/**
 * Leaves out partitions that have neither a commit nor a leader. The client asks the leaders where its places without a commit begin, and has none
 * at all where one of them does not answer. It asks for what was left out again at each fetch.
 */
function placesToFind(cluster: kafkajs.Cluster, answer: FetchedOffsets): FetchedOffsets {
  const isLed = (topic: string, partition: number): boolean =>
    cluster
      .findTopicPartitionMetadata(topic)
      .some(({ leader, partitionId }) => partitionId === partition && leader !== NO_LEADER);
  const responses = answer.responses.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.filter(({ offset, partition }) => Number(offset) >= 0 || isLed(topic, partition)),
  }));
  return { ...answer, responses };
}

/** Lets our code see and mend the client's side of its groups. Safe to call again. */
export function installClientGroup(): void {
  const target: ConsumerGroupInternals = ConsumerGroup.prototype;
  if (isPatched(target, "group")) return;
  target.connect = connecting(target.connect);
  target.joinAndSync = joiningWithWord(target.joinAndSync);
  target.fetch = fetchingInOneGeneration(target.fetch);
  target.heartbeat = followingCoordinator(target.heartbeat);
  target.recoverFromFetch = leavingUnreached(target.recoverFromFetch);
  target.recoverFromOffsetOutOfRange = recovering(target.recoverFromOffsetOutOfRange);
  OffsetManager.prototype.getCoordinator = tellingCommits(OffsetManager.prototype.getCoordinator);
}
