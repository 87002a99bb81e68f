import { describe, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import { TestHost } from "#testing/host";
import { coPartitionedAssigner, NO_ASSIGNMENT } from "../consuming/assigner-protocol.ts";
import { StubClientGroup } from "../fixtures/stub-client-group.ts";
import type { FetchedBatch, Join, LogCut, RecordsGone, Session, SessionHandlers } from "../session.ts";
import { sessionFactory } from "./client-session.ts";
import { pacedFetch, pacedHeartbeat } from "./group-fetch.ts";

type Listener = (event: { payload: object }) => void;

/** A consumer of the client's, as far as a session uses it. */
class StubConsumer {
  readonly events = {
    GROUP_JOIN: "join",
    STOP: "stop",
    CRASH: "crash",
    FETCH_START: "fetch",
    REQUEST: "request",
    HEARTBEAT: "heartbeat",
  };
  readonly listeners = new Map<string, Listener>();
  config: kafkajs.ConsumerConfig | undefined;
  subscribed: kafkajs.ConsumerSubscribeTopics | undefined;
  running: kafkajs.ConsumerRunConfig | undefined;
  connects: Promise<void> = Promise.resolve();
  joins: Promise<void> = Promise.resolve();
  disconnects = 0;
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
    await this.connects;
  }

  async subscribe(topics: kafkajs.ConsumerSubscribeTopics): Promise<void> {
    this.subscribed = topics;
  }

  /** Takes as long as `joins`, as the client's first join. */
  async run(config: kafkajs.ConsumerRunConfig): Promise<void> {
    this.running = config;
    await this.joins;
  }

  async disconnect(): Promise<void> {
    this.disconnects += 1;
  }

  /** Throws where it has no group, as the client's does. */
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
  /** The client's side of the group, connected and joined in its fifth generation. */
  readonly group: StubClientGroup;
  readonly session: Session;
  readonly joins: Join[];
  readonly batches: FetchedBatch[];
  readonly crashes: unknown[];
  readonly answered: number[];
  readonly gone: RecordsGone[];
  readonly cuts: LogCut[];
}

async function openBench(handlers: Partial<SessionHandlers> = {}): Promise<Bench> {
  const bench = newBench(handlers);
  await bench.session.open();
  await bench.group.connect();
  bench.group.join(5);
  return bench;
}

let elapsedMs = 0;

/** A bench whose session is not opened yet. */
function newBench(handlers: Partial<SessionHandlers> = {}): Bench {
  const consumer = new StubConsumer();
  const group = new StubClientGroup();
  const gone: RecordsGone[] = [];
  const cuts: LogCut[] = [];
  const client = {
    consumer(config: kafkajs.ConsumerConfig) {
      consumer.config = config;
      config.partitionAssigners?.[0]?.({
        cluster: group.cluster,
        groupId: "g",
        logger: {} as kafkajs.Logger,
      });
      return consumer;
    },
  } as unknown as kafkajs.Kafka;
  const [joins, batches, crashes, answered]: [Join[], FetchedBatch[], unknown[], number[]] = [[], [], [], []];
  const session = sessionFactory(client, { now: () => 42, elapsed: () => elapsedMs })(
    {
      groupId: "g",
      topics: ["t"],
      sessionTimeoutMs: 6_000,
      fetchPauseMs: () => 3,
      heartbeatMs: 700,
      quietHeartbeatMs: 1_900,
      rebalanceTimeoutMs: 10_000,
      assigner: coPartitionedAssigner(() => ({ ...NO_ASSIGNMENT, busy: [] })),
    },
    {
      onJoin: (join) => joins.push(join),
      onAnswered: (askedAtMs) => answered.push(askedAtMs),
      onRebalancing: async () => undefined,
      onJoinFailed: () => undefined,
      onCommitsRead: () => undefined,
      onLogCut: (cut) => {
        cuts.push(cut);
        return undefined;
      },
      onRecordsGone: (each) => void gone.push(each),
      onBatch: (batch) => void batches.push(batch),
      onCrash: (error) => crashes.push(error),
      ...handlers,
    },
  );
  return { consumer, group, session, joins, batches, crashes, answered, gone, cuts };
}

const message = { offset: "7", key: Buffer.from("k"), value: Buffer.from("v"), timestamp: "1700000000000" };

/** The answer of a fetch of the client's. */
const fetched = {
  topic: "t",
  partition: 3,
  rawMessages: [message],
  messages: [message],
  lastOffset: () => "9",
};

