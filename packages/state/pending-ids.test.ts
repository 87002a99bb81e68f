import { expect, test } from "@jest/globals";
import { Bucket } from "./bucket.ts";
import { type IdBatch, PendingIds } from "./pending-ids.ts";
import type { WindowTable } from "./window-files.ts";

const NO_KEYS: WindowTable = {
  getBinary: () => undefined,
  getBinaryFast: () => undefined,
  doesExist: () => false,
  put: async () => undefined,
  remove: async () => undefined,
  getKeys: () => [],
  getStats: () => ({}),
  drop: async () => undefined,
};

const bucket = Bucket.empty({
  span: { startMs: 0, endMs: 1 },
  ids: NO_KEYS,
  expectedIds: 1,
  maxFilterBytes: 1024,
});

const idsOf = (batches: readonly IdBatch[]) => batches.flatMap(({ offsets }) => [...offsets]);

test("ids of a write that failed are found and come with the next one, before later ids", async () => {
  const pending = new PendingIds();
  pending.add(bucket, "a", 1);
  const refused = pending.writeBy(async () => {
    pending.add(bucket, "b", 2);
    throw new Error("disk full");
  });
  await expect(refused).rejects.toThrow("disk full");
  expect([pending.find("a", [bucket]), pending.find("b", [bucket]), pending.size, pending.nextSize]).toEqual([
    1, 2, 2, 2,
  ]);
  const written: (readonly IdBatch[])[] = [];
  await pending.writeBy(async (batches) => void written.push(batches));
  expect(written.map(idsOf)).toEqual([
    [
      ["a", 1],
      ["b", 2],
    ],
  ]);
  expect([pending.find("a", [bucket]), pending.size]).toEqual([undefined, 0]);
});

test("ids are found while they are being written, and counted", async () => {
  const pending = new PendingIds();
  pending.add(bucket, "a", 1);
  await pending.writeBy(async () => {
    expect([pending.find("a", [bucket]), pending.size, pending.nextSize]).toEqual([1, 1, 0]);
  });
});
