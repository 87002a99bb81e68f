import type kafkajs from "kafkajs";
import ConsumerGroup, {
  type ConsumerGroupInternals,
  type FetchedOffsets,
  type OffsetManagerInternals,
  type OutOfRange,
} from "kafkajs/src/consumer/consumerGroup.js";
import OffsetManager from "kafkajs/src/consumer/offsetManager/index.js";
import errors from "kafkajs/src/protocol/error.js";
import type { CommittedOffset, LogCut, RecordsGone } from "../session.ts";

/** Kafka's code: what a heartbeat is answered in a rebalance. */
const REBALANCE_IN_PROGRESS = 27;

/** Groups by the consumer's cluster, which is all that its assigner and its group have in common. */
const groups = new WeakMap<object, ClientGroup>();

/** The manager of offsets under which each batch was fetched: the client creates a new one at every join. */
const fetchedBy = new WeakMap<object, OffsetManagerInternals>();

export interface ClientGroupHandlers {
  onLogCut(cut: LogCut): number | undefined;
  onCommitsRead(commits: readonly CommittedOffset[]): void;
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
  #joining: Promise<void> | undefined;
  #isToRejoin = false;
  #isOver = false;
  #userData: Buffer = Buffer.alloc(0);

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

  /** Undefined before the client has connected. */
  get cluster(): kafkajs.Cluster | undefined {
    return this.#internals?.cluster;
  }

  /** The time from which on records are to be read; undefined for all. */
  logCut(cut: LogCut): number | undefined {
    return this.#handlers.onLogCut(cut);
  }

  recordsGone(gone: RecordsGone): void {
    this.#handlers.onRecordsGone(gone);
  }

  /** Reports the commits that the newest join read. An earlier join's late answer may be outdated. */
  commitsRead(manager: OffsetManagerInternals, answer: FetchedOffsets): void {
    if (manager !== this.#internals?.offsetManager) return;
    const commits = answer.responses.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset, metadata }) => ({
        topic,
        partition,
        offset: Number(offset),
        metadata: metadata ?? undefined,
      })),
    );
    this.#handlers.onCommitsRead(commits);
  }

  /** Joins, or waits for the join that is under way: fetches from several brokers find at once that they have to. */
  joinOnce(join: () => Promise<void>): Promise<void> {
    this.#joining ??= join().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  /** The request to join was answered. */
  joined(): void {
    this.#isSyncing = true;
  }

  synced(): void {
    this.#isSyncing = false;
  }

  /** The user data that the leader's assigner sent at the newest join. */
  get userData(): Buffer {
    return this.#userData;
  }

  assigned(userData: Buffer): void {
    this.#userData = userData;
  }

  /** The session is being stopped: nobody hears any more what has become of a log, so no place in one is given up. */
  end(): void {
    this.#isOver = true;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The next fetch begins with a join. */
  rejoin(): void {
    this.#isToRejoin = true;
  }

  /** Throws what has the client join again, once for each time that it was asked for. */
  rejoinIfAsked(): void {
    if (!this.#isToRejoin) return;
    this.#isToRejoin = false;
    throw errors.createErrorFromCode(REBALANCE_IN_PROGRESS);
  }

  /** The client has given a joining up. */
  joiningFailed(error: unknown): void {
    if (this.#isSyncing) this.#handlers.onSyncFailed(error);
    this.#isSyncing = false;
  }

  /** The generation of the newest join; 0 before the first. */
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

  /** Forgets seeks: this generation does not begin where an earlier one wanted to read. */
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
type GetCoordinator = OffsetManagerInternals["getCoordinator"];

/** Exported for its tests, as the next three. */
export function connecting(connect: ConsumerGroupInternals["connect"]): ConsumerGroupInternals["connect"] {
  return function connectKnown(this: ConsumerGroupInternals) {
    groups.get(this.cluster)?.connected(this);
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
    const group = groups.get(this.cluster);
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
    groups.get(this.cluster)?.rejoinIfAsked();
    const manager = this.offsetManager;
    const batches = await fetch.call(this, nodeId);
    if (manager === null || manager !== this.offsetManager) return [];
    for (const batch of batches) fetchedBy.set(batch, manager);
    return batches;
  };
}

/**
 * Wraps the client's recovery, which answers "out of range" by beginning again at the log's start. Reports
 * first how much is gone, when retention was faster. An offset that is in the log is asked for again: its
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
    const group = groups.get(this.cluster);
    const startOffset = await offsetOf(this.cluster, outOfRange, { fromBeginning: true });
    const endOffset = await offsetOf(this.cluster, outOfRange, { fromBeginning: false });
    if (manager !== this.offsetManager || group?.isOver === true) return;
    if (fromOffset < startOffset) {
      group?.recordsGone({ topic, partition, fromOffset, toOffset: startOffset });
      return recover.call(this, outOfRange);
    }
    if (fromOffset <= endOffset) return this.cluster.refreshMetadata();
    const fromTimestamp = group?.logCut({ topic, partition, fromOffset, startOffset, endOffset });
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

/** The client keeps a commit's offset and drops its metadata: what the coordinator answers is told here first. */
function tellingCommits(getCoordinator: GetCoordinator): GetCoordinator {
  return async function getCoordinatorThatTells(this: OffsetManagerInternals) {
    const broker = await getCoordinator.call(this);
    const offsetFetch = async (request: object): Promise<FetchedOffsets> => {
      const answer = await broker.offsetFetch(request);
      groups.get(this.cluster)?.commitsRead(this, answer);
      return answer;
    };
    // The same broker in everything but this.
    return Object.create(broker, { offsetFetch: { value: offsetFetch } }) as typeof broker;
  };
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
  OffsetManager.prototype.getCoordinator = tellingCommits(OffsetManager.prototype.getCoordinator);
}
