import { describe, expect, test } from "@jest/globals";
import { profileEvent } from "#topics";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";

const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };
const SEEN = audienceOf("seen", { event: "A" });

/** A partition with so many profiles that have done A, and a first sync that a test advances. */
async function setup(users: number, perSecond = 100_000) {
  const bench = await Bench.with();
  for (let n = 0; n < users; n += 1) bench.call(callOf({ userId: `u${n}`, event: "A", ...times }));
  await bench.settled();
  bench.worker.advanceTo(NOW_MS);
  const reports = new Reports();
  const { reported } = reports;
  const start = () => new Companions(bench, reports, { perSecond });
  const advance = (sync: Companions, byMs = 250) => sync.advance(byMs);
  return { bench, reported, start, advance };
}

test("tells of each member once, from what profiles know of the past, and says how far it is", async () => {
  const { advance, bench, reported, start } = await setup(600);
  bench.computations.apply("seen", SEEN);
  const sync = start();
  for (let look = 0; look < 6; look += 1) await advance(sync);
  expect(new Set(bench.sent.map(({ user }) => user)).size).toBe(600);
  expect(bench.sent).toHaveLength(600);
  expect(reported[0]).toMatchObject({
    state: "preparing",
    profilesTotal: 600,
    fenceOffset: 600,
    isPartial: false,
  });
  expect(reported.at(-1)).toMatchObject({ state: "live", profilesDone: 600, cursor: null });
  const before = reported.length;
  await advance(sync);
  expect(reported).toHaveLength(before);
});

test("keeps its pace", async () => {
  const { advance, bench, start } = await setup(100, 10);
  bench.computations.apply("seen", SEEN);
  const sync = start();
  await advance(sync, 0);
  await advance(sync, 0);
  expect(bench.sent).toHaveLength(10);
  await advance(sync, 500);
  expect(bench.sent).toHaveLength(15);
});

test("says nothing of what is not durable, and goes on there in the next process", async () => {
  const { bench, reported, start } = await setup(600);
  bench.computations.apply("seen", SEEN);
  const done = () => reported.at(-1)?.profilesDone ?? 0;
  // The partition is lost with the write after the one that a report has followed.
  bench.store.onWritten = () => {
    if (done() > 0) bench.store.isOurs = false;
  };
  const first = start();
  await first.advanceUntil(() => !bench.store.isOurs);
  bench.store.onWritten = () => undefined;
  const before = done();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(600);
  expect(new Set(bench.sent.map(({ user }) => user)).size).toBe(before);
  first.end();
  bench.worker.close();
  await bench.settled();
  bench.store.isOurs = true;
  bench.newWorker().advanceTo(NOW_MS);
  await start().live("seen");
  expect(reported.at(-1)).toMatchObject({ state: "live", profilesDone: 600 });
  expect(new Set(bench.sent.map(({ user }) => user)).size).toBe(600);
  expect(new Set(bench.sent.map(({ messageId }) => messageId)).size).toBe(600);
});

test("goes through profiles one turn after the other, without waiting for somebody to ask", async () => {
  const { advance, bench, reported, start } = await setup(2_000);
  bench.computations.apply("seen", SEEN);
  const sync = start();
  await advance(sync, 0);
  for (let look = 0; look < 40; look += 1) await bench.settled();
  expect(reported.at(-1)).toMatchObject({ state: "live", profilesDone: 2_000 });
});

test("writes no profile of which nothing changes", async () => {
  const { advance, bench, start } = await setup(200);
  const before = bench.store.writes;
  bench.computations.apply("many", audienceOf("many", { event: "A", count: { op: "gte", value: 2 } }));
  const sync = start();
  await sync.live("many");
  expect(bench.store.writes).toBe(before);
  // What the profile knows of the past counts all the same.
  bench.call(callOf({ userId: "u7", event: "A", ...times }));
  await advance(sync);
  expect(bench.sent).toMatchObject([{ user: "u7", text: '{"many":true}' }]);
});

test("rests between its turns while calls come, and not when none do", async () => {
  const { advance, bench, reported, start } = await setup(3_000);
  bench.computations.apply("seen", SEEN);
  const sync = start();
  await advance(sync, 0);
  expect([sync.rests, reported.at(-1)?.state]).toEqual([[], "preparing"]);
  bench.call(callOf({ userId: "u1", event: "B", ...times }));
  await advance(sync, 0);
  expect(sync.rests.length).toBeGreaterThan(0);
  expect(Math.min(...sync.rests)).toBeGreaterThan(0);
  // A second later nothing has come.
  await advance(sync, 1_001);
  const rests = sync.rests.length;
  await sync.live("seen");
  expect(sync.rests).toHaveLength(rests);
});

