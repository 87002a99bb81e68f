import { expect } from "@jest/globals";
import type { Cluster, NewTopic, OutgoingRecord, ProduceClient, TopicPartition } from "#kafka";

/** A cluster under test, with topics of its own for each fact. */
export interface ConformanceBench {
  /** The cluster as a process of this name sees it. */
  cluster(process: string): Cluster;
  /** A new topic; returns its name. */
  topic(partitions: number, settings?: NewTopic["settings"]): Promise<string>;
  /** A group id that nobody else has. */
  groupId(): string;
  nowMs(): number;
  /** Lets so much time pass, or a little more. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until it holds; fails after 40 s. */
  until(holds: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Lets time pass until the promise is settled. */
  settled<R>(promise: Promise<R>): Promise<R>;
  removeBefore(partition: TopicPartition, offset: number): Promise<void>;
  /** Removes what compaction may remove: of a key its last record is left, and the newest batch as it is. */
  compact(topic: string): Promise<void>;
  /** Forgets a group that has no members. */
  forget(groupId: string): Promise<void>;
}

/** Lets time pass until it holds, ten seconds at the most: what comes by itself takes longer in these facts. */
export async function soon(bench: ConformanceBench, holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; !holds() && waitedMs < 10_000; waitedMs += 100) await bench.pass(100);
  expect(holds()).toBe(true);
}

/** Of a member that would not learn `soon` of anything by its heartbeats alone. */
export const SELDOM = { heartbeatMs: 12_000, sessionTimeoutMs: 40_000 };

/** A topic whose log is cleaned as soon as the broker can. */
export const COMPACTED: NewTopic["settings"] = {
  "cleanup.policy": "compact",
  "segment.ms": "50",
  "min.cleanable.dirty.ratio": "0.001",
  "delete.retention.ms": "1",
};

export function recordsOf(topic: string, keys: readonly string[]): OutgoingRecord[] {
  return keys.map((key) => ({ topic, key, value: Buffer.from(`value of ${key}`) }));
}

/** "prefix0", "prefix1", … */
export function keysOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

/** Offsets of a group's commits, by partition. */
export async function committedBy(
  bench: ConformanceBench,
  groupId: string,
  topic: string,
): Promise<Map<number, number>> {
  const { admin } = bench.cluster("one");
  const commits = await bench.settled(admin.commits(groupId, topic));
  return new Map([...commits].map(([partition, { offset }]) => [partition, offset]));
}

/** A producer's connections for as long as `work` takes. */
export async function withProduceClient(
  bench: ConformanceBench,
  work: (client: ProduceClient) => Promise<void>,
): Promise<void> {
  const client = bench.cluster("writer").newProduceClient();
  try {
    await work(client);
  } finally {
    await bench.settled(client.close());
  }
}

/** Writes to one partition, in one request; rejects when it was not written. */
export async function write(
  bench: ConformanceBench,
  { topic, partition }: TopicPartition,
  keys: readonly string[],
): Promise<void> {
  const records = recordsOf(topic, keys).map((record) => ({ record }));
  await withProduceClient(bench, async (client) => {
    const [outcome] = await bench.settled(client.send([{ topic, partition, records }]));
    if (outcome === undefined || outcome.error !== undefined)
      throw new Error(`not written: ${outcome?.error?.message}`);
  });
}

/** Keys of what a partition holds from an offset on, with their offsets, as its leader answers. */
export async function readBack(
  bench: ConformanceBench,
  partition: TopicPartition,
  fromOffset: number,
): Promise<{ key: string | null; offset: number }[]> {
  const { fetchClient } = bench.cluster("reader");
  const read: { key: string | null; offset: number }[] = [];
  let offset = fromOffset;
  for (;;) {
    const fetched = await bench.settled(fetchClient.fetch(partition, offset));
    if (fetched.kind !== "records") return read;
    for (const record of fetched.records) read.push({ key: record.key, offset: record.offset });
    offset = fetched.nextOffset;
  }
}
