// Tests what a store finds on the disk when it opens, and whether it believes it.
import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { entryOf, MemoryLog, TOPIC } from "../fixtures/memory-log.ts";
import { openStore, type PartitionStore, type StoreDisk, type StoreOptions, storesOn } from "../index.ts";
import { openLmdbFiles } from "../lmdb-files.ts";

const DAY_MS = 86_400_000;
const TAKEN_MS = new MemoryLog().options("").now();

let directory: string;
let log: MemoryLog;
let discarded: string[];
const open: PartitionStore[] = [];

/** Files of two entries, with a checkpoint behind them. */
beforeEach(async () => {
  directory = scratchFolder();
  [log, discarded] = [new MemoryLog(), []];
  const store = await openStore(log.options(directory));
  await store.own(log.owner());
  await store.write([entryOf("a"), entryOf("b")]);
  await store.refresh();
  await store.close();
  log.reads = 0;
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

async function again(more: Partial<StoreOptions> = {}): Promise<PartitionStore> {
  const onDiscarded = (error: unknown): void => void discarded.push(String(error));
  const store = await openStore(log.options(directory, { onDiscarded, ...more }));
  open.push(store);
  return store;
}

describe("opening files with a checkpoint", () => {
  test("of another changelog begins from nothing", async () => {
    await again({ topic: "another" });
    expect([discarded, log.reads]).toEqual([[`Error: the files are those of ${TOPIC}`], 2]);
  });

  test("believes them for six days: longer ago a removal may have been forgotten by the log", async () => {
    const known = await again({ now: () => TAKEN_MS + 6 * DAY_MS });
    open.pop();
    await known.close();
    expect([discarded, log.reads]).toEqual([[], 1]);
    await again({ now: () => TAKEN_MS + 6 * DAY_MS + 1 });
    expect([discarded, log.reads]).toEqual([["Error: the files are too old"], 3]);
  });

  test("believes them when compaction has removed the record by which the log is known", async () => {
    const [first] = log.records;
    log.records = first === undefined ? [] : [first];
    log.low = 1;
    const store = await again();
    expect([discarded, store.count]).toEqual([[], 2]);
  });

  test("believes them when the log begins where they end", async () => {
    log.records = [];
    log.low = 2;
    const store = await again();
    expect([discarded, store.count]).toEqual([[], 2]);
  });

  test("has nothing open of what it did not believe, or could not bring up to date", async () => {
    let isOpen = 0;
    const counting: StoreDisk = {
      open({ directory: place, use }) {
        const files = openLmdbFiles(place);
        isOpen += 1;
        return use({
          ...files,
          async close() {
            isOpen -= 1;
            await files.close();
          },
        });
      },
      discard: (place) => rmSync(place, { recursive: true }),
    };
    const openCounted = storesOn(counting);
    await expect(openCounted(log.options(directory, { partition: 1 }))).rejects.toThrow("no partition");
    expect(isOpen).toBe(0);
    const store = await openCounted(
      log.options(directory, { topic: "another", onDiscarded: () => undefined }),
    );
    expect(isOpen).toBe(1);
    await store.close();
  });

  test("does not believe them when the log begins behind what they hold", async () => {
    log.records = [];
    log.low = 3;
    const store = await again();
    const why = "Error: the changelog goes from 3 to 3, the files to 2";
    expect([discarded, store.count]).toEqual([[why], 0]);
  });

  test("rejects when the topic has no such partition, and leaves the files", async () => {
    await expect(again({ partition: 1 })).rejects.toThrow("there is no partition 1");
    const store = await again();
    expect([discarded, store.count]).toEqual([[], 2]);
  });
});
