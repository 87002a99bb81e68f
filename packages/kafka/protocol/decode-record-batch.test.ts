import { beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { encodeByClient } from "../fixtures/client-record-batch.ts";
import { installZstd } from "./codec.ts";
import { decodeRecordSet } from "./decode-record-batch.ts";
import { AT, CONTROL_BATCH, LOG_APPEND_TIME } from "./record-batch-format.ts";

const FROM = { topic: "t", partition: 2 };
const ZSTD = 4;
const GZIP = 1;

beforeAll(installZstd);

const aRecord = { key: "k", value: "v", offsetDelta: 0, timestampDeltaMs: 0 };

function aBatch(baseOffset: number, compression = 0): Promise<Buffer> {
  return encodeByClient({ baseOffset, firstTimestampMs: 1_000, compression, records: [aRecord] });
}

function flagged(batch: Buffer, flag: number): Buffer {
  batch.writeInt16BE(batch.readInt16BE(AT.attributes) | flag, AT.attributes);
  return batch;
}

describe("decoding a record set", () => {
  test("what the client has encoded is read, whatever its sizes, gaps, times, headers and codec", async () => {
    const gap = fc.integer({ min: 1, max: 200_000 });
    const record = fc.record({
      key: fc.option(fc.string({ unit: "grapheme", maxLength: 100 })),
      value: fc.option(fc.string({ maxLength: 2_000 })),
      gap,
      timestampDeltaMs: fc.integer({ min: 0, max: 10_000_000_000 }),
      headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.string({ maxLength: 20 }), {
        maxKeys: 3,
      }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 60 }),
        fc.nat({ max: 2 ** 45 }),
        fc.constantFrom(0, ZSTD),
        async (wanted, baseOffset, compression) => {
          let offsetDelta = -1;
          const records = wanted.map((one) => {
            offsetDelta += one.gap;
            return { ...one, offsetDelta };
          });
          const firstTimestampMs = 1_700_000_000_000;
          const batch = await encodeByClient({ baseOffset, firstTimestampMs, compression, records });
          expect(decodeRecordSet(batch, FROM)).toEqual({
            lastOffset: baseOffset + offsetDelta,
            records: records.map(({ headers, key, value, offsetDelta: delta, timestampDeltaMs }) => ({
              ...FROM,
              offset: baseOffset + delta,
              key,
              value: value === null ? null : Buffer.from(value),
              timestampMs: firstTimestampMs + timestampDeltaMs,
              headers: Object.keys(headers).length === 0 ? undefined : new Map(Object.entries(headers)),
            })),
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test("an answer that ends within a batch is read up to there", async () => {
    const set = Buffer.concat([await aBatch(5), await aBatch(6)]);
    for (const missing of [1, 30, 70]) {
      const decoded = decodeRecordSet(set.subarray(0, set.length - missing), FROM);
      expect(decoded?.lastOffset).toBe(5);
      expect(decoded?.records).toHaveLength(1);
    }
  });

  test("an answer without a whole batch has no records and no place to go on", async () => {
    const batch = await aBatch(5);
    expect(decodeRecordSet(batch.subarray(0, 40), FROM)).toEqual({ records: [], lastOffset: undefined });
    expect(decodeRecordSet(Buffer.alloc(0), FROM)).toEqual({ records: [], lastOffset: undefined });
  });

  test("where the broker keeps the time of appending, that is a record's time", async () => {
    const batch = flagged(await aBatch(5), LOG_APPEND_TIME);
    batch.writeBigInt64BE(99_000n, AT.maxTimestamp);
    expect(decodeRecordSet(batch, FROM)?.records[0]?.timestampMs).toBe(99_000);
  });

  test("the end of a compacted batch is known although its last records are gone", async () => {
    const batch = await aBatch(5);
    batch.writeInt32BE(3, AT.lastOffsetDelta);
    expect(decodeRecordSet(batch, FROM)?.lastOffset).toBe(8);
  });

  test("control records, other codecs and old formats are the client's", async () => {
    expect(decodeRecordSet(flagged(await aBatch(5), CONTROL_BATCH), FROM)).toBeUndefined();
    expect(decodeRecordSet(await aBatch(5, GZIP), FROM)).toBeUndefined();
    const old = await aBatch(5);
    old.writeInt8(1, AT.magic);
    expect(decodeRecordSet(old, FROM)).toBeUndefined();
  });
});
