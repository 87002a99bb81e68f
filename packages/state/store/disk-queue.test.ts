import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { entryOf, MemoryLog, removalOf, textOf } from "../fixtures/memory-log.ts";
import { type PartitionStore, type StoreDisk, storesOn } from "../index.ts";
import { openLmdbFiles } from "../lmdb-files.ts";

let folder: string;
let log: MemoryLog;
let store: PartitionStore;
/** Awaited by each transaction before it is done. */
let held: Promise<void> | undefined;
let refusal: Error | undefined;
let transactions: number;

const SLOW_DISK: StoreDisk = {
  open({ directory, use }) {
    const files = openLmdbFiles(directory);
    return use({
      ...files,
      async batch(work) {
        transactions += 1;
        if (refusal !== undefined) throw refusal;
        await held;
        await files.batch(work);
      },
    });
  },
  discard: () => undefined,
};

beforeEach(async () => {
  folder = scratchFolder();
  [log, held, refusal, transactions] = [new MemoryLog(), undefined, undefined, 0];
  store = await storesOn(SLOW_DISK)(log.options(folder));
  await store.own(log.owner());
});
afterEach(async () => {
  await store.close();
});

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("a writer waits for the changelog, not for the disk, and sees what it wrote", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  await store.write([entryOf("b", { text: "one", dueMs: 5 })]);
  const flushing = store.flush();
  await store.write([
    entryOf("b", { version: 2, text: "two", dueMs: 9 }),
    entryOf("a", { text: "x", dueMs: 7 }),
  ]);
  expect([textOf(store.get("a")), textOf(store.get("b"))]).toEqual(["x", "two"]);
  expect([store.count, [...store.keys()], [...store.keys("a")]]).toEqual([2, ["a", "b"], ["b"]]);
  expect([store.due(8, 10), store.due(9, 10)]).toEqual([["a"], ["a", "b"]]);
  resolve();
  await flushing;
  expect([store.count, [...store.keys()], store.due(9, 10)]).toEqual([2, ["a", "b"], ["a", "b"]]);
  expect(textOf(store.get("b"))).toBe("two");
});

test("a key that comes again while the disk removes it is there", async () => {
  await store.write([entryOf("a", { text: "one" })]);
  await store.flush();
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  await store.write([removalOf("a")]);
  const flushing = store.flush();
  await store.write([entryOf("a", { version: 2, text: "two" })]);
  expect([store.count, [...store.keys()]]).toEqual([1, ["a"]]);
  const next = Promise.withResolvers<void>();
  held = next.promise;
  resolve();
  await until(() => transactions === 3, { timeoutMs: 30_000, what: "the next transaction", pollMs: 1 });
  expect([transactions, store.count, [...store.keys()]]).toEqual([3, 1, ["a"]]);
  next.resolve();
  await flushing;
  expect([store.count, [...store.keys()]]).toEqual([1, ["a"]]);
});

test("many writes of one key are one transaction, and its last entry", async () => {
  for (let version = 1; version <= 50; version += 1)
    await store.write([entryOf("a", { version, text: `${version}` })]);
  expect(transactions).toBe(0);
  await store.flush();
  expect([transactions, textOf(store.get("a")), log.records.length]).toEqual([1, "50", 50]);
});

test("a disk that is too slow holds writers back, so memory is bounded", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  let written = 0;
  const writing = (async () => {
    for (let round = 0; round < 60; round += 1) {
      await store.write(Array.from({ length: 100 }, (_, n) => entryOf(`${round} ${n}`)));
      written += 100;
    }
  })();
  await until(() => written >= 4_000, { timeoutMs: 30_000, what: "what there is room for", pollMs: 1 });
  for (let look = 0; look < 400; look += 1) await turn();
  expect(written).toBe(4_000);
  resolve();
  await writing;
  await store.flush();
  expect([written, store.count]).toEqual([6_000, 6_000]);
});

test("four million bytes are written without being asked; of the entries of one key only the last counts", async () => {
  const text = "x".repeat(1024 * 1024);
  for (let version = 1; version <= 6; version += 1) await store.write([entryOf("a", { version, text })]);
  await store.write([entryOf("b", { text }), entryOf("c", { text })]);
  await turn();
  expect(transactions).toBe(0);
  await store.write([entryOf("d", { text })]);
  await turn();
  expect(transactions).toBe(1);
});

test("a checkpoint waits for what the changelog has and the disk has not", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  await store.write([entryOf("a", { text: "one" })]);
  let isTaken = false;
  const refreshing = store.refresh().then(() => {
    isTaken = true;
  });
  for (let look = 0; look < 20; look += 1) await turn();
  expect([isTaken, transactions]).toEqual([false, 1]);
  resolve();
  await refreshing;
  await store.close();
  log.reads = 0;
  store = await storesOn(SLOW_DISK)(log.options(folder));
  expect(textOf(store.get("a"))).toBe("one");
  // The record that the checkpoint names.
  expect(log.reads).toBe(1);
});

test("a store that is closed before the disk has it reads it again", async () => {
  await store.write([entryOf("a", { text: "one" })]);
  await store.close();
  expect(transactions).toBe(0);
  store = await storesOn(SLOW_DISK)(log.options(folder));
  expect(textOf(store.get("a"))).toBe("one");
});

test("a disk that refuses ends the store: flush says so, and the next write", async () => {
  refusal = new Error("ENOSPC");
  await store.write([entryOf("a", { text: "one" })]);
  await expect(store.flush()).rejects.toThrow("ENOSPC");
  await expect(store.write([entryOf("b")])).rejects.toThrow("ENOSPC");
  await expect(store.refresh()).resolves.toBeUndefined();
  expect(textOf(store.get("a"))).toBe("one");
});

test("after a disk has refused nothing is begun, and what it refused is answered on", async () => {
  refusal = new Error("ENOSPC");
  await store.write([entryOf("a", { text: "one" })]);
  const { promise, resolve } = Promise.withResolvers<void>();
  log.held = promise;
  const writing = store.write(Array.from({ length: 2_000 }, (_, n) => entryOf(`${n}`)));
  await expect(store.flush()).rejects.toThrow("ENOSPC");
  resolve();
  await writing;
  await turn();
  expect(transactions).toBe(1);
  expect(textOf(store.get("a"))).toBe("one");
});
