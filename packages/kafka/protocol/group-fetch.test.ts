import { expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import type {
  AssignedTopic,
  ClientBatch,
  ConsumerGroupInternals,
} from "kafkajs/src/consumer/consumerGroup.js";
import { type Host, systemHost } from "#host";
import { settled, TestHost } from "#testing/host";
import { StubClientGroup } from "../fixtures/stub-client-group.ts";
import { endFetchWaits, fetchingAs, pacedFetch, pacedHeartbeat } from "./group-fetch.ts";

const JOBS: AssignedTopic = { topic: "jobs", partitions: [0, 1] };
const RETRIES: AssignedTopic = { topic: "retries", partitions: [0, 1] };
const BROKER = 1;
const HEARTBEAT_MS = 2_000;
const QUIET_HEARTBEAT_MS = 4_500;

function batch(topic: string, records: number): ClientBatch {
  return { topic, rawMessages: records === 0 ? [] : [{ records: new Array(records) }] };
}

interface Asking {
  readonly fetch: () => Promise<readonly ClientBatch[]>;
  /** The interval at which the client is to say that it is there, for one of `HEARTBEAT_MS`. */
  readonly heartbeatMs: () => Promise<number | undefined>;
  /** Topics of each request. */
  readonly asked: string[][];
  /** The waits at the broker that the fetches allowed. */
  readonly waits: number[];
  readonly recovered: ConsumerGroupInternals[];
  readonly cluster: kafkajs.Cluster;
}

/** A group of the client's that is asked through `pacedFetch`; its cluster is known by the assigner, as in the client. */
function newGroup(
  answer: () => ClientBatch[] | Promise<ClientBatch[]>,
  isPaused: (topic: string) => boolean = () => false,
  host: Pick<Host, "elapsed" | "delay" | "now"> = systemHost,
): Asking {
  const asked: string[][] = [];
  const waits: number[] = [];
  const recovered: ConsumerGroupInternals[] = [];
  const cluster = {} as kafkajs.Cluster;
  const group: ConsumerGroupInternals = {
    cluster,
    groupId: "g",
    coordinator: {} as kafkajs.Broker,
    lastRequest: host.now(),
    maxWaitTime: 0,
    offsetManager: null,
    seekOffset: new Map(),
    connect: async () => undefined,
    joinAndSync: async () => undefined,
    recoverFromOffsetOutOfRange: async () => undefined,
    async fetch(nodeId) {
      asked.push(this.filterPartitionsByNode(nodeId, [JOBS, RETRIES]).map(({ topic }) => topic));
      waits.push(this.maxWaitTime);
      try {
        return await answer();
      } catch (thrown) {
        await this.recoverFromFetch(thrown);
        return [];
      }
    },
    filterPartitionsByNode: (_, assigned) => assigned,
    isPaused,
    paused: () => [JOBS, RETRIES].filter(({ topic }) => isPaused(topic)),
    heartbeat: async () => undefined,
    async recoverFromFetch() {
      recovered.push(this);
    },
  };
  const assigner = {
    name: "none",
    version: 0,
    protocol: () => ({ name: "none", metadata: Buffer.alloc(0) }),
  };
  const habit = {
    unhurriedTopics: ["retries"],
    fetchPauseMs: () => 3,
    heartbeatMs: HEARTBEAT_MS,
    quietHeartbeatMs: QUIET_HEARTBEAT_MS,
  };
  fetchingAs(habit, () => ({ ...assigner, assign: async () => [] }))({ cluster } as never);
  const fetch = pacedFetch(group.fetch, host);
  let asIntervalMs: number | undefined;
  const heartbeat = pacedHeartbeat(async ({ interval }) => {
    asIntervalMs = interval;
  }, host);
  const heartbeatMs = async () => {
    await heartbeat.call(group, { interval: HEARTBEAT_MS });
    return asIntervalMs;
  };
  return { fetch: () => fetch.call(group, BROKER), heartbeatMs, asked, waits, recovered, cluster };
}

test("retry topics are left out of most requests", async () => {
  const standing = { elapsed: () => 0, now: () => 0, delay: async () => undefined };
  const { fetch, asked } = newGroup(() => [batch("jobs", 1)], undefined, standing);
  await fetch();
  await fetch();
  expect(asked).toEqual([["jobs", "retries"], ["jobs"]]);
});

test("they are asked for again while nothing else is", async () => {
  const { fetch, asked } = newGroup(
    () => [],
    (topic) => topic === "jobs",
  );
  await fetch();
  await fetch();
  expect(asked[1]).toEqual(["jobs", "retries"]);
});

test("partitions without records are not handed on", async () => {
  const { fetch } = newGroup(() => [batch("jobs", 0), batch("retries", 3)]);
  expect(await fetch()).toEqual([batch("retries", 3)]);
});

test("the client recovers from a failed request as the group itself", async () => {
  const { fetch, recovered } = newGroup(() => {
    throw new Error("no leader");
  });
  await fetch();
  await fetch();
  expect(recovered).toHaveLength(2);
  expect(Object.keys(recovered[1] ?? {})).toContain("cluster");
});

/** Messages as the client decodes them, one for each record. */
function clientBatch(records: number): ClientBatch {
  return { topic: "jobs", rawMessages: Array.from({ length: records }, () => ({})) };
}

test.each([
  ["our decoder's", () => batch("jobs", 199)],
  ["the client's", () => clientBatch(199)],
])("an answer of few records, %s, is followed by a pause of 3 ms", async (_whose, answer) => {
  const host = new TestHost();
  const { fetch, asked } = newGroup(() => [answer()], undefined, host);
  await fetch();
  const next = fetch();
  await host.advance(2);
  expect(asked).toHaveLength(1);
  await host.advance(1);
  await next;
  expect(asked).toHaveLength(2);
});

test.each([
  ["plenty, our decoder's", () => [batch("jobs", 200)]],
  ["plenty, the client's", () => [clientBatch(200)]],
  ["none", () => []],
])("one of %s is followed by the next request at once", async (_whose, answer) => {
  const { fetch, asked } = newGroup(answer, undefined, new TestHost());
  await fetch();
  void fetch();
  await settled();
  expect(asked).toHaveLength(2);
});

test("a fetch waits until the member has to say that it is there; the first comes back soon", async () => {
  const host = new TestHost();
  const { fetch, waits } = newGroup(() => [], undefined, host);
  await fetch();
  await host.advance(300);
  await fetch();
  await host.advance(2_000);
  await fetch();
  expect(waits).toEqual([250, HEARTBEAT_MS - 300, 250]);
});

test("a member that has read nothing for 3 s says less often that it is there, until it reads", async () => {
  const host = new TestHost();
  const answers = [[batch("jobs", 1)], [], [], [batch("jobs", 1)]];
  const { fetch, heartbeatMs, waits } = newGroup(() => answers.shift() ?? [], undefined, host);
  await fetch();
  const second = fetch();
  await host.advance(2_999);
  await second;
  expect(await heartbeatMs()).toBe(HEARTBEAT_MS);
  await host.advance(1);
  expect(await heartbeatMs()).toBe(QUIET_HEARTBEAT_MS);
  await fetch();
  await fetch();
  expect(await heartbeatMs()).toBe(HEARTBEAT_MS);
  expect(waits[2]).toBe(QUIET_HEARTBEAT_MS - 3_000);
});

test.each([3_600_000, 3_000])(
  "a clock that is set back (%d ms) makes the time between two heartbeats no longer",
  async (byMs) => {
    const host = new TestHost();
    let backMs = 0;
    const clock = { elapsed: () => host.elapsed(), now: () => host.now() - backMs };
    const sentAtMs: number[] = [];
    const beat = pacedHeartbeat(async function (this: ConsumerGroupInternals, { interval }) {
      if (clock.now() < this.lastRequest + interval) return;
      sentAtMs.push(host.elapsed());
      this.lastRequest = clock.now();
    }, clock);
    const group = new StubClientGroup();
    for (let rounds = 0; rounds < 40; rounds += 1) {
      if (rounds === 11) backMs = byMs;
      await beat.call(group, { interval: 2_000 });
      await host.advance(250);
    }
    const gapsMs = sentAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? 0));
    expect(gapsMs).toEqual([2_000, 2_000, 2_000, 2_000]);
  },
);