test("goes on after a moment in which the partition may have been another's, and what it did then was forgotten", async () => {
  const { advance, bench, reported, start } = await setup(600);
  bench.computations.apply("seen", SEEN);
  const sync = start();
  await advance(sync);
  await advance(sync);
  const advanced = advance(sync);
  bench.store.isOurs = false;
  await advanced;
  bench.store.isOurs = true;
  for (let look = 0; look < 6; look += 1) await advance(sync);
  expect(bench.sent).toHaveLength(600);
  expect(reported.at(-1)).toMatchObject({ state: "live", profilesDone: 600 });
});

test("looks again at a profile of which an event cannot be folded before what it has changed is written", async () => {
  const { advance, bench, start } = await setup(3, 1);
  const where = [{ path: "properties.n", op: "gte", value: 1 }];
  bench.computations.apply("filtered", audienceOf("filtered", { event: "C", where }));
  const sync = start();
  await sync.live("filtered");
  bench.computations.apply("seen", SEEN);
  await sync.advanceUntil(() => bench.sent.length === 1);
  const write = Promise.withResolvers<void>();
  bench.store.held = write.promise;
  await bench.called(callOf({ userId: "other", event: "B", ...times }));
  const { unwritten } = bench.worker;
  while (bench.worker.unwritten === unwritten) await advance(sync);
  const call = { ...callOf({ userId: "u1", event: "C", ...times }), name: "C", previousId: null };
  bench.happen("u1", profileEvent("call", { call: { ...call, body: Buffer.from("no JSON") } }));
  write.resolve();
  await sync.live("seen");
  expect(bench.dead).toHaveLength(1);
  expect(bench.sent.map(({ user }) => user).sort()).toEqual(["u0", "u1", "u2"]);
});

test("a resume sends the net difference", async () => {
  const { advance, bench, start } = await setup(3);
  const definition = { event: "A", within: "60s", count: { op: "gte", value: 2 } };
  bench.computations.apply("twice", audienceOf("twice", definition));
  const sync = start();
  await sync.live("twice");
  bench.computations.apply("twice", audienceOf("twice", definition, { isPaused: true, updatedAtMs: 2 }));
  for (let look = 0; look < 3; look += 1) await advance(sync);
  await bench.called(callOf({ userId: "u1", event: "A", ...times }));
  expect(bench.sent).toEqual([]);
  bench.computations.apply("twice", audienceOf("twice", definition, { updatedAtMs: 3 }));
  for (let look = 0; look < 3; look += 1) await advance(sync);
  expect(bench.sent).toMatchObject([{ user: "u1", text: '{"twice":true}' }]);
});

describe("an audience that is paused and resumed before its next pass is due", () => {
  const TWICE = { event: "A", within: "60s", count: { op: "gte", value: 2 } };

  async function pausedOnce() {
    const { advance, bench, reported, start } = await setup(3);
    bench.computations.apply("twice", audienceOf("twice", TWICE));
    const sync = start();
    await sync.live("twice");
    bench.computations.apply("twice", audienceOf("twice", TWICE, { isPaused: true, updatedAtMs: 2 }));
    const resume = () => bench.computations.apply("twice", audienceOf("twice", TWICE, { updatedAtMs: 3 }));
    return { advance, bench, reported, resume, sync, start };
  }

  test("sends what a call has changed meanwhile", async () => {
    const { advance, bench, resume, sync } = await pausedOnce();
    await bench.called(callOf({ userId: "u1", event: "A", ...times }));
    resume();
    for (let look = 0; look < 3; look += 1) await advance(sync);
    expect(bench.sent).toMatchObject([{ user: "u1", text: '{"twice":true}' }]);
  });

  test("is known as paused before a profile is written that was folded meanwhile", async () => {
    const { bench, reported, sync } = await pausedOnce();
    const { promise, resolve } = Promise.withResolvers<void>();
    sync.reportHeld = promise;
    const { writes } = bench.store;
    await bench.called(callOf({ userId: "u1", event: "A", ...times }));
    expect(bench.store.writes).toBe(writes);
    resolve();
    await bench.settled();
    expect(reported.at(-1)).toMatchObject({ id: "twice", state: "live", isPaused: true });
    expect(bench.store.writes).toBe(writes + 1);
  });
});

