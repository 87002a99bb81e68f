// The router on real Kafka.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createKafka, type Producer } from "#kafka";
import { createSerde } from "#serde";
import { LOCAL_DISK } from "#state";
import { type SchemaAnswer, startRegistryProxy } from "#support/registry-proxy";
import { startService } from "#support/service";
import { shortest } from "#support/shortest";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { call, destination } from "./fixtures/calls.ts";
import { createStage, type RouterInProcess, type RouterStage } from "./fixtures/router.ts";
import { createWebhookRouter } from "./service.ts";

const DEADLINE_MS = 60_000;

let stage: RouterStage;
let running: RouterInProcess[] = [];
let sequence = 0;

beforeAll(async () => {
  stage = await createStage(await useStack());
});
afterEach(async () => {
  await Promise.all(running.map(({ service }) => service.stop()));
  running = [];
});
afterAll(() => stage.close());

async function startRouter(options: Parameters<RouterStage["start"]>[0] = {}): Promise<RouterInProcess> {
  const router = stage.start(options);
  running.push(router);
  await router.service.ready;
  return router;
}

/** Ids that no other test uses. */
function fresh(name: string): string {
  sequence += 1;
  return `${name}-${sequence}`;
}

/** Messages that have become jobs of a destination, in the order of the jobs. */
function jobsOf(destinationId: string) {
  return stage.jobs.map(({ decoded }) => decoded).filter((job) => job.destinationId === destinationId);
}
const messagesOf = (destinationId: string): string[] =>
  jobsOf(destinationId).map(({ messageId }) => messageId);

function jobsArrive(destinationId: string, messageIds: readonly string[]): Promise<unknown> {
  return until(() => messageIds.every((id) => messagesOf(destinationId).includes(id)), {
    timeoutMs: DEADLINE_MS,
    what: () => `jobs ${messageIds} of ${destinationId}; there are ${messagesOf(destinationId)}`,
  });
}

describe("a call becomes", () => {
  test("one job for each enabled destination of its source, with its very bytes", async () => {
    const [source, one, two, off] = ["shop", "one", "two", "off"].map(fresh) as [
      string,
      string,
      string,
      string,
    ];
    await stage.configure(one, destination(one, { sourceIds: [source] }));
    await stage.configure(two, destination(two, { sourceIds: [source, "other"] }));
    await stage.configure(off, destination(off, { sourceIds: [source], enabled: false }));
    const router = await startRouter();
    const body = Buffer.from('{"version":1,"type":"track","näme":"\\u2028"}');
    const sent = call({ sourceId: source, body });
    await stage.send(sent);
    await jobsArrive(one, [sent.messageId]);
    await jobsArrive(two, [sent.messageId]);
    const [job] = jobsOf(one);
    expect(job?.body.equals(body)).toBe(true);
    expect(job).toMatchObject({ sourceId: source, type: "track", attempts: 0, firstAttemptAtMs: null });
    expect(jobsOf(off)).toEqual([]);
    expect(await router.metric('hookline_router_calls_total{outcome="routed"}')).toBe(1);
    expect(await router.metric("hookline_router_jobs_total")).toBe(2);
    const calls = `${stage.environment.HOOKLINE_TOPIC_PREFIX}calls`;
    expect(await router.metric(`hookline_records_lost_total{topic="${calls}"}`)).toBe(0);
  });
});

test("a suppressed user's call that ingest took all the same goes nowhere; one from before the suppression goes on (5.2)", async () => {
  const [source, one] = ["shop", "one"].map(fresh) as [string, string];
  await stage.configure(one, destination(one, { sourceIds: [source] }));
  const atMs = Date.now() - 10_000;
  await stage.suppress("gone", atMs);
  const router = await startRouter();
  const [before, after, other] = [
    call({ sourceId: source, userId: "gone", receivedAtMs: atMs - 1 }),
    call({ sourceId: source, userId: "gone" }),
    call({ sourceId: source, userId: "stays" }),
  ] as const;
  await stage.send(before, after, other);
  await jobsArrive(one, [before.messageId, other.messageId]);
  const suppressed = () => router.metric('hookline_router_calls_total{outcome="suppressed"}');
  await until(async () => (await suppressed()) === 1, { timeoutMs: DEADLINE_MS, what: "the drop" });
  expect(messagesOf(one)).not.toContain(after.messageId);
});

