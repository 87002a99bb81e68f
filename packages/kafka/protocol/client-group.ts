import type kafkajs from "kafkajs";
import ConsumerGroup, {
  type ConsumerGroupInternals,
  type OffsetManagerInternals,
  type OutOfRange,
} from "kafkajs/src/consumer/consumerGroup.js";
import type { RecordsGone } from "../session.ts";

/** By the consumer's cluster, which is all that its assigner and its group have in common. */
const groups = new WeakMap<object, ClientGroup>();

/** Where each batch was fetched: the client makes a new manager of offsets at every join. */
const fetchedBy = new WeakMap<object, OffsetManagerInternals>();

export interface ClientGroupHandlers {
  onRecordsGone(gone: RecordsGone): void;
  /** The group counts the consumer as a member, and the consumer does not know what it is assigned. */
  onSyncFailed(error: unknown): void;
}

/** One consumer's side of its group, inside the client: what that does not offer. */
export class ClientGroup {
  readonly #handlers: ClientGroupHandlers;
  #internals: ConsumerGroupInternals | undefined;
  /** A join was answered, and the assignment was not heard of yet. */
  #isSyncing = false;

  constructor(handlers: ClientGroupHandlers) {
    this.#handlers = handlers;
  }

  /** The client shows a consumer's cluster to its assigner, and nowhere else. */
  foundBy(assigner: kafkajs.PartitionAssigner): kafkajs.PartitionAssigner {
    return (config) => {
      groups.set(config.cluster, this);
      return assigner(config);
    };
  }

  connected(internals: ConsumerGroupInternals): void {
    this.#internals = internals;
  }

  recordsGone(gone: RecordsGone): void {
    this.#handlers.onRecordsGone(gone);
  }

  /** The request to join was answered. */
  joined(): void {
    this.#isSyncing = true;
  }

  synced(): void {
    this.#isSyncing = false;
  }

  /** The client has given a joining up. */
  joiningFailed(error: unknown): void {
    if (this.#isSyncing) this.#handlers.onSyncFailed(error);
    this.#isSyncing = false;
  }

  /** Of the newest join; 0 before the first. */
  get generation(): number {
    return this.#internals?.offsetManager?.generationId ?? 0;
  }

  /** The generation in which the batch was asked for; undefined when the client has joined again in the same one since. */
  generationOf(batch: object): number | undefined {
    const manager = fetchedBy.get(batch);
    const current = this.#internals?.offsetManager;
    const isOfAnEarlierJoin = manager !== current && manager?.generationId === current?.generationId;
    return isOfAnEarlierJoin ? undefined : manager?.generationId;
  }

  /** What an earlier generation wanted to read is not where this one begins. */
  forgetSeeks(): void {
    this.#internals?.seekOffset.clear();
  }

  /**
   * One try, in the current generation, unlike the consumer's own commit, which may repeat it in a later one (fact 7). False before
   * the first join.
   */
  async commit(offsets: kafkajs.OffsetsByTopicPartition): Promise<boolean> {
    const manager = this.#internals?.offsetManager;
    if (manager === undefined || manager === null) return false;
    await manager.commitOffsets(offsets);
    return true;
  }
}

type JoinAndSync = ConsumerGroupInternals["joinAndSync"];
type Fetch = ConsumerGroupInternals["fetch"];
type Recover = ConsumerGroupInternals["recoverFromOffsetOutOfRange"];

/** Exported for its tests, as the next three. */
export function connecting(connect: ConsumerGroupInternals["connect"]): ConsumerGroupInternals["connect"] {
  return function connectKnown(this: ConsumerGroupInternals) {
    groups.get(this.cluster)?.connected(this);
    return connect.call(this);
  };
}

/**
 * A joining that fails between its two requests leaves the client fetching what it had before. Its heartbeats name the new generation, so
 * the group goes on counting it as a member, and it never asks for its assignment again (docs/decisions/0061).
 */
export function joiningWithWord(joinAndSync: JoinAndSync): JoinAndSync {
  return async function joinAndSyncWithWord(this: ConsumerGroupInternals) {
    try {
      await joinAndSync.call(this);
      groups.get(this.cluster)?.synced();
    } catch (thrown) {
      groups.get(this.cluster)?.joiningFailed(thrown);
      throw thrown;
    }
  };
}

/** When one broker's fetch makes the client join again, the others' are still under way, at the offsets of before. */
export function fetchingInOneGeneration(fetch: Fetch): Fetch {
  return async function fetchInOneGeneration(this: ConsumerGroupInternals, nodeId) {
    const manager = this.offsetManager;
    const batches = await fetch.call(this, nodeId);
    if (manager === null || manager !== this.offsetManager) return [];
    for (const batch of batches) fetchedBy.set(batch, manager);
    return batches;
  };
}

/**
 * The client answers "out of range" by beginning again at the log's start. Said here first: how much is gone, when retention was faster.
 * And where the offset is in the log, its leader has just become one, or is none any more: it is asked again.
 */
export function recovering(recover: Recover): Recover {
  return async function recoverWithWord(this: ConsumerGroupInternals, outOfRange: OutOfRange) {
    const { topic, partition } = outOfRange;
    const fromOffset = Number(String(this.offsetManager?.nextOffset(topic, partition)));
    const toOffset = await boundOf(this.cluster, outOfRange, true);
    const isInTheLog =
      fromOffset >= toOffset && fromOffset <= (await boundOf(this.cluster, outOfRange, false));
    if (isInTheLog) return this.cluster.refreshMetadata();
    if (fromOffset < toOffset)
      groups.get(this.cluster)?.recordsGone({ topic, partition, fromOffset, toOffset });
    return recover.call(this, outOfRange);
  };
}

async function boundOf(
  cluster: kafkajs.Cluster,
  { topic, partition }: OutOfRange,
  fromBeginning: boolean,
): Promise<number> {
  const [answer] = await cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning }]);
  return Number(answer?.partitions[0]?.offset);
}

const INSTALLED = Symbol.for("hookline.client-group");

/** Lets our code see and mend the client's side of its groups. Safe to call again. */
export function installClientGroup(): void {
  const target: ConsumerGroupInternals & { [INSTALLED]?: true } = ConsumerGroup.prototype;
  if (target[INSTALLED] === true) return;
  target[INSTALLED] = true;
  target.connect = connecting(target.connect);
  target.joinAndSync = joiningWithWord(target.joinAndSync);
  target.fetch = fetchingInOneGeneration(target.fetch);
  target.recoverFromOffsetOutOfRange = recovering(target.recoverFromOffsetOutOfRange);
}