test("a pause that is learned while it is not sure whose the partition is is known once that is", async () => {
  const { advance, bench, reported, start } = await setup(3);
  const definition = { event: "A", within: "60s", count: { op: "gte", value: 2 } };
  bench.computations.apply("twice", audienceOf("twice", definition));
  const sync = start();
  await sync.live("twice");
  bench.computations.apply("twice", audienceOf("twice", definition, { isPaused: true, updatedAtMs: 2 }));
  bench.store.isOurs = false;
  const offset = await bench.called(callOf({ userId: "u1", event: "A", ...times }));
  bench.store.isOurs = true;
  const known: unknown[] = [];
  bench.store.onWritten = () => known.push(reported.at(-1)?.isPaused);
  bench.again(offset);
  await bench.settled();
  expect(known).toEqual([true]);
  bench.computations.apply("twice", audienceOf("twice", definition, { updatedAtMs: 3 }));
  bench.worker.advanceTo(NOW_MS);
  for (let look = 0; look < 3; look += 1) await advance(sync);
  expect(bench.sent).toMatchObject([{ user: "u1", text: '{"twice":true}' }]);
});

test("a first sync that is paused and resumed on its way tells of those whom it passed meanwhile", async () => {
  const { advance, bench, reported, start } = await setup(600, 80);
  bench.computations.apply("seen", SEEN);
  const sync = start();
  await advance(sync);
  expect(bench.sent.length).toBeLessThan(100);
  bench.computations.apply("seen", audienceOf("seen", { event: "A" }, { isPaused: true, updatedAtMs: 2 }));
  const { worker } = bench;
  const load = worker.load.bind(worker);
  let looked = 0;
  worker.load = (id) => {
    looked += 1;
    if (looked === 100)
      setImmediate(() =>
        bench.computations.apply("seen", audienceOf("seen", { event: "A" }, { updatedAtMs: 3 })),
      );
    return load(id);
  };
  await sync.advanceUntil(() => {
    const { state, isPaused } = reported.at(-1) ?? {};
    return state === "live" && isPaused === false;
  });
  expect(new Set(bench.sent.map(({ user }) => user)).size).toBe(600);
  expect(bench.sent).toHaveLength(600);
});

test("two audiences that are deleted at once let their members leave, each once", async () => {
  const { advance, bench, reported, start } = await setup(2);
  for (const id of ["a", "b"]) bench.computations.apply(id, audienceOf(id, { event: "A" }));
  const sync = start();
  for (let look = 0; look < 6; look += 1) await advance(sync);
  expect(bench.sent).toHaveLength(4);
  const deleted = { deletedAtMs: 2, updatedAtMs: 2, isExitAll: true };
  for (const id of ["a", "b"]) bench.computations.apply(id, audienceOf(id, { event: "A" }, deleted));
  for (let look = 0; look < 6; look += 1) await advance(sync);
  expect(
    bench.sent
      .slice(4)
      .map(({ user, text }) => `${user} ${text}`)
      .sort(),
  ).toEqual(['u0 {"a":false}', 'u0 {"b":false}', 'u1 {"a":false}', 'u1 {"b":false}']);
  expect(reported.slice(-2).map(({ state }) => state)).toEqual(["deleted", "deleted"]);
  expect(bench.stateOf("u0")).toMatchObject({ results: [], leaves: [] });
});

test("an audience that is deleted while the pass of another's edit is due lets its members leave", async () => {
  const { advance, bench, start } = await setup(2);
  for (const id of ["a", "b"]) bench.computations.apply(id, audienceOf(id, { event: "A" }));
  const sync = start();
  for (let look = 0; look < 6; look += 1) await advance(sync);
  expect(bench.sent).toHaveLength(4);
  const edited = { generation: 2, updatedAtMs: 2 };
  bench.computations.apply("a", audienceOf("a", { event: "A", count: { op: "gte", value: 1 } }, edited));
  const deleted = { deletedAtMs: 3, updatedAtMs: 3, isExitAll: true };
  bench.computations.apply("b", audienceOf("b", { event: "A" }, deleted));
  for (let look = 0; look < 6; look += 1) await advance(sync);
  expect(bench.sent.slice(4).map(({ user, text }) => `${user} ${text}`)).toEqual([
    'u0 {"b":false}',
    'u1 {"b":false}',
  ]);
});

