// One consumer's side of its group, inside the client; client-group-patch.ts leads the client to it.
import type kafkajs from "kafkajs";
import type {
  ConsumerGroupInternals,
  FetchedOffsets,
  OffsetManagerInternals,
} from "kafkajs/src/consumer/consumerGroup.js";
import errors from "kafkajs/src/protocol/error.js";
import type { CommittedOffset, LogCut, RecordsGone } from "../session.ts";
import { CoordinatorSearch } from "./coordinator-search.ts";

/** Kafka's code: what a heartbeat is answered in a rebalance. */
const REBALANCE_IN_PROGRESS = 27;

/** Groups by the consumer's cluster, which is all that its assigner and its group have in common. */
const groups = new WeakMap<object, ClientGroup>();

/** Undefined for a cluster whose assigner was not asked yet. */
export const groupOf = (cluster: object): ClientGroup | undefined => groups.get(cluster);

/** The manager of offsets under which each batch was fetched: the client creates a new one at every join. */
export const fetchedBy = new WeakMap<object, OffsetManagerInternals>();

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
  readonly search: CoordinatorSearch;
  #internals: ConsumerGroupInternals | undefined;
  /** A join was answered, and the assignment was not heard of yet. */
  #isSyncing = false;
  #joining: Promise<void> | undefined;
  /** How often it was asked to join again, and how many of that a join has answered. */
  readonly #rejoins = { asked: 0, done: 0 };
  #isOver = false;
  #userData: Buffer = Buffer.alloc(0);

  constructor(handlers: ClientGroupHandlers, search = new CoordinatorSearch()) {
    this.#handlers = handlers;
    this.search = search;
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

  /** A request to the coordinator has failed. False: the coordinator itself refused it. */
  coordinatorFailed(thrown: unknown): boolean {
    return this.#internals !== undefined && this.search.begin(this.#internals, thrown);
  }

  /** Joins, or waits for the join that is under way: fetches from several brokers find at once that they have to. */
  joinOnce(join: () => Promise<void>): Promise<void> {
    this.#joining ??= this.#join(join).finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  async #join(join: () => Promise<void>): Promise<void> {
    const { asked } = this.#rejoins;
    await join();
    this.#rejoins.done = asked;
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
    this.search.end();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The next fetch begins with a join. */
  rejoin(): void {
    this.#rejoins.asked += 1;
  }

  /**
   * Throws what has the client join again, until it has: of several brokers' fetches the client hears the first that fails, which may have another
   * reason.
   */
  rejoinIfAsked(): void {
    if (this.#rejoins.asked === this.#rejoins.done) return;
    throw errors.createErrorFromCode(REBALANCE_IN_PROGRESS);
  }

  /** The client has given a joining up. */
  joiningFailed(error: unknown): void {
    if (this.#isSyncing) this.#handlers.onSyncFailed(error);
    this.#isSyncing = false;
    this.coordinatorFailed(error);
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
