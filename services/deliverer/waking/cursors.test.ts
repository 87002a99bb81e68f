import { describe, expect, test } from "@jest/globals";
import type { OutgoingRecord } from "#kafka";
import { type DeliveryWake, topicMap } from "#topics";
import { createWakeCursors, wakeKey } from "./cursors.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: [10_000] });
const WAKE: DeliveryWake = { destinationId: "d", topic: "retry", partition: 2, belowOffset: 50, atMs: 1_000 };
const JOB = { destinationId: "d", topic: "retry", partition: 2, offset: 49, timestampMs: 1_000 };

function bench(stored: readonly DeliveryWake[] = []) {
  const table = new Map(stored.map((wake) => [wakeKey(wake), wake]));
  const written: OutgoingRecord[] = [];
  const cursors = createWakeCursors({
    table,
    topics,
    serde: { encode: () => Buffer.from("wake") },
    write: async (records) => void written.push(...records),
  });
  return { cursors, table, written };
}

describe("a cursor over waiting jobs", () => {
  test("covers the jobs of its destination below it, in its partition and topic", () => {
    const { cursors } = bench([WAKE]);
    expect(cursors.isTaken(JOB)).toBe(true);
    for (const other of [{ offset: 50 }, { partition: 1 }, { topic: "other" }, { destinationId: "e" }]) {
      expect(cursors.isTaken({ ...JOB, ...other })).toBe(false);
    }
  });

  test("does not cover a job that was written after it, as in a topic that was created again", () => {
    expect(bench([WAKE]).cursors.isTaken({ ...JOB, timestampMs: 1_001 })).toBe(false);
  });

  test("holds in this process before the table has come round", async () => {
    const { cursors, written } = bench();
    await cursors.advance(WAKE);
    expect(cursors.isTaken(JOB)).toBe(true);
    expect(written).toEqual([{ topic: "delivery-wakes", key: "d:retry:2", value: Buffer.from("wake") }]);
  });

  test("of an earlier process is deleted as well, though none was written here", async () => {
    const { cursors, written } = bench([WAKE, { ...WAKE, partition: 3 }]);
    await cursors.forget(({ partition }) => partition === 2);
    expect(written).toEqual([{ topic: "delivery-wakes", key: "d:retry:2", value: null }]);
  });

  test("never goes back", async () => {
    const { cursors, written } = bench([WAKE]);
    await cursors.advance({ ...WAKE, belowOffset: 20, atMs: 2_000 });
    await cursors.advance({ ...WAKE, belowOffset: 50, atMs: 2_000 });
    expect(written).toEqual([]);
  });

  test("is kept while its reader has not passed the newest that was written, though the table shows one that it has", async () => {
    const { cursors, written } = bench([WAKE]);
    await cursors.advance({ ...WAKE, belowOffset: 90, atMs: 2_000 });
    written.length = 0;
    await cursors.forget(({ belowOffset }) => belowOffset <= 50);
    expect(written).toEqual([]);
    expect(cursors.isTaken({ ...JOB, offset: 80 })).toBe(true);
  });

  test("is not needed in this process for what a pass took, until the reader is past it", async () => {
    const { cursors } = bench();
    expect(cursors.isEmpty).toBe(true);
    cursors.took(JOB);
    expect(cursors.isTaken(JOB)).toBe(true);
    for (const ms of [-1, 1])
      expect(cursors.isTaken({ ...JOB, timestampMs: JOB.timestampMs + ms })).toBe(false);
    for (const other of [{ offset: 48 }, { partition: 1 }, { topic: "other" }, { destinationId: "e" }])
      expect(cursors.isTaken({ ...JOB, ...other })).toBe(false);
    await cursors.forget(({ belowOffset }) => belowOffset <= 49);
    expect(cursors.isTaken(JOB)).toBe(true);
    await cursors.forget(({ belowOffset }) => belowOffset <= 50);
    expect(cursors.isEmpty).toBe(true);
  });

  test("takes the place of what this process remembered", async () => {
    const { cursors, table } = bench();
    cursors.took(JOB);
    await cursors.advance(WAKE);
    await cursors.forget(() => true);
    expect([cursors.isEmpty, table.size]).toEqual([true, 0]);
  });

  test("is deleted once the topic's reader has passed it", async () => {
    const { cursors, table, written } = bench([WAKE]);
    await cursors.advance({ ...WAKE, partition: 3 });
    written.length = 0;
    await cursors.forget(({ partition }) => partition === 3);
    expect(written).toEqual([{ topic: "delivery-wakes", key: "d:retry:3", value: null }]);
    expect(cursors.isTaken({ ...JOB, partition: 3 })).toBe(false);
    expect(table.size).toBe(1);
  });
});
