import { expect, test } from "@jest/globals";
import type { OutgoingRecord } from "#kafka";
import { type StatsRollup, topicMap } from "#topics";
import type { DueRollup } from "../index/delivery-index.ts";
import { writeRollups } from "./writing.ts";

const NOW_MS = Date.UTC(2026, 0, 10);

const rollup = (destinationId: string): StatsRollup => ({
  ...{ atMs: 0, sourceId: "s1", destinationId },
  ...{ calls: [{ type: "track", stage: "sent", reason: "", calls: 1 }], names: [], requests: [] },
});
const due = (destinationId: string, more: Partial<DueRollup> = {}): DueRollup => ({
  ...{ stepMs: 3_600_000, parts: [], record: rollup(destinationId), isNews: true },
  ...more,
});

function bench(batches: DueRollup[][], indexedUntilMs = NOW_MS) {
  const [sent, settled, order]: [OutgoingRecord[], DueRollup[], string[]] = [[], [], []];
  const parts = {
    deliveries: {
      index: {
        dueRollups: async () => batches.shift() ?? [],
        settleRollups: async (of: readonly DueRollup[]) => {
          settled.push(...of);
          order.push("settled");
        },
      },
      progress: { indexedUntilMs: () => indexedUntilMs },
    },
    producer: {
      send: async (records: readonly OutgoingRecord[]) => {
        sent.push(...records);
        order.push("sent");
      },
    },
    serde: { encode: () => Buffer.alloc(1) },
    topics: topicMap({ prefix: "", retryDelaysMs: [1_000] }),
    host: {
      setImmediate: (work: () => void) => {
        work();
        return { clear: () => undefined };
      },
    },
    nowMs: () => NOW_MS,
    signal: new AbortController().signal,
  };
  return { order, parts, sent, settled };
}

test("roll-ups are durable before they are done, each in its topic; what a topic has already is not sent", async () => {
  const day = due("d2", { stepMs: 86_400_000 });
  const { order, parts, sent, settled } = bench([[due("d1"), day], [due("d3", { isNews: false })]]);
  await writeRollups(parts);
  expect(sent.map(({ topic, key }) => [topic, key])).toEqual([
    ["hourly-stats", "s1:d1"],
    ["daily-stats", "s1:d2"],
  ]);
  expect(order).toEqual(["sent", "settled", "settled"]);
  expect(settled.map(({ record }) => record.destinationId)).toEqual(["d1", "d2", "d3"]);
});

test("roll-ups that Kafka does not take stay due", async () => {
  const { parts, settled } = bench([[due("d1")]]);
  parts.producer.send = () => Promise.reject(new Error("away"));
  await expect(writeRollups(parts)).rejects.toThrow("away");
  expect(settled).toEqual([]);
});

test("an index that is behind writes none", async () => {
  const { parts, sent } = bench([[due("d1")]], NOW_MS - 61_000);
  await writeRollups(parts);
  expect(sent).toEqual([]);
});
