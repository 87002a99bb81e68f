import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { entryOf, MemoryLog, TOPIC, textOf } from "../fixtures/memory-log.ts";
import { openLmdbFiles } from "../lmdb-files.ts";
import { type CatchUpOptions, catchUp } from "./catch-up.ts";
import { StoreTable } from "./store-table.ts";

const AT_MS = 1_700_000_000_000;

let folder: string;
let table: StoreTable;
let log: MemoryLog;
let progress: number[];

beforeEach(() => {
  folder = scratchFolder();
  table = new StoreTable(openLmdbFiles(folder));
  [log, progress] = [new MemoryLog(), []];
});
afterEach(async () => {
  await table.close();
});

/** Reads to the end of the log, or to the given offset. */
function read(
  more: Partial<CatchUpOptions> = {},
  { fromOffset = 0, toOffset = log.high } = {},
): Promise<void> {
  const onProgress = (done: number): void => void progress.push(done);
  return catchUp({ ...log.options(folder), table, onProgress, ...more }, { fromOffset, toOffset });
}

const append = (key: string, ...facts: Parameters<typeof entryOf>[1][]): void => {
  for (const fact of facts) log.append(key, entryOf(key, fact).value);
};
const there = (): (string | undefined)[] => [...table.keys()].map((key) => textOf(table.get(key)?.value));

describe("of the records of a key in one stretch", () => {
  test("the newest stays, and is outdated when it is not the last", async () => {
    append("a", { version: 1, text: "a1" }, { version: 3, text: "a3" }, { version: 2, text: "a2" });
    append("b", { version: 2, text: "b2" }, { version: 1, text: "b1" }, { version: 3, text: "b3" });
    await read();
    expect([there(), table.outdated()]).toEqual([["a3", "b3"], ["a"]]);
  });

  test("one behind its removal stays, however old it is, and none before it", async () => {
    append("a", { version: 5, text: "a5" });
    append("b", { version: 5, text: "b5" });
    await read();
    log.append("a", null);
    append("a", { version: 1, text: "a1" });
    log.append("b", null);
    await read({}, { fromOffset: 2 });
    expect([there(), table.outdated()]).toEqual([["a1"], []]);
  });

  test("a removal of an outdated one leaves nothing to mend", async () => {
    append("a", { version: 2 }, { version: 1 });
    log.append("a", null);
    await read();
    expect([there(), table.outdated()]).toEqual([[], []]);
  });
});

describe("of a key that is there already", () => {
  beforeEach(async () => {
    append("a", { version: 5, text: "a5" });
    await read();
  });

  test("an older record changes nothing, and is noted", async () => {
    append("a", { version: 4, text: "a4" });
    await read({}, { fromOffset: 1 });
    expect([there(), table.outdated()]).toEqual([["a5"], ["a"]]);
  });

  test("a newer one behind the older one ends what was noted", async () => {
    append("a", { version: 4, text: "a4" });
    await read({}, { fromOffset: 1 });
    append("a", { version: 6, text: "a6" });
    await read({}, { fromOffset: 2 });
    expect([there(), table.outdated()]).toEqual([["a6"], []]);
  });
});

test("a record without a key is passed over", async () => {
  log.append(null, Buffer.from("junk"));
  append("a", { text: "a1" });
  await read();
  expect(there()).toEqual(["a1"]);
});

describe("a transaction", () => {
  test("takes 2,000 records", async () => {
    for (let n = 0; n < 4_001; n += 1) append(`k${n}`, {});
    await read();
    expect([progress, table.count]).toEqual([[2_000, 4_000, 4_001], 4_001]);
  });

  test("takes four million bytes", async () => {
    const others = entryOf("k", {}).value.length;
    for (let n = 0; n < 5; n += 1) append(`k${n}`, { text: "x".repeat(2 * 1024 * 1024 - others) });
    await read();
    expect(progress).toEqual([2, 4, 5]);
  });

  test("says up to where the log is in it, and by which record the log is known again", async () => {
    const checkpoints: unknown[] = [];
    for (let n = 0; n < 2_001; n += 1) append(`k${n}`, {});
    await read({ onProgress: () => void checkpoints.push(table.checkpoint()) }, { toOffset: 2_005 });
    const seen = (offset: number) => ({ offset, timestampMs: 1_000 + offset });
    expect(checkpoints).toEqual([
      { topic: TOPIC, offset: 2_000, atMs: AT_MS, seen: seen(1_999) },
      { topic: TOPIC, offset: 2_005, atMs: AT_MS, seen: seen(2_000) },
    ]);
    // Nothing new: compaction has removed it.
    await read({}, { fromOffset: 2_005, toOffset: 2_009 });
    expect(table.checkpoint()).toMatchObject({ offset: 2_009, seen: seen(2_000) });
  });
});

describe("a schema that has to be asked for", () => {
  const describeLater = async (value: Buffer) => {
    await new Promise(setImmediate);
    const { appliedOffset, version } = JSON.parse(value.toString()) as {
      appliedOffset: number;
      version: number;
    };
    return { appliedOffset, version, dueMs: Number.POSITIVE_INFINITY };
  };

  test("holds the records behind it, so that order stays", async () => {
    append("a", { version: 1, text: "a1" }, { version: 2, text: "a2" });
    log.append("b", null);
    await read({ describe: describeLater });
    expect([there(), progress]).toEqual([["a2"], [3]]);
  });

  test("ends the reading while it cannot be had, and makes a record that it can never be had for none", async () => {
    append("a", { text: "a1" });
    const away = Object.assign(new Error("registry away"), { canRetry: true });
    let isPoison = false;
    const asPoison = (): void => {
      isPoison = true;
    };
    const reading = read({ describe: () => Promise.reject(away), onPoison: asPoison });
    await expect(reading).rejects.toThrow("registry away");
    expect([isPoison, there(), table.checkpoint()]).toEqual([false, [], undefined]);
    for (const never of [Object.assign(new Error("no"), { canRetry: false }), new Error("no"), "no", null]) {
      const poison: unknown[] = [];
      const onPoison = ({ offset }: { offset: number }, error: unknown): void =>
        void poison.push([offset, error]);
      await read({ describe: () => Promise.reject(never), onPoison });
      expect([poison, there(), table.checkpoint()?.offset]).toEqual([[[0, never]], [], 1]);
    }
  });
});
