// The log is an array for each partition; a record's number is its offset.
import { expect, test } from "@jest/globals";
import type { RawRecord } from "#kafka";
import { type Call, topicMap } from "#topics";
import { lastCalls } from "./last-calls.ts";

const { calls: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

interface Written {
  readonly sourceId: string;
  readonly atMs: number;
}

function setup(partitions: readonly (readonly Written[])[]) {
  let read = 0;
  const parts = {
    topic,
    admin: {
      offsets: async () =>
        partitions.map((records, partition) => ({ partition, low: 0, high: records.length })),
    },
    kafka: {
      async readRange({ partition, fromOffset, toOffset, onRecord }: Parameters<typeof kafkaRead>[0]) {
        for (let offset = fromOffset; offset < toOffset; offset += 1) {
          read += 1;
          const one = partitions[partition]?.[offset];
          if (one === undefined) throw new Error("read beyond the ends");
          const value = Buffer.from(JSON.stringify(one));
          const key = `${one.sourceId}:u`;
          await onRecord({ partition, offset, key, value, timestampMs: one.atMs } as RawRecord);
        }
      },
    },
    serde: {
      decode: (_: unknown, value: Buffer | null) => {
        const { atMs, sourceId } = JSON.parse(String(value)) as Written;
        return { sourceId, receivedAtMs: atMs } as Call;
      },
    },
  };
  const ask = async (limit: number, sourceId = "s") => {
    const asked = { sourceId, limit, signal: new AbortController().signal };
    const found = await lastCalls(parts as unknown as Parameters<typeof lastCalls>[0], asked);
    return found.map(({ call }) => call.receivedAtMs);
  };
  return { ask, read: () => read };
}

declare function kafkaRead(range: {
  readonly partition: number;
  readonly fromOffset: number;
  readonly toOffset: number;
  onRecord(record: RawRecord): void | Promise<void>;
}): Promise<void>;

const every = (count: number, stepMs: number, sourceId = "s"): Written[] =>
  Array.from({ length: count }, (_, at) => ({ sourceId, atMs: (at + 1) * stepMs }));

test("are the newest of all partitions, newest first, and of no other source", async () => {
  const { ask } = setup([every(5, 10), [{ sourceId: "s2", atMs: 60 }, ...every(3, 21)], every(9, 100, "t")]);
  expect(await ask(4)).toEqual([63, 50, 42, 40]);
  expect(await ask(100)).toEqual([63, 50, 42, 40, 30, 21, 20, 10]);
});

test("are read no further back than is needed, in each partition as far as newer ones may stand there", async () => {
  // The one partition has in its last thousand records a time that the other one has in its last ten.
  const { ask, read } = setup([every(10_000, 1), every(10_000, 100)]);
  expect(await ask(3)).toEqual([1_000_000, 999_900, 999_800]);
  expect(read()).toBe(2_000);
  const slow = setup([every(3_000, 1), every(3_000, 1, "t")]);
  expect(await slow.ask(2_500)).toHaveLength(2_500);
});

test("of a rare source are looked for among the newest records alone", async () => {
  const { ask, read } = setup([[...every(1, 1), ...every(50_000, 2, "t")], every(50_000, 2, "t")]);
  expect(await ask(1)).toEqual([]);
  expect(read()).toBe(20_000);
});