test("members leave a deleted audience also where it is not known how far it was", async () => {
  const { bench, start } = await setup(2);
  bench.computations.apply("a", audienceOf("a", { event: "A" }));
  const first = start();
  await first.live("a");
  expect(bench.sent).toHaveLength(2);
  // The process dies, and what it was about to write of its progress with it.
  first.end();
  const deleted = { deletedAtMs: 3, updatedAtMs: 3, isExitAll: true };
  bench.computations.apply("a", audienceOf("a", { event: "A" }, deleted));
  const reports = new Reports();
  const next = new Companions(bench, reports);
  await next.advanceUntil(() => reports.of("a")?.state === "deleted");
  expect(bench.sent.slice(2).map(({ text }) => text)).toEqual(['{"a":false}', '{"a":false}']);
});

test("a profile that cannot be read at once, as its schema is asked for, is waited for", async () => {
  const { advance, bench, start } = await setup(3);
  bench.computations.apply("seen", SEEN);
  const { worker } = bench;
  const load = worker.load.bind(worker);
  const asked = new Set<string>();
  worker.load = (id) => {
    const profile = load(id);
    if (profile === undefined || "then" in profile || asked.has(id)) return profile;
    asked.add(id);
    return Promise.resolve(profile);
  };
  worker.peek = (id) => {
    const profile = worker.load(id);
    return profile === undefined || "then" in profile ? undefined : profile;
  };
  const sync = start();
  for (let look = 0; look < 8; look += 1) await advance(sync);
  expect(bench.sent.map(({ user }) => user).sort()).toEqual(["u0", "u1", "u2"]);
});

describe("audiences that are made together", () => {
  const IDS = ["a1", "a2", "a3"];
  const EDITED = audienceOf("a1", { event: "A", count: { op: "gte", value: 1 } }, { generation: 2 });

  /** A first sync that has sent some of the members of each, and waits for its pace. */
  async function begun() {
    const all = await setup(600, 300);
    const { advance, bench, reported, start } = all;
    for (const id of IDS) bench.computations.apply(id, audienceOf(id, { event: "A" }));
    const sync = start();
    const last = (id: string) => reported.findLast((one) => one.id === id);
    await advance(sync, 0);
    await advance(sync, 0);
    expect(IDS.map((id) => last(id)?.profilesDone)).toEqual([100, 100, 100]);
    const membersOf = (id: string): (string | null)[] =>
      bench.sent.filter(({ text }) => text === `{"${id}":true}`).map(({ user }) => user);
    return { ...all, sync, last, membersOf };
  }

  test("have one pass, which sends each member of each once", async () => {
    const { membersOf, reported, sync } = await begun();
    for (const id of IDS) await sync.live(id);
    for (const id of IDS) expect(new Set(membersOf(id)).size).toBe(600);
    expect(IDS.flatMap(membersOf)).toHaveLength(1_800);
    const live = reported.filter(({ state }) => state === "live");
    expect(live.map(({ id, profilesDone }) => [id, profilesDone])).toEqual(IDS.map((id) => [id, 600]));
  });

  test("go on when one of them is edited: the others where they were, that one with the first profile", async () => {
    const { bench, last, membersOf, reported, sync } = await begun();
    const reached = last("a2")?.cursor;
    const before = reported.length;
    bench.computations.apply("a1", { ...EDITED, updatedAtMs: 2 });
    for (const [id, generation] of [
      ["a1", 2],
      ["a2", 1],
      ["a3", 1],
    ] as const)
      await sync.live(id, generation);
    const first = (id: string) => reported.slice(before).find((one) => one.id === id);
    expect([first("a1")?.cursor, first("a2")?.cursor, first("a3")?.cursor]).toEqual([null, reached, reached]);
    for (const id of IDS) expect([membersOf(id).length, new Set(membersOf(id)).size]).toEqual([600, 600]);
    expect(last("a2")?.profilesDone).toBe(600);
  });

  test("do not wait for one that is made later, and has a pass of its own", async () => {
    const { bench, membersOf, reported, sync } = await begun();
    bench.computations.apply("late", audienceOf("late", { event: "A" }, { updatedAtMs: 2 }));
    await sync.live("late");
    const liveAt = (id: string) => reported.findIndex((one) => one.id === id && one.state === "live");
    const ends = IDS.map(liveAt);
    expect(Math.min(...ends)).toBeGreaterThan(0);
    expect(liveAt("late")).toBeGreaterThan(Math.max(...ends));
    expect(membersOf("late")).toHaveLength(600);
  });
});
