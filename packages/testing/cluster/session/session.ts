import {
  type CommittedOffset,
  fromClientError,
  type PartitionOffset,
  type Session,
  type TopicPartition,
} from "#kafka";
import { ClusterError, nameOf, refusalOf } from "../errors.ts";
import { type Batch, ConsumerGroup, type ConsumerGroupParts } from "./consumer-group.ts";
import { Fetchers } from "./fetchers.ts";
import { isRebalancing } from "./membership.ts";
import { Bail, retrying } from "./retrier.ts";

/** The client's runner, and what the product's session makes of its beginning and end (packages/kafka/protocol/client-session.ts). */
export class SimulatedSession implements Session {
  readonly #parts: ConsumerGroupParts;
  readonly #group: ConsumerGroup;
  readonly #fetchers: Fetchers;
  #isRunning = false;
  #isStopping = false;
  /** Settles when it has joined for the first time, or has given that up. */
  #joining: Promise<void> | undefined;
  #hasJoined = false;
  #consuming: Promise<void> = Promise.resolve();
  #lastActiveElapsedMs: number;

  constructor(parts: ConsumerGroupParts) {
    const handlers = {
      ...bound(parts.handlers),
      onRebalancing: async () => {
        this.#endIfStopping();
        await parts.handlers.onRebalancing();
        this.#endIfStopping();
      },
      onJoin: (join: Parameters<typeof parts.handlers.onJoin>[0]) => {
        this.#lastActiveElapsedMs = parts.connection.host.elapsed();
        this.#hasJoined = true;
        parts.handlers.onJoin(join);
      },
    };
    this.#parts = parts;
    this.#lastActiveElapsedMs = parts.connection.host.elapsed();
    this.#group = new ConsumerGroup({ ...parts, handlers });
    this.#fetchers = new Fetchers({
      brokerIds: () => this.#group.brokerIds,
      fetch: (broker, isWanted) => this.#fetch(broker, isWanted),
      handle: (batch) => this.#handle(batch),
      endWaits: (when) => this.#group.endWaits(when),
    });
  }

  get lastActiveElapsedMs(): number {
    return this.#lastActiveElapsedMs;
  }

  async open(): Promise<void> {
    try {
      await this.#group.connect();
      this.#endIfStopping();
    } catch (thrown) {
      throw fromClientError(thrown);
    }
    this.#joining = this.#begin();
    await this.#joining;
  }

  async #begin(): Promise<void> {
    try {
      await this.#group.joinAndSync();
    } catch (thrown) {
      await this.#crash(thrown);
      return;
    }
    this.#isRunning = true;
    this.#consuming = this.#consume();
  }

  setPaused(partition: TopicPartition, paused: boolean): void {
    if (this.#hasJoined) this.#group.pause(partition, paused);
  }

  seek({ topic, partition, offset }: PartitionOffset): void {
    this.#group.seek({ topic, partition }, offset);
  }

  rejoin(): void {
    this.#group.rejoin();
  }

  async commit(positions: readonly CommittedOffset[]): Promise<boolean> {
    try {
      return await this.#group.commit(positions);
    } catch (thrown) {
      throw fromClientError(thrown);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#group.end();
    await this.#joining;
    await this.#stop(true);
  }

  #endIfStopping(): void {
    if (this.#isStopping) throw ClusterError.final(new Error("the consumer is stopped"));
  }

  async #stop(waits: boolean): Promise<void> {
    if (this.#isRunning) {
      this.#isRunning = false;
      await this.#fetchers.stop();
      if (waits) await this.#consuming;
      await this.#group.leave().catch(() => undefined);
    }
    this.#group.disconnect();
  }

  async #crash(thrown: unknown): Promise<void> {
    await this.#stop(false);
    this.#parts.handlers.onCrash(fromClientError(thrown));
  }

  /** Rounds of fetching, each until the group rebalances; a failure is tried again a few times. */
  async #consume(): Promise<void> {
    try {
      while (this.#isRunning) await retrying(this.#parts.connection.host, () => this.#round());
    } catch (thrown) {
      void this.#crash(thrown);
    }
  }

  async #round(): Promise<void> {
    if (!this.#isRunning) return;
    try {
      await this.#fetchers.run();
    } catch (thrown) {
      if (refusalOf(thrown) === "UNKNOWN_MEMBER_ID") this.#group.forgetMember();
      else if (nameOf(thrown) === "KafkaJSNoBrokerAvailableError") throw new Bail(thrown);
      else if (!isRebalancing(thrown)) throw thrown;
      await this.#group.joinAndSync();
    }
  }

  async #fetch(broker: number, isWanted: () => boolean): Promise<readonly Batch[]> {
    if (!this.#isRunning) return this.#stopAgain();
    this.#lastActiveElapsedMs = this.#parts.connection.host.elapsed();
    const batches = await this.#group.fetch(broker, isWanted);
    if (batches.length === 0) await this.#group.heartbeat();
    return batches;
  }

  /** Of fetchers that were created again while it was stopped: packages/kafka/protocol/runner-patch.ts. */
  async #stopAgain(): Promise<readonly Batch[]> {
    const { promise: nextTurn, resolve } = Promise.withResolvers<void>();
    this.#parts.connection.host.setImmediate(resolve);
    await nextTurn;
    void this.#fetchers.stop();
    return [];
  }

  /** A batch may have been asked for in an earlier generation: it says so. One of an earlier join in the same generation is dropped. */
  async #handle(batch: Batch): Promise<void> {
    if (!this.#isRunning) return;
    const { topic, partition, records, nextOffset, places } = batch;
    const current = this.#group.places;
    if (places !== current && places.generation === current?.generation) return;
    const { generation } = places;
    const taken = this.#parts.handlers.onBatch({ topic, partition, generation, records, nextOffset });
    this.#group.resolved(batch);
    await taken;
    await this.#group.heartbeat();
  }
}

/** The handlers may use `this`. */
function bound(handlers: ConsumerGroupParts["handlers"]): ConsumerGroupParts["handlers"] {
  return {
    onJoin: (join) => handlers.onJoin(join),
    onAnswered: (askedAtMs) => handlers.onAnswered(askedAtMs),
    onRebalancing: () => handlers.onRebalancing(),
    onJoinFailed: () => handlers.onJoinFailed(),
    onBatch: (batch) => handlers.onBatch(batch),
    onCommitsRead: (commits) => handlers.onCommitsRead(commits),
    onRecordsGone: (gone) => handlers.onRecordsGone(gone),
    onLogCut: (cut) => handlers.onLogCut(cut),
    onCrash: (error) => handlers.onCrash(error),
  };
}
