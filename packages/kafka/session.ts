import type kafkajs from "kafkajs";
import type { Host } from "#host";
import type { GroupAssigner } from "./assigner-protocol.ts";
import { clientAssigner } from "./client-assigner.ts";
import { fromClientError, type KafkaError } from "./errors.ts";
import { recordsOf } from "./fetched-records.ts";
import { unhurriedAt } from "./group-fetch.ts";
import { rejoiningAs } from "./rejoin.ts";
import type { RawRecord, TopicPartition } from "./types.ts";

/** How late a resume takes effect at most, because pauses change at the next fetch only (fact 9). Data ends the wait at once. */
const MAX_FETCH_WAIT_MS = 250;
/** Also how late the others learn that a member is gone. */
const HEARTBEAT_MS = 500;
const MAX_FETCH_BYTES = { perPartition: 256 * 1024, total: 4 * 1024 * 1024 };

/** The client's retries never start again from zero in a running consumer; after these it crashes and a new session begins. */
const RETRY = {
  initialRetryTime: 100,
  maxRetryTime: 500,
  multiplier: 2,
  retries: 8,
  restartOnFailure: async () => false,
};

export interface SessionOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly unhurriedTopics?: readonly string[] | undefined;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly assigner: GroupAssigner;
  /** The member that a lost session was, to come back as. */
  readonly rejoinAs?: string | undefined;
}

export interface Join {
  readonly memberId: string;
  readonly assigned: readonly TopicPartition[];
}

export interface FetchedBatch extends TopicPartition {
  readonly records: readonly RawRecord[];
  /** Where the next fetch goes on: behind the last record, also when records between were removed. */
  readonly nextOffset: number;
}

/** All are called synchronously by the client's loop; `onJoin` before the first fetch of the new generation. */
export interface SessionHandlers {
  onJoin(join: Join): void;
  /** The group's coordinator has answered that this is a member of it; it was asked at this time, Unix ms. */
  onAnswered(askedAtMs: number): void;
  /** The group is about to rebalance; commits are still accepted. */
  onRebalancing(): void;
  /** A promise holds back the next fetch: only for readers that have nothing else to do. */
  onBatch(batch: FetchedBatch): void | Promise<void>;
  /** The session is over. */
  onCrash(error: KafkaError): void;
}

export interface PartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** One membership in a consumer group, until it crashes or is stopped. */
export interface Session {
  /** Resolves when the group was joined, or when the consumer crashed trying (`onCrash` was called). */
  open(): Promise<void>;
  setPaused(partition: TopicPartition, paused: boolean): void;
  /** From the next fetch on. */
  seek(position: PartitionOffset): void;
  /** One try, in the current generation. Rejects with a KafkaError. */
  commit(positions: readonly PartitionOffset[]): Promise<void>;
  /** When the loop last went round. */
  readonly lastActiveMs: number;
  /** Leaves the group. */
  stop(): Promise<void>;
}

export type NewSession = (options: SessionOptions, handlers: SessionHandlers) => Session;

export function sessionFactory(client: kafkajs.Kafka, host: Pick<Host, "now">): NewSession {
  return (options, handlers) =>
    new ClientSession({ consumer: newConsumer(client, options), options, handlers, host });
}

function newConsumer(client: kafkajs.Kafka, options: SessionOptions): kafkajs.Consumer {
  return client.consumer({
    groupId: options.groupId,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: MAX_FETCH_WAIT_MS,
    maxBytesPerPartition: MAX_FETCH_BYTES.perPartition,
    maxBytes: MAX_FETCH_BYTES.total,
    allowAutoTopicCreation: false,
    partitionAssigners: [
      unhurriedAt(
        options.unhurriedTopics ?? [],
        rejoiningAs(options.rejoinAs, clientAssigner(options.assigner)),
      ),
    ],
    retry: RETRY,
  });
}

interface ClientSessionParts {
  readonly consumer: kafkajs.Consumer;
  readonly options: SessionOptions;
  readonly handlers: SessionHandlers;
  readonly host: Pick<Host, "now">;
}