/** Hands a batch on as the client does; returns what was counted as read then. */
async function handOn({ consumer }: Bench, batch: object): Promise<string[]> {
  const resolved: string[] = [];
  const payload = { batch, resolveOffset: (offset: string) => void resolved.push(offset) };
  await consumer.running?.eachBatch?.(payload as unknown as kafkajs.EachBatchPayload);
  return resolved;
}

async function fetchAndHandOn(bench: Bench): Promise<string[]> {
  bench.group.fetched = [{ ...fetched }];
  const [batch] = await bench.group.fetch(1);
  return batch === undefined ? [] : handOn(bench, batch);
}

describe("session", () => {
  test("it reads from the beginning where there is no offset, and commits nothing by itself (fact 8)", async () => {
    const { consumer } = await openBench();
    expect(consumer.subscribed).toEqual({ topics: ["t"], fromBeginning: true });
    expect(consumer.running?.autoCommit).toBe(false);
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

  test("nor does one while the client crashes: it has no group any more, and has not said so yet", async () => {
    const { consumer, crashes, session } = await openBench();
    consumer.emit("join", { memberId: "m", memberAssignment: { t: [1] } });
    consumer.emit("stop", {});
    session.setPaused({ topic: "t", partition: 1 }, true);
    expect([consumer.paused, crashes]).toEqual([[], []]);
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
      heartbeatInterval: 700,
    });
  });

  test("one that reads nothing says so less often, as its session asks", async () => {
    const { group } = await openBench();
    const host = new TestHost();
    const intervals: number[] = [];
    const heartbeat = pacedHeartbeat(async ({ interval }) => void intervals.push(interval), host);
    await pacedFetch(async () => [], host).call(group, 1);
    await heartbeat.call(group, { interval: 700 });
    await host.advance(3_000);
    await heartbeat.call(group, { interval: 700 });
    expect(intervals).toEqual([700, 1_900]);
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
    const bench = await openBench();
    expect(await fetchAndHandOn(bench)).toEqual(["9"]);
    expect(bench.batches).toEqual([
      {
        topic: "t",
        partition: 3,
        generation: 5,
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
        generation: 5,
        assigned: [
          { topic: "t", partition: 0 },
          { topic: "t", partition: 2 },
        ],
        userData: Buffer.alloc(0),
      },
    ]);
  });

  test("its loop goes round with each fetch and each join, by the time that has elapsed", async () => {
    elapsedMs = 5;
    const { consumer, session } = newBench();
    expect(session.lastActiveElapsedMs).toBe(5);
    await session.open();
    elapsedMs = 6;
    consumer.emit("fetch", {});
    expect(session.lastActiveElapsedMs).toBe(6);
    elapsedMs = 7;
    consumer.emit("join", { memberId: "me", memberAssignment: {} });
    expect(session.lastActiveElapsedMs).toBe(7);
  });

  test("a commit is tried once, in the generation of now, never by the consumer's repeating one (fact 7)", async () => {
    const { consumer, group, session } = await openBench();
    group.refusal = new Error("rebalancing");
    await expect(session.commit([{ topic: "t", partition: 3, offset: 8 }])).rejects.toMatchObject({
      name: "KafkaError",
    });
    expect(group.commits).toEqual([
      { topics: [{ topic: "t", partitions: [{ partition: 3, offset: "8" }] }] },
    ]);
    expect(consumer.commitsOfTheConsumer).toBe(0);
  });

  test("a commit is sent as soon as the group is joined, before the first batch; before that it is said not to be", async () => {
    const { group, session } = await openBench();
    const position = { topic: "t", partition: 3, offset: 8 };
    group.offsetManager = null;
    expect(await session.commit([position])).toBe(false);
    expect(group.commits).toEqual([]);
    group.join(6);
    expect(await session.commit([position])).toBe(true);
    expect(group.commits).toHaveLength(1);
  });

  test("a commit before the client has connected its group is said not to be sent", async () => {
    const { session } = newBench();
    await session.open();
    expect(await session.commit([{ topic: "t", partition: 3, offset: 8 }])).toBe(false);
  });

  test("what a fetch brings before the group was joined is not read: nobody knows whose it is", async () => {
    const { group } = await openBench();
    group.offsetManager = null;
    group.fetched = [{ ...fetched }];
    expect(await group.fetch(1)).toEqual([]);
  });

  test("a crash is told with what can be done about it", async () => {
    const { consumer, crashes } = await openBench();
    consumer.emit("crash", { error: Object.assign(new Error("lost"), { name: "KafkaJSConnectionError" }) });
    expect(crashes).toEqual([expect.objectContaining({ code: "unavailable", canRetry: true })]);
  });
});

