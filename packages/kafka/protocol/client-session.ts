import type kafkajs from "kafkajs";
import type { Host } from "#host";
import { consumerStopped, fromClientError } from "../errors.ts";
import type {
  CommittedOffset,
  NewSession,
  PartitionOffset,
  Session,
  SessionHandlers,
  SessionOptions,
} from "../session.ts";
import type { TopicPartition } from "../types.ts";
import { clientAssigner } from "./client-assigner.ts";
import { ClientGroup } from "./client-group.ts";
import { committedByTopic } from "./committed-offsets.ts";
import { recordsOf } from "./fetched-records.ts";
import { endFetching, endFetchWaits, fetchingAs } from "./group-fetch.ts";
import { joiningWith } from "./joining.ts";

const MAX_FETCH_BYTES = { perPartition: 256 * 1024, total: 4 * 1024 * 1024 };

/** The client's retries never start again from zero in a running consumer; after these it crashes and a new session begins. */
const RETRY = {
  initialRetryTime: 100,
  maxRetryTime: 500,
  multiplier: 2,
  retries: 8,
  restartOnFailure: async () => false,
};

export function sessionFactory(client: kafkajs.Kafka, host: Pick<Host, "now" | "elapsed">): NewSession {
  return (options, handlers) => {
    const group = new ClientGroup({
      onCommitsRead: (commits) => handlers.onCommitsRead(commits),
      onRecordsGone: (gone) => handlers.onRecordsGone(gone),
      onLogCut: (cut) => handlers.onLogCut(cut),
      onSyncFailed: (thrown) => handlers.onCrash(fromClientError(thrown)),
    });
    const stopping = new AbortController();
    const assigner = assignerOf(options, { handlers, group, stopping: stopping.signal });
    const consumer = newConsumer(client, options, assigner);
    return new ClientSession({ consumer, group, options, handlers, host, stopping });
  };
}

interface AssignerParts {
  readonly handlers: SessionHandlers;
  readonly group: ClientGroup;
  readonly stopping: AbortSignal;
}

/** The client hands the inside of a consumer to nobody but its assigner: what else is done there hangs on that. */
function assignerOf(
  { assigner, rejoinAs, topics, unhurriedTopics = [], ...options }: SessionOptions,
  { group, handlers, stopping }: AssignerParts,
): kafkajs.PartitionAssigner {
  const joining = {
    topics,
    rejoinAs,
    before: async () => {
      stopping.throwIfAborted();
      await handlers.onRebalancing();
      stopping.throwIfAborted();
    },
    onFailed: () => handlers.onJoinFailed(),
    onJoined: () => group.joined(),
    onAssigned: (userData: Buffer) => group.assigned(userData),
  };
  const { heartbeatMs, quietHeartbeatMs = heartbeatMs } = options;
  const fetchPauseMs = () => options.fetchPauseMs();
  const habit = { unhurriedTopics, fetchPauseMs, heartbeatMs, quietHeartbeatMs };
  return group.foundBy(fetchingAs(habit, joiningWith(joining, clientAssigner(assigner))));
}

function newConsumer(
  client: kafkajs.Kafka,
  options: SessionOptions,
  assigner: kafkajs.PartitionAssigner,
): kafkajs.Consumer {
  return client.consumer({
    groupId: options.groupId,
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatMs,
    maxBytesPerPartition: MAX_FETCH_BYTES.perPartition,
    maxBytes: MAX_FETCH_BYTES.total,
    allowAutoTopicCreation: false,
    partitionAssigners: [assigner],
    retry: RETRY,
  });
}

interface ClientSessionParts {
  readonly consumer: kafkajs.Consumer;
  readonly group: ClientGroup;
  readonly options: SessionOptions;
  readonly handlers: SessionHandlers;
  readonly host: Pick<Host, "now" | "elapsed">;
  readonly stopping: AbortController;
}

class ClientSession implements Session {
  readonly #consumer: kafkajs.Consumer;
  readonly #parts: ClientSessionParts;
  #lastActiveElapsedMs: number;
  /** The client has a group: it has joined, and has not stopped. */
  #isInGroup = false;
  /** Settles when the client has joined for the first time, or has given that up. */
  #joining: Promise<void> | undefined;

