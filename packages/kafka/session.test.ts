import { describe, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import { coPartitionedAssigner } from "./assigner-protocol.ts";
import type { FetchedBatch, Join, Session, SessionHandlers } from "./session.ts";
import { sessionFactory } from "./session.ts";

type Listener = (event: { payload: object }) => void;

/** A consumer of the client's, as far as a session uses it. */
class StubConsumer {
  readonly events = {
    GROUP_JOIN: "join",
    REBALANCING: "rebalancing",
    CRASH: "crash",
    FETCH_START: "fetch",
    REQUEST: "request",
    HEARTBEAT: "heartbeat",
  };
  readonly listeners = new Map<string, Listener>();
  config: kafkajs.ConsumerConfig | undefined;
  subscribed: kafkajs.ConsumerSubscribeTopics | undefined;
  running: kafkajs.ConsumerRunConfig | undefined;
  commitsOfTheConsumer = 0;
  hasJoined = false;
  readonly paused: unknown[] = [];

  on(event: string, listener: Listener): void {
    this.listeners.set(event, listener);
  }

  emit(event: string, payload: object): void {
    this.listeners.get(event)?.({ payload });
  }

  async connect(): Promise<void> {
    this.emit("fetch", {});
  }

  async subscribe(topics: kafkajs.ConsumerSubscribeTopics): Promise<void> {
    this.subscribed = topics;
  }

  async run(config: kafkajs.ConsumerRunConfig): Promise<void> {
    this.running = config;
  }

  /** Throws before the join, as the client's does. */
  pause(paused: unknown): void {
    if (!this.hasJoined) throw new Error("Consumer group was not initialized");
    this.paused.push(paused);
  }

  async commitOffsets(): Promise<void> {
    this.commitsOfTheConsumer += 1;
  }
}

interface Bench {
  readonly consumer: StubConsumer;
  readonly session: Session;
  readonly joins: Join[];
  readonly batches: FetchedBatch[];
  readonly crashes: unknown[];
  readonly answered: number[];
}

async function openBench(handlers: Partial<SessionHandlers> = {}): Promise<Bench> {
  const consumer = new StubConsumer();
  const client = {
    consumer(config: kafkajs.ConsumerConfig) {
      consumer.config = config;
      return consumer;
    },
  } as unknown as kafkajs.Kafka;
  const [joins, batches, crashes, answered]: [Join[], FetchedBatch[], unknown[], number[]] = [[], [], [], []];
  const session = sessionFactory(client, { now: () => 42 })(
    {
      groupId: "g",
      topics: ["t"],
      sessionTimeoutMs: 6_000,
      rebalanceTimeoutMs: 10_000,
      assigner: coPartitionedAssigner(() => ({ partitions: [], assignedAtMs: 0 })),
    },
    {
      onJoin: (join) => joins.push(join),
      onAnswered: (askedAtMs) => answered.push(askedAtMs),
      onRebalancing: () => undefined,
      onBatch: (batch) => void batches.push(batch),
      onCrash: (error) => crashes.push(error),
      ...handlers,
    },
  );
  await session.open();
  return { consumer, session, joins, batches, crashes, answered };
}

const message = { offset: "7", key: Buffer.from("k"), value: Buffer.from("v"), timestamp: "1700000000000" };

/** What the client calls `eachBatch` with. */
function payload(
  commits: unknown[],
  commit: () => Promise<void> = async () => undefined,
): kafkajs.EachBatchPayload {
  return {
    batch: { topic: "t", partition: 3, messages: [message], lastOffset: () => "9" },
    commitOffsetsIfNecessary: (offsets: unknown) => {
      commits.push(offsets);
      return commit();
    },
  } as unknown as kafkajs.EachBatchPayload;
}

describe("session", () => {
  test("it reads from the beginning where there is no offset, and commits nothing by itself (fact 8)", async () => {
    const { consumer } = await openBench();
    expect(consumer.subscribed).toEqual({ topics: ["t"], fromBeginning: true });
    expect(consumer.running?.autoCommit).toBe(false);
  });

  test("a pause ends a quarter of a second after its resume at the latest (fact 9)", async () => {
    const { consumer } = await openBench();
    expect(consumer.config?.maxWaitTimeInMs).toBeLessThanOrEqual(250);
  });

  test("a pause before the join does nothing, for a session can be stopped while it still tries to join", async () => {
    const { consumer, session } = await openBench();
    session.setPaused({ topic: "t", partition: 1 }, true);
    expect(consumer.paused).toEqual([]);
    consumer.hasJoined = true;
    consumer.emit("join", { memberId: "m", memberAssignment: { t: [1] } });
    session.setPaused({ topic: "t", partition: 1 }, true);
    expect(consumer.paused).toEqual([[{ topic: "t", partitions: [1] }]]);
  });

  test("the client does not start a crashed consumer again by itself (fact 13)", async () => {
    const { consumer } = await openBench();
    expect(await consumer.config?.retry?.restartOnFailure?.(new Error("crash"))).toBe(false);
  });

  test("a member is asked for often enough to be missed within its session", async () => {
    const { consumer } = await openBench();
    expect(consumer.config).toMatchObject({
      sessionTimeout: 6_000,
      rebalanceTimeout: 10_000,
      heartbeatInterval: 500,
    });
  });

  test("a heartbeat counts from when it was asked, however late its answer is read", async () => {
    const { answered, consumer } = await openBench();
    consumer.emit("join", { memberId: "m", memberAssignment: {} });
    consumer.emit("request", { apiName: "Heartbeat", sentAt: 100 });
    consumer.emit("request", { apiName: "Fetch", sentAt: 200 });
    expect(answered).toEqual([42]);
    consumer.emit("heartbeat", {});
    expect(answered).toEqual([42, 100]);
  });

  test("batches arrive as records, with where the next fetch goes on", async () => {
    const { consumer, batches } = await openBench();
    await consumer.running?.eachBatch?.(payload([]));
    expect(batches).toEqual([
      {
        topic: "t",
        partition: 3,
        nextOffset: 10,
        records: [
          {
            topic: "t",
            partition: 3,
            offset: 7,
            key: "k",
            value: message.value,
            timestampMs: 1_700_000_000_000,
          },
        ],
      },
    ]);
  });

  test("an assignment is told partition by partition", async () => {
    const { consumer, joins } = await openBench();
    consumer.emit("join", { memberId: "me", memberAssignment: { t: [0, 2] } });
    expect(joins).toEqual([
      {
        memberId: "me",
        assigned: [
          { topic: "t", partition: 0 },
          { topic: "t", partition: 2 },
        ],
      },
    ]);
  });

  test("a commit is tried once, in the generation of now, never by the consumer's repeating one (fact 7)", async () => {
    const { consumer, session } = await openBench();
    const commits: unknown[] = [];
    const fail = (): Promise<void> => Promise.reject(new Error("rebalancing"));
    await consumer.running?.eachBatch?.(payload(commits, fail));
    await expect(session.commit([{ topic: "t", partition: 3, offset: 8 }])).rejects.toMatchObject({
      name: "KafkaError",
    });
    expect(commits).toEqual([{ topics: [{ topic: "t", partitions: [{ partition: 3, offset: "8" }] }] }]);
    expect(consumer.commitsOfTheConsumer).toBe(0);
  });

  test("a crash is told with what can be done about it", async () => {
    const { consumer, crashes } = await openBench();
    consumer.emit("crash", { error: Object.assign(new Error("lost"), { name: "KafkaJSConnectionError" }) });
    expect(crashes).toEqual([expect.objectContaining({ code: "unavailable", canRetry: true })]);
  });
});