test("one that leaves out a paused partition comes back soon, as a resume waits for the next (fact 9)", async () => {
  const { fetch, waits } = newGroup(
    () => [],
    (topic) => topic === "jobs",
    new TestHost(),
  );
  await fetch();
  await fetch();
  expect(waits).toEqual([250, 250]);
});

test("one that leaves out the retry topics comes back soon, and the next that brings nothing rests with all", async () => {
  const host = new TestHost();
  const answers = [[batch("jobs", 1)], [batch("jobs", 200)], [], []];
  const { asked, fetch, waits } = newGroup(() => answers.shift() ?? [], undefined, host);
  await fetch();
  const second = fetch();
  await host.advance(3);
  await second;
  await fetch();
  await host.advance(250);
  await fetch();
  expect(asked.map(({ length }) => length)).toEqual([2, 1, 1, 2]);
  expect(waits).toEqual([250, 250, 250, HEARTBEAT_MS - 253]);
});

test("a wait that is ended brings nothing, and what becomes of its fetch has no consequences", async () => {
  const fails = Promise.withResolvers<ClientBatch[]>();
  const { cluster, fetch, recovered } = newGroup(() => fails.promise);
  const fetched = fetch();
  endFetchWaits(cluster);
  expect(await fetched).toEqual([]);
  fails.reject(new Error("no leader"));
  await settled();
  expect(recovered).toEqual([]);
});