  constructor(parts: ClientSessionParts) {
    this.#consumer = parts.consumer;
    this.#parts = parts;
    this.#lastActiveElapsedMs = parts.host.elapsed();
  }

  get lastActiveElapsedMs(): number {
    return this.#lastActiveElapsedMs;
  }

  async open(): Promise<void> {
    const { options, handlers, stopping } = this.#parts;
    const { signal } = stopping;
    this.#listen(handlers);
    try {
      await this.#consumer.connect();
      signal.throwIfAborted();
      // Reading begins at the log's start, always: an offset out of range falls back to it, and the end would
      // skip records (fact 8).
      await this.#consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
      signal.throwIfAborted();
      this.#joining = this.#run(handlers);
      await this.#joining;
    } catch (thrown) {
      // A connection made after the stop is closed, too.
      if (signal.aborted) await this.#disconnect();
      throw fromClientError(thrown);
    }
  }

  setPaused({ topic, partition }: TopicPartition, paused: boolean): void {
    // Nothing can be paused before the join and after the end: the client throws.
    if (!this.#isInGroup) return;
    const partitions = [{ topic, partitions: [partition] }];
    if (paused) this.#consumer.pause(partitions);
    else this.#consumer.resume(partitions);
  }

  seek({ topic, partition, offset }: PartitionOffset): void {
    this.#consumer.seek({ topic, partition, offset: String(offset) });
  }

  async commit(positions: readonly CommittedOffset[]): Promise<boolean> {
    try {
      return await this.#parts.group.commit({ topics: committedByTopic(positions) });
    } catch (thrown) {
      throw fromClientError(thrown);
    }
  }

  rejoin(): void {
    const { group } = this.#parts;
    group.rejoin();
    if (group.cluster !== undefined) endFetchWaits(group.cluster);
  }

  /**
   * The client goes on with a join whatever is stopped or closed meanwhile, and then is a member that nobody hears, with partitions
   * that nobody else gets. So it is waited for, and leaves; no further try to join begins.
   */
  async stop(): Promise<void> {
    this.#parts.group.end();
    this.#parts.stopping.abort(consumerStopped());
    await this.#joining?.catch(() => undefined);
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const { cluster } = this.#parts.group;
    // It says at once that it stops, and then waits for the fetches that are under way.
    const disconnected = this.#consumer.disconnect();
    if (cluster !== undefined) endFetching(cluster);
    await disconnected.catch(() => undefined);
  }

  #run(handlers: SessionHandlers): Promise<void> {
    return this.#consumer.run({
      autoCommit: false,
      // It would count a batch of before a rejoin as read after it.
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 1,
      eachBatch: (payload) => this.#handle(payload, handlers),
    });
  }

  #listen(handlers: SessionHandlers): void {
    const { host, group } = this.#parts;
    const { GROUP_JOIN, STOP, CRASH, FETCH_START } = this.#consumer.events;
    this.#listenToHeartbeats(handlers);
    this.#consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#lastActiveElapsedMs = host.elapsed();
      this.#isInGroup = true;
      group.forgetSeeks();
      handlers.onAnswered(host.now());
      const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      const { generation, userData } = group;
      handlers.onJoin({ memberId: payload.memberId, generation, assigned, userData });
    });
    // A client that crashes stops first; it says why when every request under way is answered.
    this.#consumer.on(STOP, () => {
      this.#isInGroup = false;
    });
    this.#consumer.on(CRASH, ({ payload }) => handlers.onCrash(fromClientError(payload.error)));
    this.#consumer.on(FETCH_START, () => {
      this.#lastActiveElapsedMs = host.elapsed();
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
    const { batch, resolveOffset } = payload;
    const { group } = this.#parts;
    const generation = group.generationOf(batch);
    if (generation === undefined) return;
    const taken = handlers.onBatch({
      topic: batch.topic,
      partition: batch.partition,
      generation,
      nextOffset: Number(batch.lastOffset()) + 1,
      records: recordsOf(batch),
    });
    if (generation === group.generation) resolveOffset(batch.lastOffset());
    await taken;
  }
}
