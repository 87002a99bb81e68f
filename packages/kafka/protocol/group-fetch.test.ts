import { expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import type {
  AssignedTopic,
  ClientBatch,
  ConsumerGroupInternals,
} from "kafkajs/src/consumer/consumerGroup.js";
import { type Host, systemHost } from "#host";
import { ManualHost, settled } from "../fixtures/manual-host.ts";
import { pacedFetch, unhurriedAt } from "./group-fetch.ts";

const JOBS: AssignedTopic = { topic: "jobs", partitions: [0, 1] };
const RETRIES: AssignedTopic = { topic: "retries", partitions: [0, 1] };
const BROKER = 1;

function batch(topic: string, records: number): ClientBatch {
  return { topic, rawMessages: records === 0 ? [] : [{ records: new Array(records) }] };
}

interface Asking {
  readonly fetch: () => Promise<readonly ClientBatch[]>;
  /** Topics of each request. */
  readonly asked: string[][];
  readonly recovered: ConsumerGroupInternals[];
}

/** A group of the client's that is asked through `pacedFetch`; its cluster is known by the assigner, as in the client. */
function newGroup(
  answer: () => ClientBatch[],
  isPaused: (topic: string) => boolean = () => false,
  host: Pick<Host, "elapsed" | "delay"> = systemHost,
): Asking {
  const asked: string[][] = [];
  const recovered: ConsumerGroupInternals[] = [];
  const cluster = {};
  const group: ConsumerGroupInternals = {
    cluster: cluster as kafkajs.Cluster,
    offsetManager: null,
    seekOffset: new Map(),
    connect: async () => undefined,
    joinAndSync: async () => undefined,
    recoverFromOffsetOutOfRange: async () => undefined,
    async fetch(nodeId) {
      asked.push(this.filterPartitionsByNode(nodeId, [JOBS, RETRIES]).map(({ topic }) => topic));
      try {
        return answer();
      } catch (thrown) {
        await this.recoverFromFetch(thrown);
        return [];
      }
    },
    filterPartitionsByNode: (_, assigned) => assigned,
    isPaused,
    async recoverFromFetch() {
      recovered.push(this);
    },
  };
  const assigner = {
    name: "none",
    version: 0,
    protocol: () => ({ name: "none", metadata: Buffer.alloc(0) }),
  };
  unhurriedAt(["retries"], () => ({ ...assigner, assign: async () => [] }))({ cluster } as never);
  const fetch = pacedFetch(group.fetch, host);
  return { fetch: () => fetch.call(group, BROKER), asked, recovered };
}

test("retry topics are left out of most requests", async () => {
  const standing = { elapsed: () => 0, delay: async () => undefined };
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
  const host = new ManualHost();
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
  const { fetch, asked } = newGroup(answer, undefined, new ManualHost());
  await fetch();
  void fetch();
  await settled();
  expect(asked).toHaveLength(2);
});
