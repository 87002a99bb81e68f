import { expect, test } from "@jest/globals";
import type { DeliveryJob } from "#topics";
import { listWaiting, summarizeWaiting } from "./list.ts";
import type { WaitingReader } from "./reader.ts";
import type { WaitingPlace } from "./stretches.ts";

const host = { setTimeout: () => ({ clear: () => undefined }) as never };

const OF = { destinationId: "d1", means: () => true };

/** Topics in their order, each with one partition: its jobs' messages and attempts, and destinations other than d1. Also what is behind a page is read, as when Kafka is quick. */
function readerOf(...topics: readonly string[]): WaitingReader {
  const jobs = new Map<Buffer, DeliveryJob>();
  const found = topics.flatMap((standing, topic) =>
    standing.split(" ").map((text, offset) => {
      const [messageId = "", attempts, destinationId = "d1"] = text.split(":");
      const value = Buffer.from(messageId);
      jobs.set(value, {
        jobId: messageId,
        messageId,
        destinationId,
        attempts: Number(attempts),
        diverts: 0,
        receivedAtMs: 1_000,
      } as DeliveryJob);
      return { place: { topic, partition: 0, offset }, topicName: `topic-${topic}`, value };
    }),
  );
  const isBehind = ({ topic, offset }: WaitingPlace, after: WaitingPlace | undefined): boolean =>
    after === undefined || topic > after.topic || (topic === after.topic && offset > after.offset);
  return {
    async scan({ after, onJob }) {
      for (const job of found) if (isBehind(job.place, after)) await onJob(job);
      return undefined;
    },
    decode: async ({ value }) => jobs.get(value) as DeliveryJob,
  };
}

async function pages(reader: WaitingReader, limit: number) {
  const listed: string[][] = [];
  let after: WaitingPlace | undefined;
  do {
    const page = await listWaiting(reader, { ...OF, limit, after }, host);
    if (after === undefined) expect(page.summary?.calls).toBe(3);
    listed.push(page.jobs.map(({ job, topicName }) => `${job.messageId} ${topicName}`));
    after = page.next;
  } while (after !== undefined);
  return listed;
}

test("jobs that a deliverer has written on and not committed yet stand on one page, where they have come to", async () => {
  const reader = readerOf("a:0 b:0 c:0", "a:1 b:1", "a:2");
  expect(await pages(reader, 2)).toEqual([["c topic-0", "b topic-1"], ["a topic-2"]]);
  expect(await pages(reader, 1)).toEqual([["c topic-0"], ["b topic-1"], ["a topic-2"]]);
});

test("a copy that is found late and has not come as far is left out", async () => {
  const reader = readerOf("a:2 b:0", "a:1 c:1");
  expect(await pages(reader, 3)).toEqual([["a topic-0", "b topic-0", "c topic-1"]]);
});

test("a page whose first jobs have all been written on leads to those behind them", async () => {
  const many = Array.from({ length: 1_010 }, (_, at) => `j${at}`);
  const reader = readerOf(
    [...many, "k1", "k2"].map((id) => `${id}:0`).join(" "),
    many.map((id) => `${id}:1`).join(" "),
  );
  const list = (after: WaitingPlace | undefined) => listWaiting(reader, { ...OF, limit: 1, after }, host);
  const first = await list(undefined);
  expect(first.summary?.calls).toBe(1_012);
  const second = first.jobs.length > 0 ? first : await list(first.next);
  expect(second.jobs.map(({ job }) => job.messageId)).toEqual(["k1"]);
});

test("of copies the one that has come furthest says whether its job is meant", async () => {
  const reader = readerOf("a:0 b:0 c:2", "a:1 c:1");
  const list = async (means: (job: DeliveryJob) => boolean) => {
    const { jobs, summary } = await listWaiting(reader, { ...OF, means, limit: 5, after: undefined }, host);
    return [jobs.map(({ job }) => job.messageId), summary?.calls];
  };
  expect(await list(({ attempts }) => attempts === 0)).toEqual([["b"], 1]);
  expect(await list(({ attempts }) => attempts === 1)).toEqual([["a"], 1]);
  expect(await list(({ attempts }) => attempts > 0)).toEqual([["c", "a"], 2]);
});

test("how much waits for several destinations comes from one reading, each job of copies once", async () => {
  const reader = readerOf("a:0 b:0 c:0:d2", "a:1");
  let scans = 0;
  const counted: WaitingReader = {
    ...reader,
    scan(scan) {
      scans += 1;
      return reader.scan(scan);
    },
  };
  const found = await summarizeWaiting(counted, new Set(["d1", "d2", "d3"]), host);
  const waits = (calls: number, oldestReceivedAtMs: number | undefined) => ({
    ...{ calls, oldestReceivedAtMs },
    isComplete: true,
  });
  expect(scans).toBe(1);
  expect([...found]).toEqual([
    ["d1", waits(2, 1_000)],
    ["d2", waits(1, 1_000)],
    ["d3", waits(0, undefined)],
  ]);
});

test("where Kafka does not say in time what waits, nothing is said of it", async () => {
  const away: WaitingReader = {
    ...readerOf(),
    scan: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  const impatient = {
    setTimeout(work: () => void) {
      queueMicrotask(work);
      return { clear: () => undefined } as never;
    },
  };
  expect([...(await summarizeWaiting(away, new Set(["d1"]), impatient))]).toEqual([]);
});
