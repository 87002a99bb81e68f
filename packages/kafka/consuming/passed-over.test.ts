import { afterEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { fetch, type ReaderBenchOptions, startReader, stopReaders } from "../fixtures/reader-bench.ts";
import { record } from "../fixtures/stub-session.ts";
import type { CommittedOffset } from "../session.ts";

afterEach(stopReaders);

/** A member that has done 1 and 2 behind 0, which is open, and is killed after its commit: what it has committed. */
async function killedBehindAnOpenRecord(options: ReaderBenchOptions = {}) {
  const host = new TestHost();
  const bench = startReader(options, host);
  bench.session().join([0]);
  fetch(bench, 0, 0, 4);
  await host.advance(10);
  for (const key of ["0-1", "0-2"]) bench.open.get(key)?.({ produce: [] });
  await host.advance(200);
  return bench.session().commits.at(-1) ?? [];
}

/** The records that the next owner of the partition steps. */
async function steppedNext(committed: readonly CommittedOffset[], options: ReaderBenchOptions = {}) {
  const host = new TestHost();
  const bench = startReader(options, host);
  bench.session().join([0]);
  bench.session().handlers.onCommitsRead(committed);
  fetch(bench, 0, 0, 5);
  await host.advance(10);
  return bench;
}

test("what a killed member had done behind an open record is passed over by the next owner, and is committed once that is done", async () => {
  const committed = await killedBehindAnOpenRecord();
  expect(committed).toMatchObject([{ offset: 0 }]);
  const { open, session, stepped } = await steppedNext(committed);
  expect(stepped).toEqual(["0-0", "0-3", "0-4"]);
  for (const settle of open.values()) settle({ produce: [] });
  await stopReaders();
  expect(session().commits.at(-1)).toMatchObject([{ offset: 5, metadata: "done1:0:" }]);
});

test("what was passed over is asked for by its place, too: not before it is known, nor of other records", async () => {
  const { reader } = await steppedNext(await killedBehindAnOpenRecord());
  const at = (offset: number) => ({ topic: "t", partition: 0, offset, timestampMs: 0 });
  expect([0, 1, 2, 3].filter((offset) => reader.wasDone(at(offset)))).toEqual([1, 2]);
  expect(reader.wasDone({ ...at(1), partition: 7 })).toBe(false);
});

test("what was not read yet of it is kept over a second kill", async () => {
  const committed = await killedBehindAnOpenRecord();
  const host = new TestHost();
  const bench = startReader({}, host);
  bench.session().join([0]);
  bench.session().handlers.onCommitsRead(committed);
  fetch(bench, 0, 0, 2);
  await host.advance(200);
  const { stepped } = await steppedNext(bench.session().commits.at(-1) ?? []);
  expect(stepped).toEqual(["0-0", "0-3", "0-4"]);
});

test("what was done before its turn is not stepped, read or not, and a commit says so within a moment", async () => {
  const host = new TestHost();
  const isDue = { now: false };
  const work = { dueAtMs: () => (isDue.now ? 0 : Number.MAX_SAFE_INTEGER) };
  const bench = startReader({}, host, work);
  bench.session().join([0]);
  fetch(bench, 0, 0, 3);
  await host.advance(10);
  for (const offset of [1, 4]) bench.reader.doneEarly({ topic: "t", partition: 0, offset, timestampMs: 0 });
  await host.advance(200);
  expect(bench.session().commits.at(-1)).toMatchObject([{ offset: 0, metadata: "done1:0:AQECAQ" }]);
  isDue.now = true;
  fetch(bench, 0, 3, 6);
  await host.advance(2_000);
  expect(bench.stepped).toEqual(["0-0", "0-2", "0-3", "0-5"]);
});

test("a stop waits for work that was begun ahead of a record's turn, and commits what it has done", async () => {
  const host = new TestHost();
  const work = { dueAtMs: () => Number.MAX_SAFE_INTEGER };
  const bench = startReader({}, host, work);
  bench.session().join([0]);
  fetch(bench, 0, 0, 3);
  const over = bench.reader.takenEarly({ topic: "t", partition: 0 });
  const stopped = bench.reader.stop(8_000);
  await host.advance(3_000);
  bench.reader.doneEarly({ topic: "t", partition: 0, offset: 1, timestampMs: 0 });
  over();
  await stopped;
  expect(bench.session().commits.at(-1)).toMatchObject([{ offset: 0, metadata: "done1:0:AQE" }]);
});

test("of a log that ends before what was read, the part is read again that may be new: by the newest time that is done, and that of an open record", async () => {
  const host = new TestHost();
  const bench = startReader({}, host);
  bench.session().join([0]);
  const cut = { topic: "t", partition: 0, fromOffset: 100, startOffset: 0, endOffset: 50 };
  expect(bench.session().handlers.onLogCut(cut)).toBeUndefined();
  const timed = [60_000, 70_000, 80_000].map((timestampMs, offset) => ({
    ...record(0, offset),
    timestampMs,
  }));
  await bench.session().arrive(timed);
  await host.advance(10);
  for (const key of ["0-1", "0-2"]) bench.open.get(key)?.({ produce: [] });
  await host.advance(200);
  const committed = bench.session().commits.at(-1) ?? [];
  expect(bench.session().handlers.onLogCut(cut)).toBe(50_000);
  fetch(bench, 0, 1, 2);
  await host.advance(10);
  expect(bench.stepped).toEqual(["0-0", "0-1", "0-2", "0-1"]);
  expect(bench.lines.filter(({ level }) => level === "error")).toHaveLength(2);
  const next = await steppedNext(committed);
  await stopReaders();
  expect(next.session().commits.at(-1)?.[0]?.metadata).toContain(`done1:${(80_000).toString(36)}:`);
  const after = startReader({}, new TestHost());
  after.session().join([0]);
  after.session().handlers.onCommitsRead(committed);
  expect(after.session().handlers.onLogCut(cut)).toBe(70_000);
});

test("a reader that steps again what is done says nothing of it in its commits, and passes nothing over", async () => {
  const stepsDoneAgain = { stepsDoneAgain: true };
  expect(await killedBehindAnOpenRecord(stepsDoneAgain)).toMatchObject([{ offset: 0, metadata: "done1:0:" }]);
  const { stepped } = await steppedNext(await killedBehindAnOpenRecord(), stepsDoneAgain);
  expect(stepped).toEqual(["0-0", "0-1", "0-2", "0-3", "0-4"]);
});

test.each(["", "some other program's text", "done2:0:AQE"])(
  "after a commit whose metadata is %p everything from it on is stepped",
  async (metadata) => {
    const { stepped } = await steppedNext([{ topic: "t", partition: 0, offset: 0, metadata }]);
    expect(stepped).toEqual(["0-0", "0-1", "0-2", "0-3", "0-4"]);
  },
);