describe("a session that is stopped while its client joins", () => {
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  test("waits for the join, and leaves then: the client would go on as a member that nobody hears", async () => {
    const { consumer, session } = newBench();
    const joins = Promise.withResolvers<void>();
    consumer.joins = joins.promise;
    const opening = session.open();
    await turn();
    const stopping = session.stop();
    await turn();
    expect(consumer.disconnects).toBe(0);
    joins.resolve();
    await Promise.all([opening, stopping]);
    expect(consumer.disconnects).toBe(1);
  });

  test("does not ask to join any more", async () => {
    const { group, session } = await openBench();
    await session.stop();
    const coordinator = await group.cluster.findGroupCoordinator({ groupId: "g" });
    const join = (coordinator as unknown as { joinGroup(request: object): Promise<unknown> }).joinGroup;
    await expect(join({ memberId: "" })).rejects.toMatchObject({ code: "closed" });
  });

  test("does not begin to join when it has connected late, and closes what it connected", async () => {
    const { consumer, session } = newBench();
    const connects = Promise.withResolvers<void>();
    consumer.connects = connects.promise;
    const opening = session.open();
    await session.stop();
    connects.resolve();
    await expect(opening).rejects.toMatchObject({ code: "closed" });
    expect([consumer.running, consumer.disconnects]).toEqual([undefined, 2]);
  });
});

describe("a session whose client joins again while it fetches", () => {
  test("hears nothing of a fetch that was under way", async () => {
    const bench = await openBench();
    const answer = Promise.withResolvers<void>();
    bench.group.fetchTakes = answer.promise;
    const fetching = fetchAndHandOn(bench);
    bench.group.join(6);
    answer.resolve();
    expect(await fetching).toEqual([]);
    expect(bench.batches).toEqual([]);
  });

  test("crashes when its join was answered and its sync was not: the client would fetch what it had, for ever", async () => {
    const { crashes, group } = await openBench();
    await group.joinAndSync();
    expect(crashes).toEqual([]);
    group.syncRefusal = new Error("no answer");
    await expect(group.joinAndSync()).rejects.toThrow("no answer");
    expect(crashes).toMatchObject([{ message: expect.stringContaining("no answer") }]);
  });

  test("that was asked to is told so by each fetch until it has joined: it may hear of another failure first", async () => {
    const { group, session } = await openBench();
    const fetched = async (): Promise<unknown> => await group.fetch(1).catch(({ type }) => type);
    session.rejoin();
    expect([await fetched(), await fetched()]).toEqual(["REBALANCE_IN_PROGRESS", "REBALANCE_IN_PROGRESS"]);
    group.syncRefusal = new Error("no answer");
    await expect(group.joinAndSync()).rejects.toThrow("no answer");
    expect(await fetched()).toBe("REBALANCE_IN_PROGRESS");
    group.syncRefusal = undefined;
    await group.joinAndSync();
    expect(await fetched()).toEqual([]);
  });

  test("that is asked to in the middle of a join is told so behind it, too", async () => {
    const bench = await openBench({ onRebalancing: async () => void bench.session.rejoin() });
    await bench.group.joinAndSync();
    const fetched = await bench.group.fetch(1).catch(({ type }) => type);
    expect(fetched).toBe("REBALANCE_IN_PROGRESS");
  });

  test("joins once when fetches from several brokers find at once that it has to, and again the next time", async () => {
    let asked = 0;
    const { group } = await openBench({
      onRebalancing: async () => {
        asked += 1;
      },
    });
    await Promise.all([group.joinAndSync(), group.joinAndSync()]);
    expect(asked).toBe(1);
    await group.joinAndSync();
    expect(asked).toBe(2);
    group.syncRefusal = new Error("no answer");
    const both = await Promise.allSettled([group.joinAndSync(), group.joinAndSync()]);
    expect([asked, ...both.map(({ status }) => status)]).toEqual([3, "rejected", "rejected"]);
  });

  test("goes on when its join was refused: the client asks again", async () => {
    const refused = new Error("refused");
    let isRefused = false;
    const { crashes, group } = await openBench({
      onRebalancing: async () => {
        if (isRefused) throw refused;
      },
    });
    // It had been through both requests before.
    await group.joinAndSync();
    isRefused = true;
    await expect(group.joinAndSync()).rejects.toThrow(refused);
    expect(crashes).toEqual([]);
  });

  test("learns of which generation a batch is that waited meanwhile, and the client does not count it as read", async () => {
    const bench = await openBench();
    bench.group.fetched = [{ ...fetched }];
    const [batch = {}] = await bench.group.fetch(1);
    bench.group.join(6);
    expect(await handOn(bench, batch)).toEqual([]);
    expect(bench.batches.map(({ generation }) => generation)).toEqual([5]);
  });

  test("hears nothing of a batch that waited when the generation is the same after the join", async () => {
    const bench = await openBench();
    bench.group.fetched = [{ ...fetched }];
    const [batch = {}] = await bench.group.fetch(1);
    bench.group.join(5);
    expect(await handOn(bench, batch)).toEqual([]);
    expect(bench.batches).toEqual([]);
  });

  test("a batch that its reader could not take is not counted as read", async () => {
    const onBatch = (): void => {
      throw new Error("out of memory");
    };
    const bench = await openBench({ onBatch });
    bench.group.fetched = [{ ...fetched }];
    const [batch = {}] = await bench.group.fetch(1);
    const resolved: string[] = [];
    const payload = { batch, resolveOffset: (offset: string) => void resolved.push(offset) };
    const handling = bench.consumer.running?.eachBatch?.(payload as unknown as kafkajs.EachBatchPayload);
    await expect(handling).rejects.toThrow("out of memory");
    expect(resolved).toEqual([]);
    expect(bench.consumer.running?.eachBatchAutoResolve).toBe(false);
  });

  test("begins where its reader says, not where it was told to in an earlier generation", async () => {
    const bench = await openBench();
    bench.group.seekOffset.set("t/3", "100");
    bench.consumer.emit("join", { memberId: "me", memberAssignment: { t: [3] } });
    expect(bench.group.seekOffset.size).toBe(0);
  });
});

