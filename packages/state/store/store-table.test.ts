import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { entryOf } from "../fixtures/memory-log.ts";
import { openLmdbFiles } from "../lmdb-files.ts";
import { StoreTable } from "./store-table.ts";

const LONG = "l".repeat(2_000);

let folder: string;
let table: StoreTable;

beforeEach(() => {
  folder = scratchFolder();
  table = new StoreTable(openLmdbFiles(folder));
});
afterEach(async () => {
  await table.close();
});

describe("a store's due times", () => {
  test("are those of its entries, as each was last written", async () => {
    await table.write({ entries: [entryOf("a", { dueMs: 10 }), entryOf(LONG, { dueMs: 5 }), entryOf("c")] });
    expect([...table.due()]).toEqual([
      { key: LONG, dueMs: 5 },
      { key: "a", dueMs: 10 },
    ]);
    await table.write({ entries: [entryOf("a", { dueMs: 3 }), entryOf("c", { dueMs: 4 })] });
    expect([...table.due()].map(({ key, dueMs }) => [key.slice(0, 1), dueMs])).toEqual([
      ["a", 3],
      ["c", 4],
      ["l", 5],
    ]);
    await table.write({ entries: [entryOf("a"), entryOf("c", { version: 2, dueMs: 4 })] });
    expect([...table.due()].map(({ key }) => key.slice(0, 1))).toEqual(["c", "l"]);
  });

  test("go with their entries", async () => {
    await table.write({ entries: [entryOf("a", { dueMs: 10 }), entryOf("b", { dueMs: 5 }), entryOf("c")] });
    await table.write({ entries: [], removed: ["a", "c", "nobody"] });
    expect([[...table.due()], [...table.keys()], table.count]).toEqual([[{ key: "b", dueMs: 5 }], ["b"], 1]);
    expect([table.get("a"), table.facts("a"), table.facts("b")?.dueMs]).toEqual([undefined, undefined, 5]);
  });
});

test("an entry that is removed and put in one transaction is there", async () => {
  await table.write({ entries: [entryOf("a", { text: "old", dueMs: 1 })] });
  await table.write({ entries: [entryOf("a", { text: "new", dueMs: 2 })], removed: ["a"] });
  expect(table.get("a")).toEqual(entryOf("a", { text: "new", dueMs: 2 }));
  expect([...table.due()]).toEqual([{ key: "a", dueMs: 2 }]);
});

test("keys come behind the one that is named, be it there or not", async () => {
  await table.write({ entries: ["a", "b", "bb", LONG].map((key) => entryOf(key)) });
  expect([...table.keys()]).toEqual(["a", "b", "bb", LONG]);
  expect([...table.keys("b")]).toEqual(["bb", LONG]);
  expect([...table.keys("az")]).toEqual(["b", "bb", LONG]);
  expect([...table.keys(LONG)]).toEqual([]);
});

test("keys are outdated until they are repaired, also such as are too long for the table", async () => {
  await table.write({ entries: [entryOf("a"), entryOf(LONG)], outdated: ["a", LONG] });
  expect(table.outdated()).toEqual(["a", LONG]);
  await table.write({ entries: [], repaired: ["a"] });
  expect(table.outdated()).toEqual([LONG]);
});

test("a checkpoint stays as it was written last, also when other things are", async () => {
  expect(table.checkpoint()).toBeUndefined();
  const checkpoint = { topic: "t", offset: 7, atMs: 1, seen: { offset: 6, timestampMs: 5 } };
  await table.write({ entries: [], checkpoint });
  await table.write({ entries: [entryOf("a")] });
  expect(table.checkpoint()).toEqual(checkpoint);
  await table.write({ entries: [], checkpoint: { ...checkpoint, offset: 8, seen: null } });
  expect(table.checkpoint()).toEqual({ ...checkpoint, offset: 8, seen: null });
});
