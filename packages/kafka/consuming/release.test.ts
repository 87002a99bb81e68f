import { afterEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { fetch, type ReaderBench, startReader, stopReaders } from "../fixtures/reader-bench.ts";
import { decodeUserData } from "./assigner-protocol.ts";
import { Release } from "./release.ts";

afterEach(stopReaders);

function newRelease(movesWithinMs?: "at once") {
  const withinMs = movesWithinMs === "at once" ? undefined : 8_000;
  const host = new TestHost();
  const busy = new Set<number>();
  const told: string[] = [];
  const release = new Release({ host, withinMs, busy: () => busy, onReady: () => void told.push("ready") });
  return { host, busy, told, release };
}

test("what the leader wants is not begun, and the member is ready once when the last of it has ended", () => {
  const { busy, told, release } = newRelease();
  for (const partition of [1, 2, 3]) busy.add(partition);
  expect(release.busy).toEqual([1, 2, 3]);
  release.begin([2, 3]);
  expect([1, 2, 3].map((partition) => release.isWanted(partition))).toEqual([false, true, true]);
  busy.delete(2);
  release.settled();
  expect(told).toEqual([]);
  busy.delete(3);
  release.settled();
  release.settled();
  expect(told).toEqual(["ready"]);
  expect(release.busy).toEqual([1]);
});

test("what has ended before the join was answered is told at once", () => {
  const { told, release } = newRelease();
  release.begin([2]);
  expect(told).toEqual(["ready"]);
});

test("work that takes too long holds its partition no longer; the next join begins anew", async () => {
  const { busy, host, told, release } = newRelease();
  busy.add(1);
  busy.add(2);
  release.begin([2]);
  await host.advance(7_999);
  expect([told, release.busy]).toEqual([[], [1, 2]]);
  await host.advance(1);
  expect([told, release.busy]).toEqual([["ready"], [1]]);
  release.begin([]);
  expect(release.busy).toEqual([1, 2]);
  expect(release.isWanted(2)).toBe(false);
  await host.advance(60_000);
  expect(told).toEqual(["ready"]);
});

test("of a group that moves partitions at once nothing is called busy", () => {
  const { busy, release } = newRelease("at once");
  busy.add(1);
  expect(release.busy).toEqual([]);
});

test("nothing is told after the end", async () => {
  const { busy, host, told, release } = newRelease();
  busy.add(2);
  release.begin([2]);
  release.end();
  busy.clear();
  release.settled();
  await host.advance(60_000);
  expect(told).toEqual([]);
});

/** The partitions that the reader would report to the leader as busy. */
function busyOf(bench: ReaderBench): readonly number[] {
  return decodeUserData(bench.session().options.assigner.userData()).busy;
}

/** A member with three partitions and room for three records: of each partition one is worked on, and another waits. */
async function busyMember() {
  const host = new TestHost();
  const bench = startReader({ movesWithinMs: 8_000, maxOutstandingRecords: 3 }, host);
  bench.session().join([0, 1, 2]);
  for (const partition of [0, 1, 2]) fetch(bench, partition, 0, 1);
  await host.advance(10);
  for (const partition of [0, 1, 2]) fetch(bench, partition, 1, 2);
  const settle = (key: string) => bench.open.get(key)?.({ produce: [] });
  return { host, bench, settle };
}

test("a member keeps a busy partition over a rebalance, begins nothing of it, commits what ends, and joins again then", async () => {
  const { host, bench, settle } = await busyMember();
  const handedOver = bench.session().handlers.onRebalancing();
  settle("0-0");
  await host.advance(250);
  await handedOver;
  expect(busyOf(bench)).toEqual([1, 2]);
  bench.session().join([0, 1, 2], "me", [2]);
  await host.advance(100);
  expect(bench.stepped).toEqual(["0-0", "1-0", "2-0", "0-1"]);
  expect(bench.claims.get("2-0")?.isOurs).toBe(false);
  expect(bench.claims.get("1-0")?.isOurs).toBe(true);
  expect(bench.session().rejoins).toBe(0);
  settle("2-0");
  await host.advance(200);
  expect(bench.session().rejoins).toBe(1);
  expect(bench.stepped).toEqual(["0-0", "1-0", "2-0", "0-1", "1-1"]);
  expect(bench.session().commits.flat()).toContainEqual(expect.objectContaining({ partition: 2, offset: 1 }));
  expect(busyOf(bench)).toEqual([0, 1]);
  bench.session().join([0, 1]);
  expect(bench.claims.get("1-0")?.isOurs).toBe(true);
});

test("what ends while the last commit before a join is under way holds its partition until it is committed, too", async () => {
  const { host, bench, settle } = await busyMember();
  const answered = Promise.withResolvers<void>();
  const handedOver = bench.session().handlers.onRebalancing();
  await host.advance(249);
  bench.session().commitTakes = answered.promise;
  settle("0-0");
  await host.advance(1);
  settle("1-0");
  answered.resolve();
  await host.advance(0);
  await handedOver;
  expect(busyOf(bench)).toEqual([1, 2]);
  bench.session().join([0, 1, 2], "me", [1]);
  expect(bench.session().rejoins).toBe(0);
  await host.advance(100);
  expect(bench.session().rejoins).toBe(1);
  expect(bench.session().commits.flat()).toContainEqual(expect.objectContaining({ partition: 1, offset: 1 }));
  expect(busyOf(bench)).not.toContain(1);
});

test("what cannot be committed holds its partition no longer than work that does not end", async () => {
  const { host, bench, settle } = await busyMember();
  settle("1-0");
  bench.session().canCommit = false;
  const handedOver = bench.session().handlers.onRebalancing();
  await host.advance(250);
  await handedOver;
  expect(busyOf(bench)).toEqual([0, 1, 2]);
  bench.session().join([0, 1, 2], "me", [1]);
  await host.advance(7_999);
  expect([bench.session().rejoins, busyOf(bench)]).toEqual([0, [0, 1, 2]]);
  await host.advance(1);
  expect([bench.session().rejoins, busyOf(bench)]).toEqual([1, [0, 2]]);
});

test("a partition with work that was begun ahead of its turn is busy, too, until that has ended", async () => {
  const host = new TestHost();
  const work = { dueAtMs: () => Number.MAX_SAFE_INTEGER };
  const bench = startReader({ movesWithinMs: 8_000 }, host, work);
  bench.session().join([0, 1]);
  const over = bench.reader.takenEarly({ topic: "t", partition: 1 });
  expect(busyOf(bench)).toEqual([1]);
  bench.session().join([0, 1], "me", [1]);
  over();
  expect(bench.session().rejoins).toBe(1);
  expect(busyOf(bench)).toEqual([]);
});

test("a partition whose work does not end in time is given up with the next join", async () => {
  const { host, bench } = await busyMember();
  bench.session().join([0, 1, 2], "me", [2]);
  await host.advance(8_000);
  expect([bench.session().rejoins, busyOf(bench)]).toEqual([1, [0, 1]]);
});

test("a member that stops releases nothing", async () => {
  const { host, bench, settle } = await busyMember();
  bench.session().join([0, 1, 2], "me", [2]);
  const stopped = bench.reader.stop(1_000);
  settle("2-0");
  await host.advance(10_000);
  await stopped;
  expect(bench.session().rejoins).toBe(0);
});