describe("an offset out of range", () => {
  const outOfRange = { topic: "t", partition: 3 };

  test.each([
    ["below the log's start", { low: 130, high: 500 }],
    ["behind its end", { low: 0, high: 50 }],
  ])(
    "%s, of a session that is being stopped: its group's place stays, as nobody hears of it",
    async (_, log) => {
      const { cuts, gone, group, session } = await openBench();
      group.place = 100;
      group.log = log;
      const recovered = group.recoverFromOffsetOutOfRange(outOfRange);
      void session.stop();
      await recovered;
      expect([cuts, gone, group.reset]).toEqual([[], [], []]);
    },
  );

  test("below the log's start: what is gone is told, and it goes on there; the group's commit stays with what it says is done", async () => {
    const { group, gone } = await openBench();
    group.place = 100;
    group.log = { low: 130, high: 500 };
    await group.recoverFromOffsetOutOfRange(outOfRange);
    expect(gone).toEqual([{ topic: "t", partition: 3, fromOffset: 100, toOffset: 130 }]);
    expect([group.sought, group.reset]).toEqual([[130], []]);
  });

  test("behind the log's end: it was cut, nothing is gone unread", async () => {
    const { cuts, group, gone } = await openBench();
    group.place = 501;
    group.log = { low: 20, high: 500 };
    await group.recoverFromOffsetOutOfRange(outOfRange);
    // The log's start first: the client's own way back there may fail, and the log may have grown meanwhile.
    expect([gone, group.sought, group.reset]).toEqual([[], [20], [3]]);
    expect(cuts).toEqual([{ topic: "t", partition: 3, fromOffset: 501, startOffset: 20, endOffset: 500 }]);
  });

  test.each([100, 130])(
    "that the log has, up to its end: its leader is new or old, and asked for again (%d)",
    async (place) => {
      const { group, gone } = await openBench();
      group.place = place;
      group.log = { low: 100, high: 130 };
      await group.recoverFromOffsetOutOfRange(outOfRange);
      expect([gone, group.reset, group.refreshes]).toEqual([[], [], 1]);
    },
  );

  test("of a fetch of before a join: nothing is gone, and the group's commit stays", async () => {
    const { cuts, group, gone } = await openBench();
    group.place = 501;
    group.log = { low: 130, high: 500 };
    group.join(6);
    await group.recoverFromOffsetOutOfRange(outOfRange);
    expect([gone, cuts, group.reset]).toEqual([[], [], []]);
  });

  test.each([100, 501])(
    "and a join while the log's ends are looked for: as before it (%d)",
    async (place) => {
      const { cuts, group, gone } = await openBench();
      const look = Promise.withResolvers<void>();
      group.place = place;
      group.log = { low: 130, high: 500 };
      group.looksTake = look.promise;
      const recovering = group.recoverFromOffsetOutOfRange(outOfRange);
      group.join(6);
      look.resolve();
      await recovering;
      expect([gone, cuts, group.reset]).toEqual([[], [], []]);
    },
  );
});
