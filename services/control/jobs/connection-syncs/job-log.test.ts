import { expect, test } from "@jest/globals";
import type { RawRecord } from "#kafka";
import { PoisonRecordError } from "#serde";
import { topicMap } from "#topics";
import { createJobLog } from "./job-log.ts";

const { deliveryJobs: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

test("places are found beside jobs of other destinations, and beside a record that nobody can read", async () => {
  const records = ["d:0 m1", "other:0 m2", "d:0 ", "d:1 m3", "d:0 m1"].map((text, offset) => {
    const [key, value] = text.split(" ");
    return { key, value: Buffer.from(value ?? ""), partition: 0, offset } as unknown as RawRecord;
  });
  const decoded: string[] = [];
  const decode = (value: Buffer | null) => {
    if (value?.length === 0) throw new PoisonRecordError("truncated", "ends too soon");
    decoded.push(String(value));
    return { messageId: String(value) };
  };
  const log = createJobLog({
    kafka: {
      async readRange({ onRecord }) {
        for (const record of records) await onRecord(record);
      },
    },
    admin: { offsets: async () => [{ partition: 0, low: 0, high: records.length }] },
    serde: { decodeFields: () => decode as never },
    topic,
  });
  const { signal } = new AbortController();
  const places = await log.placesSince({ from: new Map(), destinationId: "d", keys: ["d:0"], signal });
  expect(Object.fromEntries(places)).toEqual({
    m1: { partition: 0, offset: 4 },
    m3: { partition: 0, offset: 3 },
  });
  expect(decoded).not.toContain("m2");
});
