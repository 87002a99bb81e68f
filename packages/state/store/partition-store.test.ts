import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { entryOf, MemoryLog, removalOf, TOPIC, textOf } from "../fixtures/memory-log.ts";
import { openStore, type PartitionStore, StoreLostError, type StoreOptions } from "../index.ts";

let folder: string;
let directory: string;
let log: MemoryLog;
const open: PartitionStore[] = [];

beforeEach(() => {
  folder = scratchFolder();
  directory = join(folder, "own");
  log = new MemoryLog();
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

type More = Parameters<MemoryLog["options"]>[1];

async function openIn(place: string, more: More = {}): Promise<PartitionStore> {
  const store = await openStore(log.options(place, more));
  open.push(store);
  return store;
}

async function owned(more: More = {}): Promise<PartitionStore> {
  const store = await openIn(directory, more);
  await store.own(log.owner());
  return store;
}

const close = (store: PartitionStore): Promise<void> =>
  open.splice(open.indexOf(store), 1)[0]?.close() ?? Promise.resolve();

describe("an entry that was written", () => {
  test("is answered at once, and again once it is on disk", async () => {
    const store = await owned();
    const writing = store.write([entryOf("a", { text: "one" })]);
    expect(textOf(store.get("a"))).toBe("one");
    expect(store.count).toBe(0);
    await writing;
    expect(textOf(store.get("a"))).toBe("one");
    expect(store.count).toBe(1);
  });

  test("is the only one that is answered", async () => {
    const store = await owned();
    await store.write([entryOf("a")]);
    expect([store.get("b"), store.get("")]).toEqual([undefined, undefined]);
  });

  test("is in the changelog before it is on disk", async () => {
    const store = await owned();
    const { promise, resolve } = Promise.withResolvers<void>();
    log.held = promise;
    const writing = store.write([entryOf("a")]);
    await new Promise(setImmediate);
    expect([log.records.length, store.count]).toEqual([1, 0]);
    resolve();
    await writing;
    expect(store.count).toBe(1);
  });

  test("is found under a key of any length, in the order of keys", async () => {
    const store = await owned();
    const keys = ["", "a", "b".repeat(1_024), "c".repeat(30_000), "é"];
    await store.write(keys.map((key) => entryOf(key, { text: key.slice(0, 1) })));
    for (const key of keys) expect(textOf(store.get(key))).toBe(key.slice(0, 1));
    const all = [...store.keys()];
    expect(new Set(all)).toEqual(new Set(keys));
    for (const [index, key] of all.entries()) expect([...store.keys(key)]).toEqual(all.slice(index + 1));
  });

  test("is not written when the partition is another's by then", async () => {
    const store = await openIn(directory);
    const own = { isOurs: true };
    await store.own(log.owner(own));
    await store.write([entryOf("a", { text: "one" })]);
    own.isOurs = false;
    await expect(store.write([entryOf("a", { version: 2, text: "two" })])).rejects.toThrow(
      "not ours any more",
    );
    expect(log.records).toHaveLength(1);
    expect(textOf(store.get("a"))).toBe("one");
    own.isOurs = true;
    await store.write([entryOf("a", { version: 2, text: "three" })]);
    expect(textOf(store.get("a"))).toBe("three");
  });
});

describe("two writes under way", () => {
  test("of one key: the acknowledgement of the first does not bring its entry back", async () => {
    const store = await owned();
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    log.held = first.promise;
    const one = store.write([entryOf("a", { text: "one" })]);
    await new Promise(setImmediate);
    log.held = second.promise;
    const two = store.write([entryOf("a", { version: 2, text: "two" })]);
    first.resolve();
    await one;
    expect(textOf(store.get("a"))).toBe("two");
    second.resolve();
    await two;
    expect(textOf(store.get("a"))).toBe("two");
  });
});

test("keys on disk and keys on their way there come in one order, behind any of them", async () => {
  const store = await owned();
  await store.write(["b", "d", "f"].map((key) => entryOf(key)));
  await store.flush();
  await store.write(["g", "c", "a", "d"].map((key) => entryOf(key, { version: 2 })));
  const all = ["a", "b", "c", "d", "f", "g"];
  expect([...store.keys()]).toEqual(all);
  for (const [index, key] of all.entries()) expect([...store.keys(key)]).toEqual(all.slice(index + 1));
  expect(store.count).toBe(6);
});

test("a key that comes to disk while keys are asked for comes once", async () => {
  const store = await owned();
  await store.write(["a", "b", "c"].map((key) => entryOf(key)));
  const keys = store.keys();
  await store.flush();
  expect([...keys]).toEqual(["a", "b", "c"]);
});

test("an owner alone reads one record of what it has written, however much that is", async () => {
  const store = await owned();
  for (const round of [1, 2]) {
    log.reads = 0;
    await store.write(["a", "b", "c"].map((key) => entryOf(`${key}${round}`)));
    await store.refresh();
    expect(log.reads).toBe(1);
  }
  log.reads = 0;
  await store.refresh();
  expect(log.reads).toBe(0);
});

test("a store that is lost while Kafka is away does not wait for its checkpoint", async () => {
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const readRange: StoreOptions["kafka"]["readRange"] = async ({ signal }) => {
    asked.resolve();
    await once(signal ?? new EventTarget(), "abort");
    throw new Error("ended");
  };
  const store = await owned({ signal: ending.signal, kafka: { readRange } });
  await store.write([entryOf("a")]);
  const refreshing = expect(store.refresh()).rejects.toThrow("ended");
  await asked.promise;
  ending.abort();
  await close(store);
  await refreshing;
});

describe("due entries", () => {
  test("are those that are due by then, of those on disk and of those on their way", async () => {
    const store = await owned();
    await store.write([entryOf("a", { dueMs: 10 }), entryOf("b", { dueMs: 30 })]);
    await store.flush();
    await store.write([entryOf("c", { dueMs: 11 }), entryOf("d", { dueMs: 31 })]);
    const { promise, resolve } = Promise.withResolvers<void>();
    log.held = promise;
    const writing = store.write([entryOf("e", { dueMs: 12 }), entryOf("f", { dueMs: 32 })]);
    expect([store.due(12, 9), store.due(11, 9), store.due(9, 9)]).toEqual([["a", "c", "e"], ["a", "c"], []]);
    expect(store.due(99, 2)).toEqual(["a", "c"]);
    const isLeftOut = (key: string): boolean => "ace".includes(key);
    expect([store.due(99, 1, isLeftOut), store.due(99, 9, isLeftOut)]).toEqual([["b"], ["b", "d", "f"]]);
    resolve();
    await writing;
  });

  test("come in order, those on disk and those on their way, and move with each write", async () => {
    const store = await owned();
    await store.write([entryOf("a", { dueMs: 30 }), entryOf("b", { dueMs: 10 }), entryOf("c")]);
    const writing = store.write([entryOf("d", { dueMs: 20 }), entryOf("b", { version: 2, dueMs: 40 })]);
    expect(store.due(50, 10)).toEqual(["d", "a", "b"]);
    await writing;
    expect(store.due(50, 10)).toEqual(["d", "a", "b"]);
    expect(store.due(50, 2)).toEqual(["d", "a"]);
    expect(store.due(29, 10)).toEqual(["d"]);
    await store.write([entryOf("d", { version: 2 })]);
    expect(store.due(50, 10)).toEqual(["a", "b"]);
  });

  test("are due as they were written last, also while the disk has them as they were before", async () => {
    const store = await owned();
    await store.write([
      entryOf("a", { dueMs: 10 }),
      entryOf("b", { dueMs: 11 }),
      entryOf("c", { dueMs: 12 }),
    ]);
    await store.flush();
    await store.write([entryOf("a", { version: 2, dueMs: 99 })]);
    const { promise, resolve } = Promise.withResolvers<void>();
    log.held = promise;
    const writing = store.write([entryOf("b", { version: 2 })]);
    expect(store.due(50, 10)).toEqual(["c"]);
    resolve();
    await writing;
    expect([store.due(50, 10), store.due(99, 10)]).toEqual([["c"], ["c", "a"]]);
  });

  test("are there again after a restore, without reading the entries", async () => {
    const store = await owned();
    await store.write([entryOf("a", { dueMs: 30 }), entryOf("b", { dueMs: 10 })]);
    const other = await openIn(join(folder, "other"));
    expect(other.due(50, 10)).toEqual(["b", "a"]);
  });
});

describe("a restore", () => {
  test("reads what came since the checkpoint", async () => {
    const store = await owned();
    await store.write([entryOf("a", { text: "one" })]);
    await store.refresh();
    await store.write([entryOf("b", { text: "two" })]);
    await close(store);
    log.reads = 0;
    const progress: number[][] = [];
    const again = await openIn(directory, { onProgress: (done, total) => progress.push([done, total]) });
    expect([textOf(again.get("a")), textOf(again.get("b"))]).toEqual(["one", "two"]);
    // The record by which the changelog is known again, and the one behind the checkpoint.
    expect(log.reads).toBe(2);
    expect(progress).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  test("of files of a changelog that was created again, or is another one, begins from nothing", async () => {
    const store = await owned();
    await store.write([entryOf("a"), entryOf("b")]);
    await store.refresh();
    await close(store);
    log.records = [];
    log.append("x", entryOf("x").value);
    log.append("y", entryOf("y").value);
    log.records = log.records.map((record) => ({ ...record, timestampMs: 9_000 }));
    const discarded: unknown[] = [];
    const again = await openIn(directory, { onDiscarded: (error) => discarded.push(error) });
    expect(discarded).toEqual([new Error("the changelog was created again")]);
    expect([...again.keys()]).toEqual(["x", "y"]);
    await close(again);
    log.records.length = 0;
    await openIn(directory, { onDiscarded: (error) => discarded.push(error) });
    expect(String(discarded[1])).toContain("the changelog goes from 0 to 0, the files to 2");
    await expect(openIn(directory, { topic: "another" })).resolves.toMatchObject({ count: 0 });
  });

  test("that is ended rejects, and goes on where it was at the next try", async () => {
    for (let n = 0; n < 5_000; n += 1) log.append(`k${n}`, entryOf(`k${n}`).value);
    const ending = new AbortController();
    const reading = openIn(directory, {
      signal: ending.signal,
      onProgress: (done) => {
        if (done >= 2_000) ending.abort(new Error("revoked"));
      },
    });
    await expect(reading).rejects.toThrow("revoked");
    const totals: number[] = [];
    const store = await openIn(directory, { onProgress: (_, total) => totals.push(total) });
    expect(store.count).toBe(5_000);
    expect(totals[0]).toBe(3_000);
  });

  test("leaves out what was deleted, and what can never be read", async () => {
    log.append("a", entryOf("a").value);
    log.append("b", entryOf("b").value);
    log.append("a", null);
    log.append("c", Buffer.from("no JSON"));
    const poison: number[] = [];
    const store = await openIn(directory, { onPoison: ({ offset }) => poison.push(offset) });
    expect([...store.keys()]).toEqual(["b"]);
    expect(poison).toEqual([3]);
  });
});

describe("one who lost the partition and writes late", () => {
  const late = entryOf("a", { appliedOffset: 9, text: "late" });
  const newer = entryOf("a", { appliedOffset: 4, version: 5, text: "newer" });

  test("is not believed at a restore, and compaction does not bring it back", async () => {
    log.append("a", newer.value);
    log.append("a", late.value);
    const store = await owned();
    expect(textOf(store.get("a"))).toBe("newer");
    expect(textOf(log.compacted()[0]?.value ?? undefined)).toBe("newer");
    const other = await openIn(join(folder, "other"));
    expect(textOf(other.get("a"))).toBe("newer");
  });

  test("is found by the owner when it looks at the changelog", async () => {
    const store = await owned();
    await store.write([newer]);
    log.append("a", late.value);
    await store.refresh();
    expect(textOf(store.get("a"))).toBe("newer");
    expect(textOf(log.compacted()[0]?.value ?? undefined)).toBe("newer");
    log.reads = 0;
    await store.refresh();
    await store.write([entryOf("b")]);
    await store.refresh();
    // An owner alone reads the record that its checkpoint names, and nothing else.
    expect(log.reads).toBe(2);
  });

  test("whose mending was interrupted is mended by the next owner", async () => {
    log.append("a", newer.value);
    log.append("a", late.value);
    await close(await openIn(directory));
    await owned();
    expect(log.records.map(({ value }) => textOf(value ?? undefined))).toEqual(["newer", "late", "newer"]);
  });
});

test("one who follows sees what the owner writes, with the same code", async () => {
  const owner = await owned();
  await owner.write([entryOf("a", { text: "one" })]);
  const follower = await openIn(join(folder, "follower"));
  await owner.write([entryOf("a", { version: 2, text: "two" }), entryOf("b")]);
  await follower.refresh();
  expect([textOf(follower.get("a")), follower.count]).toEqual(["two", 2]);
  const refused = expect(follower.write([entryOf("c")])).rejects;
  await refused.toThrow(new StoreLostError(`${TOPIC}-0 is not ours any more`));
});

describe("an entry that is removed", () => {
  test("is not there at once, nor once that is on disk, nor after a restore", async () => {
    const store = await owned();
    await store.write([entryOf("a", { dueMs: 1 }), entryOf("b")]);
    await store.flush();
    const writing = store.write([removalOf("a", { version: 2 })]);
    expect([store.get("a"), store.due(5, 9)]).toEqual([undefined, []]);
    await writing;
    expect([store.get("a"), store.due(5, 9)]).toEqual([undefined, []]);
    await store.flush();
    expect([store.get("a"), store.count, [...store.keys()]]).toEqual([undefined, 1, ["b"]]);
    expect(log.records.at(-1)).toMatchObject({ key: "a", value: null });
    expect([...(await openIn(join(folder, "other"))).keys()]).toEqual(["b"]);
  });

  test("comes back with what is written next", async () => {
    const store = await owned();
    await store.write([entryOf("a", { text: "one" })]);
    await store.write([removalOf("a", { version: 2 })]);
    await store.write([entryOf("a", { appliedOffset: 9, text: "two" })]);
    expect(textOf(store.get("a"))).toBe("two");
    await store.flush();
    expect(textOf(store.get("a"))).toBe("two");
  });

  test("by one who has lost the partition, and removes late, stays, and compaction does not take it", async () => {
    const store = await owned();
    await store.write([entryOf("a", { appliedOffset: 4, version: 5, text: "newer" })]);
    await log.owner().send([{ topic: TOPIC, key: "a", value: null, headers: new Map([["removed", "9 1"]]) }]);
    await store.refresh();
    expect(textOf(store.get("a"))).toBe("newer");
    expect(textOf(log.compacted()[0]?.value ?? undefined)).toBe("newer");
    log.records.pop();
    const other = await openIn(join(folder, "other"));
    expect(textOf(other.get("a"))).toBe("newer");
  });
});
