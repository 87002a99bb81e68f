import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import kafkajs from "kafkajs";
import { murmur2, partitionOfKey } from "./partitioner.ts";

describe("partition of a key", () => {
  test("murmur2 gives the values of the Java client's own test", () => {
    const vectors: [string, number][] = [
      ["21", -973932308],
      ["foobar", -790332482],
      ["a-little-bit-long-string", -985981536],
      ["a-little-bit-longer-string", -1486304829],
      ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
      ["abc", 479470107],
    ];
    for (const [key, hash] of vectors) expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  test("every key goes where the client's Java-compatible partitioner would send it", () => {
    const partitioner = kafkajs.Partitioners.DefaultPartitioner();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 64 }), (key, count) => {
        const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
          partitionId,
          leader: 1,
          partitionErrorCode: 0,
          replicas: [],
          isr: [],
        }));
        const theirs = partitioner({ topic: "t", partitionMetadata, message: { key, value: null } });
        expect(partitionOfKey(key, count)).toBe(theirs);
      }),
    );
  });
});