describe("the configuration", () => {
  test("is loaded to its end before the first call is routed", async () => {
    const [source, one] = ["shop", "one"].map(fresh) as [string, string];
    const waiting = Array.from({ length: 20 }, () => call({ sourceId: source }));
    await stage.send(...waiting);
    for (let version = 1; version < 30; version++)
      await stage.configure(one, destination(one, { sourceIds: [], version }));
    await stage.configure(one, destination(one, { sourceIds: [source], version: 30 }));
    await startRouter();
    await jobsArrive(
      one,
      waiting.map(({ messageId }) => messageId),
    );
  });

  test("acts within a second of its change", async () => {
    const router = await startRouter();
    const dropped = (): Promise<number> =>
      router.metric('hookline_router_calls_total{outcome="no_destination"}');

    /** Sends calls until the router is seen to act; gives when each was sent, counted from the change. */
    async function sendUntil(source: string, acts: () => boolean | Promise<boolean>) {
      const changedAtMs = performance.now();
      const sentAfterMs = new Map<string, number>();
      await until(
        async () => {
          const { messageId } = call();
          sentAfterMs.set(messageId, performance.now() - changedAtMs);
          await stage.send(call({ sourceId: source, messageId }));
          return await acts();
        },
        { timeoutMs: DEADLINE_MS, what: "the router to act on the change" },
      );
      return sentAfterMs;
    }

    const made: [source: string, one: string][] = [];
    const msUntilMade = async (): Promise<number> => {
      const [source, one] = ["shop", "one"].map(fresh) as [string, string];
      made.push([source, one]);
      await stage.configure(one, destination(one, { sourceIds: [source] }));
      const sent = await sendUntil(source, () => jobsOf(one).length > 0);
      return sent.get(messagesOf(one)[0] ?? "") ?? Number.NaN;
    };
    expect(await shortest(msUntilMade)).toBeLessThan(1000);

    const msUntilDeleted = async (turn: number): Promise<number> => {
      const [source, one] = made[turn - 1] ?? ["", ""];
      const before = await dropped();
      await stage.configure(one, undefined);
      const sent = await sendUntil(source, async () => (await dropped()) > before);
      return sent.get(messagesOf(one).at(-1) ?? "") ?? 0;
    };
    expect(await shortest(msUntilDeleted)).toBeLessThan(1000);
  });
});

describe("a call that comes twice (contract 1.8)", () => {
  /** Sends a last call of the same user and waits for its job: everything before it in the partition is through. */
  async function afterMarker(source: string, destinationId: string): Promise<string> {
    const marker = call({ sourceId: source });
    await stage.send(marker);
    await jobsArrive(destinationId, [marker.messageId]);
    return marker.messageId;
  }

  test("is routed once, also when both copies are in one batch", async () => {
    const [source, one] = ["shop", "one"].map(fresh) as [string, string];
    await stage.configure(one, destination(one, { sourceIds: [source] }));
    const router = await startRouter();
    const sent = call({ sourceId: source });
    await stage.send(sent, sent, sent);
    const first = await afterMarker(source, one);
    await stage.send(sent);
    const second = await afterMarker(source, one);
    expect(messagesOf(one)).toEqual([sent.messageId, first, second]);
    expect(await router.metric('hookline_router_calls_total{outcome="duplicate"}')).toBe(3);
  });

  test("is dropped wherever its partition has gone while routers come and go", async () => {
    const [source, one] = ["shop", "one"].map(fresh) as [string, string];
    await stage.configure(one, destination(one, { sourceIds: [source] }));
    const sent = Array.from({ length: 30 }, (_, index) => call({ sourceId: source, userId: `u${index}` }));
    const a = await startRouter();
    await stage.send(...sent.slice(0, 10));
    const b = await startRouter();
    await stage.send(...sent.slice(0, 20));
    await a.service.stop();
    await stage.send(...sent);
    const c = await startRouter();
    await stage.send(...sent);
    await b.service.stop();
    await stage.send(...sent);
    await jobsArrive(
      one,
      sent.map(({ messageId }) => messageId),
    );
    const markers = Array.from({ length: 30 }, (_, index) => call({ sourceId: source, userId: `u${index}` }));
    await stage.send(...markers);
    await jobsArrive(
      one,
      markers.map(({ messageId }) => messageId),
    );
    expect(messagesOf(one)).toHaveLength(60);
    expect(await c.service.stop()).toBe(0);
  }, 180_000);
});

