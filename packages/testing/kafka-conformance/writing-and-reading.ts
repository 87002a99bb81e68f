import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { type BatchProducer, fromClientError, type KafkaError, type TopicPartition } from "#kafka";
import {
  COMPACTED,
  type ConformanceBench,
  keysOf,
  readBack,
  recordsOf,
  withProduceClient,
  write,
} from "./bench.ts";

const TOO_LARGE_BYTES = 1_500_000;

/** Facts of writing, and of reading without a group. */
export function describeWritingAndReading(bench: () => ConformanceBench): void {
  describe("writing", () => {
    test("records of one request get consecutive offsets in their order, and are read back as they were", async () => {
      const topic = await bench().topic(1);
      const partition = { topic, partition: 0 };
      await write(bench(), partition, ["a", "b"]);
      await write(bench(), partition, ["c"]);
      expect(await readBack(bench(), partition, 0)).toEqual([
        { key: "a", offset: 0 },
        { key: "b", offset: 1 },
        { key: "c", offset: 2 },
      ]);
    });

    test("no key, no value and the time of writing are kept", async () => {
      const topic = await bench().topic(1);
      const { fetchClient } = bench().cluster("one");
      const records = [
        { record: { topic, key: null, value: Buffer.from("v") } },
        { record: { topic, key: "k", value: null } },
      ];
      await withProduceClient(bench(), async (client) => {
        await bench().settled(client.send([{ topic, partition: 0, records }]));
      });
      const fetched = await bench().settled(fetchClient.fetch({ topic, partition: 0 }, 0));
      expect(fetched).toMatchObject({
        kind: "records",
        nextOffset: 2,
        records: [
          { topic, partition: 0, offset: 0, key: null, value: Buffer.from("v") },
          { topic, partition: 0, offset: 1, key: "k", value: null },
        ],
      });
      if (fetched.kind !== "records") throw new Error("nothing was read");
      for (const { timestampMs } of fetched.records) expect(timestampMs).toBeGreaterThan(1_600_000_000_000);
    });

    test("headers are kept, and a record without them has none", async () => {
      const topic = await bench().topic(1);
      const { fetchClient } = bench().cluster("one");
      const headers = new Map([
        ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
        ["ü", ""],
      ]);
      const records = [
        { record: { topic, key: "a", value: Buffer.from("v"), headers } },
        { record: { topic, key: "b", value: Buffer.from("v") } },
      ];
      await withProduceClient(bench(), async (client) => {
        await bench().settled(client.send([{ topic, partition: 0, records }]));
      });
      const fetched = await bench().settled(fetchClient.fetch({ topic, partition: 0 }, 0));
      if (fetched.kind !== "records") throw new Error("nothing was read");
      expect(fetched.records.map((record) => record.headers)).toEqual([headers, undefined]);
    });

    test("what is acknowledged is within the log's bounds, and is read at once", async () => {
      const topic = await bench().topic(1);
      const partition = { topic, partition: 0 };
      const { admin, fetchClient } = bench().cluster("reader");
      for (let high = 1; high <= 5; high += 1) {
        await write(bench(), partition, [`k${high}`]);
        expect(await bench().settled(fetchClient.bounds(partition))).toEqual({ low: 0, high });
        expect(await bench().settled(admin.offsets(topic))).toEqual([{ partition: 0, low: 0, high }]);
        expect(await readBack(bench(), partition, high - 1)).toEqual([{ key: `k${high}`, offset: high - 1 }]);
      }
    });

    test("every partition of a request has its own outcome: one that is refused takes no other along", async () => {
      const topic = await bench().topic(2);
      const large = { topic, key: "large", value: randomBytes(TOO_LARGE_BYTES) };
      await withProduceClient(bench(), async (client) => {
        const outcomes = await bench().settled(
          client.send([
            { topic, partition: 0, records: recordsOf(topic, ["small"]).map((record) => ({ record })) },
            { topic, partition: 1, records: [{ record: large }] },
          ]),
        );
        const byPartition = new Map(outcomes.map(({ partition, error }) => [partition, error]));
        expect(byPartition.get(0)).toBeUndefined();
        expect(byPartition.get(1)).toMatchObject({ code: "record_too_large", canRetry: false });
      });
      expect(await readBack(bench(), { topic, partition: 0 }, 0)).toEqual([{ key: "small", offset: 0 }]);
      expect(await readBack(bench(), { topic, partition: 1 }, 0)).toEqual([]);
    });

    test("a producer's batch that is sent again is written once", async () => {
      const partition = { topic: await bench().topic(1), partition: 0 };
      const send = sending(bench(), partition);
      const id = await newProducerId(bench(), partition);
      expect(await send("a", { id, epoch: 0, sequence: 0 })).toBeUndefined();
      expect(await send("b", { id, epoch: 0, sequence: 1 })).toBeUndefined();
      expect(await send("b", { id, epoch: 0, sequence: 1 })).toBeUndefined();
      expect(await send("d", { id, epoch: 0, sequence: 3 })).toMatchObject({ code: "fenced" });
      expect(await readBack(bench(), partition, 0)).toMatchObject([{ key: "a" }, { key: "b" }]);
    });

    test("a producer's id is refused once somebody has written with it and a later epoch", async () => {
      const partition = { topic: await bench().topic(1), partition: 0 };
      const send = sending(bench(), partition);
      const [id, other] = [await newProducerId(bench(), partition), await newProducerId(bench(), partition)];
      expect(id).not.toBe(other);
      expect(await send("a", { id, epoch: 0, sequence: 0 })).toBeUndefined();
      expect(await send("b", { id: other, epoch: 0, sequence: 0 })).toBeUndefined();
      const last = { id, epoch: 32_767, sequence: 0 };
      expect([await send("fence", last), await send("fence", last)]).toEqual([undefined, undefined]);
      for (const sequence of [0, 1])
        expect(await send("late", { id, epoch: 0, sequence })).toMatchObject({
          code: "fenced",
          canRetry: false,
        });
      expect(await send("c", { id: other, epoch: 0, sequence: 1 })).toBeUndefined();
      expect((await readBack(bench(), partition, 0)).map(({ key }) => key)).toEqual(["a", "b", "fence", "c"]);
    });

    test("a topic that is not there may be about to be made: the write is worth another try", async () => {
      const topic = bench().groupId();
      const records = recordsOf(topic, ["a"]).map((record) => ({ record }));
      await withProduceClient(bench(), async (client) => {
        const refused = await bench().settled(
          client.send([{ topic, partition: 0, records }]).catch((thrown: unknown) => fromClientError(thrown)),
        );
        expect(refused).toMatchObject({ code: "unknown_topic", canRetry: true });
      });
    });

    test("a client whose connections were thrown away makes new ones", async () => {
      const topic = await bench().topic(1);
      await withProduceClient(bench(), async (client) => {
        for (const key of ["a", "b"]) {
          const records = recordsOf(topic, [key]).map((record) => ({ record }));
          const outcomes = await bench().settled(client.send([{ topic, partition: 0, records }]));
          expect(outcomes).toEqual([{ topic, partition: 0, error: undefined }]);
          client.reset();
        }
      });
    });
  });

  describe("reading without a group", () => {
    test("an empty partition reaches from 0 to 0, one that is not there nowhere", async () => {
      const topic = await bench().topic(1);
      const { fetchClient } = bench().cluster("one");
      expect(await bench().settled(fetchClient.bounds({ topic, partition: 0 }))).toEqual({ low: 0, high: 0 });
      expect(await bench().settled(fetchClient.bounds({ topic, partition: 7 }))).toBeUndefined();
    });

    test("at the end there is nothing, behind it it is out of range", async () => {
      const topic = await bench().topic(1);
      const partition = { topic, partition: 0 };
      await write(bench(), partition, keysOf("k", 3));
      const { fetchClient } = bench().cluster("one");
      expect(await bench().settled(fetchClient.fetch(partition, 3))).toEqual({ kind: "nothing" });
      expect(await bench().settled(fetchClient.fetch(partition, 4))).toEqual({ kind: "out_of_range" });
    });

    test("a batch is read from its middle on", async () => {
      const topic = await bench().topic(1);
      const partition = { topic, partition: 0 };
      await write(bench(), partition, keysOf("k", 5));
      expect(await readBack(bench(), partition, 3)).toEqual([
        { key: "k3", offset: 3 },
        { key: "k4", offset: 4 },
      ]);
    });

    test("what was removed is out of range, and the log begins behind it", async () => {
      const topic = await bench().topic(1);
      const partition = { topic, partition: 0 };
      for (const prefix of ["a", "b", "c"]) await write(bench(), partition, keysOf(prefix, 2));
      await bench().removeBefore(partition, 3);
      const { fetchClient } = bench().cluster("one");
      expect(await bench().settled(fetchClient.bounds(partition))).toEqual({ low: 3, high: 6 });
      expect(await bench().settled(fetchClient.fetch(partition, 2))).toEqual({ kind: "out_of_range" });
      expect(await readBack(bench(), partition, 3)).toEqual([
        { key: "b1", offset: 3 },
        { key: "c0", offset: 4 },
        { key: "c1", offset: 5 },
      ]);
    });

    test("what compaction removed is a gap that reading goes over; nothing is out of range", async () => {
      const topic = await bench().topic(1, COMPACTED);
      const partition = { topic, partition: 0 };
      const lagging = { ...COMPACTED, "min.compaction.lag.ms": "3600000" };
      const kept = { topic: await bench().topic(1, lagging), partition: 0 };
      for (const keys of [["a"], ["a"], ["a"], ["b"]]) {
        await write(bench(), kept, keys);
        await bench().pass(100);
      }
      await write(bench(), partition, ["a", "b"]);
      await bench().pass(100);
      await write(bench(), partition, ["b", "c"]);
      await bench().pass(100);
      await write(bench(), partition, ["a"]);
      await bench().pass(100);
      // In the segment that is being written, which no cleaner touches.
      await write(bench(), partition, ["d"]);
      await bench().compact(topic);
      const { fetchClient } = bench().cluster("one");
      expect(await bench().settled(fetchClient.bounds(partition))).toMatchObject({ high: 6 });
      expect(await readBack(bench(), partition, 0)).toEqual([
        { key: "b", offset: 2 },
        { key: "c", offset: 3 },
        { key: "a", offset: 4 },
        { key: "d", offset: 5 },
      ]);
      expect(await readBack(bench(), kept, 0)).toHaveLength(4);
    }, 120_000);
  });
}

/** A broker that has none left asks the controller for more, and says so meanwhile. */
async function newProducerId(bench: ConformanceBench, near: TopicPartition): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await bench.settled(bench.cluster("writer").newProducerId(near));
    } catch (thrown) {
      if (!fromClientError(thrown).canRetry || tries >= 100) throw thrown;
    }
    await bench.pass(100);
  }
}

/** Writes one record as a producer with an id; resolves with what it was refused with. */
function sending(bench: ConformanceBench, { topic, partition }: TopicPartition) {
  return async (key: string, producer: BatchProducer): Promise<KafkaError | undefined> => {
    const records = recordsOf(topic, [key]).map((record) => ({ record }));
    let error: KafkaError | undefined;
    await withProduceClient(bench, async (client) => {
      const [outcome] = await bench.settled(client.send([{ topic, partition, records, producer }]));
      if (outcome === undefined) throw new Error("the partition is not in the answer");
      error = outcome.error;
    });
    return error;
  };
}
