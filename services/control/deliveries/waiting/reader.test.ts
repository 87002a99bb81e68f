import { expect, test } from "@jest/globals";
import type { RawRecord } from "#kafka";
import { topicMap } from "#topics";
import { createWaitingReader } from "./reader.ts";
import type { WaitingTopics } from "./stretches.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: [1_000, 2_000] });

const readerOf = (parts: Pick<WaitingTopics, "kafka" | "admin">) =>
  createWaitingReader({
    ...parts,
    serde: { decode: () => undefined as never },
    topics,
    groupId: "deliverer",
  });

const record = (place: Pick<RawRecord, "topic" | "partition" | "offset" | "key">): RawRecord => ({
  ...place,
  value: Buffer.of(),
  timestampMs: 0,
});

/** What is looked for, but for what is done with it. */
const ALL = { destinationIds: new Set(["d1"]), after: undefined, signal: new AbortController().signal };

test("a job that moves on while somebody looks is seen: the ends are looked at when all commits are known", async () => {
  const looks: string[] = [];
  const reader = readerOf({
    kafka: { readRange: async () => undefined },
    admin: {
      async offsets(topic) {
        looks.push(topic === topics.deliveryWakes.name ? "wakes" : "end");
        return [];
      },
      async committedPlaces() {
        await new Promise(setImmediate);
        looks.push("committed");
        return new Map();
      },
      partitionCount: async () => 1,
    },
  });
  await reader.scan({ ...ALL, onJob: () => undefined });
  expect(looks).toEqual(["wakes", "committed", "committed", "committed", "end", "end", "end"]);
});

test("a job is seen in whatever partition it stands: its destination may have had more shards, or may be deleted", async () => {
  const keys = ["d1:0", "d2:3", "d3:0", "d1:15", "d10:0", "d2:9"];
  const read: string[] = [];
  const reader = readerOf({
    kafka: {
      async readRange({ partition, topic, onRecord }) {
        read.push(`${topic}-${partition}`);
        await onRecord(record({ topic, partition, offset: 0, key: keys[partition] ?? null }));
      },
    },
    admin: {
      offsets: async (topic) =>
        topic === topics.deliveryJobs.name
          ? keys.map((_, partition) => ({ partition, low: 0, high: 1 }))
          : [],
      committedPlaces: async () => new Map(),
      partitionCount: async () => keys.length,
    },
  });
  const found: string[] = [];
  const end = await reader.scan({
    ...ALL,
    destinationIds: new Set(["d1", "d2"]),
    onJob: ({ place }) => void found.push(keys[place.partition] ?? ""),
  });
  expect([end, found]).toEqual([undefined, ["d1:0", "d2:3", "d1:15", "d2:9"]]);
  // Once, however many destinations are asked for.
  expect(read).toEqual(keys.map((_, partition) => `delivery-jobs-${partition}`));
});

test("what deliverers have done behind their place does not wait, though they have not committed so far", async () => {
  const offsets = [4, 5, 6, 7];
  const reader = readerOf({
    kafka: {
      async readRange({ fromOffset, onRecord, partition, topic }) {
        for (const offset of offsets.filter((each) => each >= fromOffset))
          await onRecord(record({ topic, partition, offset, key: "d1:0" }));
      },
    },
    admin: {
      offsets: async (topic) =>
        topic === topics.deliveryJobs.name ? [{ partition: 0, low: 0, high: 8 }] : [],
      committedPlaces: async () =>
        new Map([[0, { offset: 5, isDone: ({ offset }: { readonly offset: number }) => offset === 6 }]]),
      partitionCount: async () => 1,
    },
  });
  const found: number[] = [];
  await reader.scan({ ...ALL, onJob: ({ place }) => void found.push(place.offset) });
  expect(found).toEqual([5, 7]);
});