function routerWith(wrapped: (producer: Producer) => Producer) {
  return createWebhookRouter({
    createSerde,
    windowDisk: LOCAL_DISK,
    createKafka(...args) {
      const kafka = createKafka(...args);
      return { ...kafka, durableProducer: () => wrapped(kafka.durableProducer()) };
    },
  });
}

/** A router whose jobs are written, but which never hears of it: it settles nothing, and commits nothing. */
function routerWithoutAcknowledgements() {
  return routerWith((producer) => ({
    get backlog() {
      return producer.backlog;
    },
    giveUp: () => producer.giveUp(),
    giveUpLost: () => producer.giveUpLost(),
    close: () => producer.close(),
    send: (records) => producer.send(records).then(() => Promise.withResolvers<void>().promise),
  }));
}

/** A router whose jobs reach Kafka when they are let go, and how many bytes wait for that. */
function routerWithHeldJobs() {
  const { promise: letGo, resolve } = Promise.withResolvers<void>();
  const waiting = { bytes: 0, mostBytes: 0, letGo: resolve };
  const definition = routerWith((producer) => ({
    get backlog() {
      return { ...producer.backlog, bytes: waiting.bytes };
    },
    giveUp: () => producer.giveUp(),
    giveUpLost: () => producer.giveUpLost(),
    close: () => producer.close(),
    async send(records) {
      const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      waiting.bytes += bytes;
      waiting.mostBytes = Math.max(waiting.mostBytes, waiting.bytes);
      await letGo;
      await producer.send(records);
      waiting.bytes -= bytes;
    },
  }));
  return { definition, waiting };
}

describe("a router whose jobs Kafka is slow to acknowledge", () => {
  test("makes no more than it has room for, whatever the calls become, and the others once there is", async () => {
    const source = fresh("wide");
    const ids = Array.from({ length: 60 }, () => fresh("one-of-many"));
    await Promise.all(ids.map((id) => stage.configure(id, destination(id, { sourceIds: [source] }))));
    const body = Buffer.from(JSON.stringify({ type: "track", properties: { text: "a".repeat(30_000) } }));
    const sent = Array.from({ length: 30 }, (_, index) =>
      call({ sourceId: source, userId: `u${index}`, body }),
    );
    const { definition, waiting } = routerWithHeldJobs();
    const router = await startRouter({ definition });
    await stage.send(...sent);
    const callBytes = ids.length * 31_000;
    const room = 32 * 1024 * 1024;
    await until(() => waiting.bytes > room, { timeoutMs: DEADLINE_MS, what: "the room to be taken" });
    await until(async () => (await router.metric("hookline_router_outstanding_calls")) === sent.length, {
      timeoutMs: DEADLINE_MS,
      what: "all calls to be taken",
    });
    expect(waiting.mostBytes).toBeLessThan(room + callBytes);
    waiting.letGo();
    const arrived = () => ids.every((id) => messagesOf(id).length === sent.length);
    await until(arrived, { timeoutMs: 2 * DEADLINE_MS, what: "all jobs" });
    expect(waiting.mostBytes).toBeLessThan(room + callBytes);
  }, 180_000);
});

