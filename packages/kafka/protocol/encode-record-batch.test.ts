import { createRequire } from "node:module";
import { beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeByClient } from "../fixtures/client-record-batch.ts";
import { installZstd } from "./codec.ts";
import { crc32c } from "./crc32c.ts";
import { encodeRecordBatch } from "./encode-record-batch.ts";
import { AT } from "./record-batch-format.ts";

const clientCrc32c = createRequire(import.meta.url)("kafkajs/src/protocol/recordBatch/crc32C/index.js");

beforeAll(installZstd);

describe("record batch", () => {
  test("the checksum is CRC-32C: the standard's check value", () => {
    expect(crc32c(Buffer.from("123456789"), 0)).toBe(0xe3069283);
  });

  test("the checksum equals the client's over any bytes, from any start", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 20 }), (bytes, start) => {
        const buffer = Buffer.from(bytes);
        expect(crc32c(buffer, Math.min(start, buffer.length))).toBe(clientCrc32c(buffer.subarray(start)));
      }),
    );
  });

  test("what is encoded is what the client's decoder reads, whatever the sizes", async () => {
    const records = fc.array(
      fc.record({
        key: fc.option(fc.string({ unit: "grapheme", maxLength: 200 })),
        value: fc.option(fc.string({ maxLength: 9_000 })),
        headers: fc.option(
          fc.dictionary(
            // The client's decoder takes what every object has for a header that comes twice.
            fc.string({ unit: "grapheme", maxLength: 70 }).map((name) => `h-${name}`),
            fc.string({ maxLength: 70 }),
          ),
          { nil: undefined },
        ),
      }),
      { minLength: 1, maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(records, async (wanted) => {
        const batch = encodeRecordBatch(
          wanted.map(({ headers, key, value }) => ({
            key,
            value: value === null ? null : Buffer.from(value),
            headers: headers && new Map(Object.entries(headers)),
          })),
          1_700_000_000_123,
        );
        const decoded = await decodeByClient(batch);
        expect(decoded).toEqual(
          wanted.map(({ headers, key, value }, offset) => ({
            key,
            value,
            ...(headers !== undefined && Object.keys(headers).length > 0 && { headers }),
            offset,
            timestampMs: 1_700_000_000_123,
          })),
        );
      }),
      { numRuns: 50 },
    );
  });

  test("a batch belongs to no producer and no transaction (facts 2 and 10)", () => {
    const batch = encodeRecordBatch([{ key: "k", value: null }], 0);
    expect(batch.readInt16BE(21) & 16).toBe(0);
    expect([batch.readBigInt64BE(43), batch.readInt16BE(51), batch.readInt32BE(53)]).toEqual([-1n, -1, -1]);
  });

  test.each([
    [4_095, 0],
    [4_096, 4],
  ])("whose records take %d bytes has the codec %d", (sizeBytes, codec) => {
    // Length, attributes, timestamp, offset, key and value lengths, and headers of one record take nine bytes.
    const batch = encodeRecordBatch([{ key: null, value: Buffer.alloc(sizeBytes - 9) }], 0);
    expect(batch.readInt16BE(21) & 7).toBe(codec);
    if (codec === 0) expect(batch.length - AT.records).toBe(sizeBytes);
  });

  test("a large batch is compressed with zstd, a small one is not (fact 14)", () => {
    const value = Buffer.from(JSON.stringify({ event: "Order Completed", total: 12.5 }).repeat(10));
    const small = encodeRecordBatch([{ key: "k", value }], 0);
    const large = encodeRecordBatch(new Array(100).fill({ key: "k", value }), 0);
    expect(small.readInt16BE(21) & 7).toBe(0);
    expect(large.readInt16BE(21) & 7).toBe(4);
    expect(large.length).toBeLessThan(value.length * 10);
  });
});