class ClientSession implements Session {
  readonly #consumer: kafkajs.Consumer;
  readonly #parts: ClientSessionParts;
  /** The batch payload's own commit: a single try, unlike the consumer's, which may repeat it in a later generation (fact 7). */
  #commit: kafkajs.EachBatchPayload["commitOffsetsIfNecessary"] | undefined;
  #lastActiveMs: number;
  #hasJoined = false;

  constructor(parts: ClientSessionParts) {
    this.#consumer = parts.consumer;
    this.#parts = parts;
    this.#lastActiveMs = parts.host.now();
  }

  get lastActiveMs(): number {
    return this.#lastActiveMs;
  }

  async open(): Promise<void> {
    const { options, handlers } = this.#parts;
    this.#listen(handlers);
    try {
      await this.#consumer.connect();
      // From the beginning, always: an offset out of range falls back to it, and the end would skip records (fact 8).
      await this.#consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
      await this.#consumer.run({
        autoCommit: false,
        partitionsConsumedConcurrently: 1,
        eachBatch: (payload) => this.#handle(payload, handlers),
      });
    } catch (thrown) {
      throw fromClientError(thrown);
    }
  }

  setPaused({ topic, partition }: TopicPartition, paused: boolean): void {
    // Before the join there is nothing to pause, and the client throws.
    if (!this.#hasJoined) return;
    const partitions = [{ topic, partitions: [partition] }];
    if (paused) this.#consumer.pause(partitions);
    else this.#consumer.resume(partitions);
  }

  seek({ topic, partition, offset }: PartitionOffset): void {
    this.#consumer.seek({ topic, partition, offset: String(offset) });
  }

  async commit(positions: readonly PartitionOffset[]): Promise<void> {
    if (this.#commit === undefined || positions.length === 0) return;
    const byTopic = Map.groupBy(positions, ({ topic }) => topic);
    const topics = Array.from(byTopic, ([topic, ofTopic]) => ({
      topic,
      partitions: ofTopic.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
    }));
    try {
      await this.#commit({ topics });
    } catch (thrown) {
      throw fromClientError(thrown);
    }
  }

  async stop(): Promise<void> {
    await this.#consumer.disconnect().catch(() => undefined);
  }

  #listen(handlers: SessionHandlers): void {
    const { host } = this.#parts;
    const { GROUP_JOIN, REBALANCING, CRASH, FETCH_START } = this.#consumer.events;
    this.#listenToHeartbeats(handlers);
    this.#consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#lastActiveMs = host.now();
      this.#hasJoined = true;
      handlers.onAnswered(this.#lastActiveMs);
      const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      handlers.onJoin({ memberId: payload.memberId, assigned });
    });
    this.#consumer.on(REBALANCING, () => handlers.onRebalancing());
    this.#consumer.on(CRASH, ({ payload }) => handlers.onCrash(fromClientError(payload.error)));
    this.#consumer.on(FETCH_START, () => {
      this.#lastActiveMs = host.now();
    });
  }

  /** A process that was frozen meanwhile reads an old answer: what counts is when it asked. */
  #listenToHeartbeats(handlers: SessionHandlers): void {
    const { REQUEST, HEARTBEAT } = this.#consumer.events;
    let askedAtMs = 0;
    this.#consumer.on(REQUEST, ({ payload }) => {
      if (payload.apiName === "Heartbeat") askedAtMs = payload.sentAt;
    });
    this.#consumer.on(HEARTBEAT, () => handlers.onAnswered(askedAtMs));
  }

  async #handle(payload: kafkajs.EachBatchPayload, handlers: SessionHandlers): Promise<void> {
    const { batch } = payload;
    this.#commit = payload.commitOffsetsIfNecessary;
    await handlers.onBatch({
      topic: batch.topic,
      partition: batch.partition,
      nextOffset: Number(batch.lastOffset()) + 1,
      records: recordsOf(batch),
    });
  }
}