describe("a router that ends between the writing of its jobs and their acknowledgement", () => {
  test("has each call routed again, once, under the same job id, and no copy that a sender sent", async () => {
    const [source, one] = ["shop", "one"].map(fresh) as [string, string];
    await stage.configure(one, destination(one, { sourceIds: [source] }));
    const dataDir = stage.newDataDir();
    const before = await stage.committed();
    const sent = Array.from({ length: 100 }, (_, index) => call({ sourceId: source, userId: `u${index}` }));
    const first = stage.start({
      dataDir,
      definition: routerWithoutAcknowledgements(),
      settings: { HOOKLINE_SHUTDOWN_GRACE: "1s" },
    });
    running.push(first);
    await first.service.ready;
    await stage.send(...sent);
    await jobsArrive(
      one,
      sent.map(({ messageId }) => messageId),
    );
    await first.service.stop();
    expect(await stage.committed()).toBe(before);

    await stage.send(...sent.slice(0, 30));
    const markers = Array.from({ length: 100 }, (_, index) =>
      call({ sourceId: source, userId: `u${index}` }),
    );
    await stage.send(...markers);
    const second = await startRouter({ dataDir });
    await jobsArrive(
      one,
      markers.map(({ messageId }) => messageId),
    );
    // The window of the first one has noted them: they are read again, and no duplicates.
    expect(await second.metric("hookline_router_repeated_calls_total")).toBe(sent.length);
    const idsByMessage = Map.groupBy(jobsOf(one), ({ messageId }) => messageId);
    const copies = (calls: typeof sent) =>
      calls.map(({ messageId }) => (idsByMessage.get(messageId) ?? []).map(({ jobId }) => jobId));
    for (const ids of copies(sent)) expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    for (const ids of copies(markers)) expect(ids).toHaveLength(1);
  }, 180_000);
});

describe("a router whose registry does not give the schemas of the configuration", () => {
  test.each<SchemaAnswer>(["page", "unknown id"])(
    "is not ready and drops no call while the answer is of the kind %s, says so, and goes on by itself",
    async (kind) => {
      const [source, one] = ["shop", "one"].map(fresh) as [string, string];
      await stage.configure(one, destination(one, { sourceIds: [source] }));
      const sent = call({ sourceId: source });
      await stage.send(sent);
      const registry = await startRegistryProxy(stage.environment["HOOKLINE_SCHEMA_REGISTRY_URL"] ?? "");
      try {
        registry.answer = kind;
        const router = stage.start({ settings: { HOOKLINE_SCHEMA_REGISTRY_URL: registry.url } });
        running.push(router);
        let isReady = false;
        void router.service.ready.then(() => {
          isReady = true;
        });
        const waits = () => router.lines.filter(({ msg }) => msg === "waiting for the schema registry");
        await until(() => waits().length >= 3, { timeoutMs: DEADLINE_MS, what: "the waiting to be said" });
        expect([isReady, messagesOf(one)]).toEqual([false, []]);
        registry.answer = "pass";
        await router.service.ready;
        await jobsArrive(one, [sent.messageId]);
        expect(await router.metric('hookline_router_calls_total{outcome="no_destination"}')).toBe(0);
      } finally {
        await registry.close();
      }
    },
    180_000,
  );
});

describe("a router that is killed", () => {
  test("before it committed routes the calls again, with the same job ids, and loses none", async () => {
    const [source, one] = ["shop", "one"].map(fresh) as [string, string];
    await stage.configure(one, destination(one, { sourceIds: [source] }));
    const settings = { ...stage.environment, HOOKLINE_DATA_DIR: stage.newDataDir() };
    const router = await startService({ name: "webhook-router", settings });
    try {
      const sent = Array.from({ length: 200 }, (_, index) => call({ sourceId: source, userId: `u${index}` }));
      await stage.send(...sent);
      await until(() => messagesOf(one).length >= 50, { timeoutMs: DEADLINE_MS, what: "the first jobs" });
      await router.kill();
      const more = Array.from({ length: 50 }, (_, index) => call({ sourceId: source, userId: `u${index}` }));
      await stage.send(...more, ...sent.slice(0, 50));
      await router.restart();
      await jobsArrive(
        one,
        [...sent, ...more].map(({ messageId }) => messageId),
      );
      const jobs = jobsOf(one);
      const idsByMessage = Map.groupBy(jobs, ({ messageId }) => messageId);
      for (const copies of idsByMessage.values())
        expect(new Set(copies.map(({ jobId }) => jobId)).size).toBe(1);
      // A call that was emitted twice had not been committed; one that a sender sent twice was not routed
      // twice for that.
      expect(jobs.length).toBeLessThanOrEqual(2 * sent.length + more.length);
      expect(await router.stop()).toBe(0);
    } finally {
      await router.kill();
    }
  }, 180_000);
});
