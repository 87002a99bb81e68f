// Facts of the files that windows and stores are kept in: lmdb's hold to them, and those of the simulated disk.
import { expect, test } from "@jest/globals";
import type { WindowFiles, WindowTable } from "#state";

/** One directory, on whichever disk. */
export interface FilesBench {
  open(): WindowFiles;
  /** Lets whatever time it takes pass. */
  settled<T>(promise: Promise<T>): Promise<T>;
}

const bytes = (text: string): Buffer => Buffer.from(text);
const keysOf = (table: WindowTable, options?: Parameters<WindowTable["getKeys"]>[0]): string[] =>
  Array.from(table.getKeys(options), String);

/** Puts each key with itself as the value, in one batch. */
function putAll(files: WindowFiles, table: WindowTable, keys: readonly string[]): Promise<unknown> {
  return files.batch(() => {
    for (const key of keys) void table.put(bytes(key), bytes(key));
  });
}

async function closed(bench: FilesBench, files: WindowFiles): Promise<void> {
  await bench.settled(files.close());
}

function describeTables(bench: () => FilesBench): void {
  test("what a batch has put is there when it has resolved, in its own table only", async () => {
    const files = bench().open();
    const [one, other] = [files.table("one"), files.table("other")];
    await bench().settled(putAll(files, one, ["a", "b"]));
    expect([one.getBinary(bytes("a")), one.getBinaryFast(bytes("b"))].map(String)).toEqual(["a", "b"]);
    expect([one.doesExist(bytes("a")), one.doesExist(bytes("c"))]).toEqual([true, false]);
    expect(other.getBinary(bytes("a"))).toBeUndefined();
    expect([one, other].map((table) => table.getStats())).toMatchObject([
      { entryCount: 2 },
      { entryCount: 0 },
    ]);
    await closed(bench(), files);
  });

  test("keys come in the order of their bytes, from a start on that may be one of them, and the other way round", async () => {
    const files = bench().open();
    const table = files.table("one");
    await bench().settled(putAll(files, table, ["b", "a", "é", "ab", "B"]));
    expect(keysOf(table)).toEqual(["B", "a", "ab", "b", "é"]);
    expect(keysOf(table, { start: bytes("ab") })).toEqual(["ab", "b", "é"]);
    expect(keysOf(table, { start: bytes("ac"), limit: 1 })).toEqual(["b"]);
    expect(keysOf(table, { reverse: true, limit: 2 })).toEqual(["é", "b"]);
    await closed(bench(), files);
  });

  test("the last write of a batch to a key stands, be it a put or a removal", async () => {
    const files = bench().open();
    const table = files.table("one");
    await bench().settled(putAll(files, table, ["a", "b", "c"]));
    const batch = files.batch(() => {
      void table.remove(bytes("a"));
      void table.put(bytes("a"), bytes("again"));
      void table.put(bytes("b"), bytes("gone"));
      void table.remove(bytes("b"));
    });
    await bench().settled(batch);
    expect(String(table.getBinary(bytes("a")))).toBe("again");
    expect(keysOf(table)).toEqual(["a", "c"]);
    await closed(bench(), files);
  });
}

function describeLife(bench: () => FilesBench): void {
  test("what has resolved is there when the files are opened again; a dropped table is empty", async () => {
    const files = bench().open();
    const [one, other] = [files.table("one"), files.table("other")];
    await bench().settled(putAll(files, one, ["a"]));
    await bench().settled(putAll(files, other, ["b"]));
    await bench().settled(other.drop());
    await closed(bench(), files);
    const again = bench().open();
    expect([again.table("one"), again.table("other")].map((table) => keysOf(table))).toEqual([["a"], []]);
    await closed(bench(), again);
  });

  test("batches stand in the order in which they were begun", async () => {
    const files = bench().open();
    const table = files.table("one");
    const writing = Array.from({ length: 20 }, (_, n) =>
      files.batch(() => void table.put(bytes("a"), bytes(`${n}`))),
    );
    await bench().settled(Promise.all(writing));
    expect(String(table.getBinary(bytes("a")))).toBe("19");
    await closed(bench(), files);
  });
}

export function describeFiles(bench: () => FilesBench): void {
  describeTables(bench);
  describeLife(bench);
}
