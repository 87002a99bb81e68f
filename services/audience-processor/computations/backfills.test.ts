import { expect, test } from "@jest/globals";
import { type AudienceConfig, type Call, type ProfileEventRecord, profileEvent } from "#topics";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";
import { profileEventsOf } from "../keying/profile-events.ts";

const at = (agoMs: number) => ({ receivedAtMs: NOW_MS - agoMs, timestampMs: NOW_MS - agoMs });
const track = (userId: string, agoMs = 0, event = "A") => callOf({ userId, event, ...at(agoMs) });
const TWICE = { event: "A", within: "60s", count: { op: "gte", value: 2 } };

async function setup(...calls: readonly Call[]) {
  const bench = await Bench.with();
  const reports = new Reports();
  bench.worker.advanceTo(NOW_MS);
  for (const call of calls) bench.call(call);
  await bench.settled();
  return { bench, reports };
}

const shown = (bench: Bench) => bench.sent.map(({ text, user }) => `${user} ${text}`).sort();

test("a new audience counts the calls that came before it, in its window, each once", async () => {
  const { bench, reports } = await setup();
  const copy = track("copied", 10);
  for (const call of [track("twice", 10), track("twice", 20), track("once"), copy, copy]) bench.call(call);
  for (const call of [track("late", 70_000), track("late", 10), track("other", 1, "B")]) bench.call(call);
  await bench.settled();
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  await new Companions(bench, reports).live("twice");
  expect(shown(bench)).toEqual(['twice {"twice":true}']);
  expect(reports.of("twice")).toMatchObject({ isPartial: false, coverageFromMs: null, eventsTotal: 8 });
  bench.call(copy);
  await bench.called(track("once"));
  expect(shown(bench)).toEqual(['once {"twice":true}', 'twice {"twice":true}']);
});

test("before it has counted everything it says nothing: not even of what it would have to take back", async () => {
  const { bench, reports } = await setup(track("was", 10), track("was", 10));
  const seldom = { any: [{ event: "A", within: "60s", count: { op: "lte", value: 1 } }], everyone: true };
  bench.computations.apply("seldom", audienceOf("seldom", seldom));
  const companions = new Companions(bench, reports);
  companions.onRead = (offset) => {
    if (offset === 0) for (const user of ["was", "new"]) bench.call(track(user));
  };
  await companions.live("seldom");
  expect(shown(bench)).toEqual(['new {"seldom":true}']);
});

test("events wait while the fence is not known to be written, and no longer", async () => {
  const { bench, reports } = await setup();
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports);
  const written = Promise.withResolvers<void>();
  companions.reportHeld = written.promise;
  await companions.advance();
  await bench.called(track("u"));
  expect([bench.ended, reports.reported.filter(({ id }) => id.startsWith("leaf:"))]).toEqual([[], []]);
  written.resolve();
  await bench.settled();
  expect(bench.ended).toEqual([0]);
  bench.call(track("u"));
  await companions.live("twice");
  expect(shown(bench)).toEqual(['u {"twice":true}']);
});

/** Users who did A as often as their number says, the older calls first; some calls came twice. */
function callsBefore(bench: Bench): void {
  for (let round = 3; round > 0; round -= 1)
    for (let user = round; user <= 3; user += 1) {
      const call = track(`u${user}`, round * 10);
      bench.call(call);
      if (round === 2) bench.call(call);
    }
}

test.each(Array.from({ length: 14 }, (_, moment) => moment))(
  "a process that dies in the midst of it, at moment %d: the next one misses nothing, and counts nothing twice",
  async (moment) => {
    const { bench, reports } = await setup();
    const definition = { event: "A", within: "60s", count: { op: "eq", value: 4 } };
    callsBefore(bench);
    await bench.settled();
    bench.computations.apply("four", audienceOf("four", definition));
    const first = new Companions(bench, reports);
    first.onRead = (offset) => {
      if (offset === moment) bench.store.isOurs = false;
    };
    for (let look = 0; look < moment; look += 1) await first.advance();
    bench.store.isOurs = false;
    first.end();
    bench.worker.close();
    await bench.settled();
    bench.store.isOurs = true;
    bench.newWorker().advanceTo(NOW_MS);
    const next = new Companions(bench, reports);
    await next.live("four");
    for (const user of ["u1", "u2", "u3"]) bench.call(track(user));
    await bench.settled();
    expect(bench.stateOf("u3")?.leaves).toMatchObject([{ longs: { length: 4 } }]);
    expect(bench.stateOf("u2")?.leaves).toMatchObject([{ longs: { length: 3 } }]);
    expect(shown(bench)).toEqual(['u3 {"four":true}']);
  },
);

test("a log that is shorter than the window is said to be: since when it counts", async () => {
  const { bench, reports } = await setup();
  bench.nowMs = NOW_MS - 50_000;
  for (let n = 0; n < 3; n += 1) bench.call(track("u", 50_000));
  bench.nowMs = NOW_MS;
  await bench.settled();
  bench.computations.apply(
    "short",
    audienceOf("short", { event: "A", within: "2m", count: { op: "gte", value: 2 } }),
  );
  bench.computations.apply(
    "long",
    audienceOf("long", { event: "A", within: "60s", count: { op: "gte", value: 2 } }),
  );
  const companions = new Companions(bench, reports, { low: 1 });
  await companions.live("short");
  await companions.live("long");
  // The log begins with the second call, 50 s ago: two minutes are more than it has, a minute is too.
  expect(reports.of("short")).toMatchObject({ isPartial: true, coverageFromMs: NOW_MS - 50_000 });
  expect(reports.of("long")).toMatchObject({ isPartial: true });
  expect(shown(bench)).toEqual(['u {"long":true}', 'u {"short":true}']);
});

test("what a merged profile did counts for the surviving one", async () => {
  const { bench, reports } = await setup(
    callOf({ anonymousId: "x", event: "A", ...at(30) }),
    callOf({ anonymousId: "x", userId: "u", event: "A", ...at(20) }),
  );
  await bench.advancedTo(NOW_MS);
  const [merge] = bench.passedOn;
  if (merge !== undefined) bench.happen("u", merge.event);
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports);
  await companions.advanceUntil(() => bench.passedOn.length === 2);
  expect(bench.passedOn[1]).toMatchObject({ profileId: "u", event: { kind: "merge", movedId: "anon:x" } });
  const [, past] = bench.passedOn;
  if (past === undefined) throw new Error("nothing was given on");
  for (let time = 0; time < 2; time += 1) bench.happen("u", past.event);
  await companions.live("twice");
  expect(shown(bench)).toEqual(['u {"twice":true}']);
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 2 } }]);
});

/** Of a profile that another partition's owner has released, with what its leaf has counted. */
async function mergeFromOther(
  call: Call,
  ...configs: readonly AudienceConfig[]
): Promise<ProfileEventRecord> {
  const other = await Bench.with(...configs);
  other.call(call);
  other.call(callOf({ anonymousId: "x", userId: "u", event: "B", ...at(20) }));
  await other.settled();
  const [merge] = other.passedOn;
  if (merge === undefined) throw new Error("nothing was given on");
  return merge.event;
}

test("a copy that came after its profile was merged counts once, as it did when it came", async () => {
  const first = callOf({ anonymousId: "x", event: "A", ...at(30) });
  const { bench, reports } = await setup();
  bench.happen("u", await mergeFromOther(first));
  for (const { event } of profileEventsOf({ ...first, ...at(10) })) bench.happen("u", event);
  await bench.called(track("u", 5));
  bench.computations.apply("once", audienceOf("once", { ...TWICE, count: { op: "eq", value: 1 } }));
  await new Companions(bench, reports).live("once");
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 1 } }]);
  expect(shown(bench)).toEqual(['u {"once":true}']);
});

test("what a merged profile has counted as it came is kept where the configuration is not read so far", async () => {
  const config = audienceOf("twice", TWICE);
  const merge = await mergeFromOther(callOf({ anonymousId: "x", event: "A", ...at(30) }), config);
  const { bench, reports } = await setup();
  bench.refresh = async () => bench.computations.apply("twice", config);
  bench.happen("u", merge);
  await bench.called(track("u", 10));
  bench.computations.apply("twice", config);
  await new Companions(bench, reports).live("twice");
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 2 } }]);
  expect(shown(bench)).toEqual(['u {"twice":true}']);
});

test("of what was merged that nothing asks for any more nothing is kept, and nothing waits", async () => {
  const merge = await mergeFromOther(
    callOf({ anonymousId: "x", event: "A", ...at(30) }),
    audienceOf("twice", TWICE),
  );
  const { bench } = await setup();
  let looks = 0;
  bench.refresh = async () => {
    looks += 1;
  };
  await bench.happened("u", merge);
  expect([looks, bench.ended, bench.stateOf("u")?.leaves]).toEqual([1, [0], []]);
});

test("a merge that waits for a condition to begin does not wait for the reading for another one, which waits for events", async () => {
  const config = audienceOf("twice", TWICE);
  const merge = await mergeFromOther(callOf({ anonymousId: "x", event: "A", ...at(30) }), config);
  const { bench, reports } = await setup();
  bench.computations.apply("other", audienceOf("other", { ...TWICE, within: "90s" }));
  bench.nowMs = NOW_MS + 1_000;
  const companions = new Companions(bench, reports);
  for (let look = 0; look < 3; look += 1) await companions.advance();
  bench.computations.apply("twice", config);
  bench.happen("u", merge);
  bench.worker.advanceTo(bench.nowMs);
  expect([bench.ended, bench.worker.watermarkMs]).toEqual([[], NOW_MS]);
  await companions.advance();
  expect(bench.ended).toEqual([0]);
  bench.worker.advanceTo(bench.nowMs);
  await companions.live("other");
  await companions.live("twice");
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 1 } }]);
});

test("what a merged profile has counted is kept where the condition is asked for again and begins anew", async () => {
  const config = audienceOf("first", TWICE);
  const { bench, reports } = await setup(track("u", 30));
  bench.computations.apply("first", config);
  const companions = new Companions(bench, reports);
  await companions.live("first");
  bench.computations.apply("first", { ...config, deletedAtMs: 2, updatedAtMs: 2 });
  await companions.advanceUntil(() => reports.of("first")?.state === "deleted");
  const again = audienceOf("again", TWICE, { updatedAtMs: 3 });
  bench.computations.apply("again", again);
  bench.happen("u", await mergeFromOther(callOf({ anonymousId: "x", event: "A", ...at(20) }), again));
  await companions.live("again");
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 2 } }]);
  expect(shown(bench)).toEqual(['u {"again":true}']);
});

test("is live when the other partitions have counted, too: they may have found something of its profiles", async () => {
  const { bench, reports } = await setup(track("u", 10), track("u", 20));
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports, { partitions: 2 });
  const isLeaf = ({ id }: { id: string }) => id.startsWith("leaf:");
  await companions.advanceUntil(() => reports.reported.findLast(isLeaf)?.state === "counted");
  for (let look = 0; look < 5; look += 1) await companions.advance();
  expect([shown(bench), reports.of("twice")?.state]).toEqual([[], "preparing"]);
  const own = reports.reported.findLast(isLeaf);
  if (own === undefined) throw new Error("nothing was reported");
  reports.reported.push({ ...own, partition: 1 });
  await companions.live("twice");
  expect(shown(bench)).toEqual(['u {"twice":true}']);
});

/** An audience of two partitions, live by what the other one has counted; the test says how that one's leaf goes on. */
async function countedInTwo(calls: readonly Call[], perSecond = 100_000) {
  const { bench, reports } = await setup(...calls);
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports, { partitions: 2, perSecond });
  const ofLeaf = () =>
    reports.reported.filter(({ id, partition }) => id.startsWith("leaf:") && partition === 0);
  const elsewhere = (state: string, life: number): void => {
    const own = ofLeaf().at(-1);
    if (own !== undefined) reports.reported.push({ ...own, partition: 1, state, generation: life });
  };
  const leafIs = (state: string) => companions.advanceUntil(() => ofLeaf().at(-1)?.state === state);
  await leafIs("counted");
  elsewhere("live", 0);
  return { bench, reports, companions, ofLeaf, elsewhere, leafIs };
}

test("begins anew where another partition has: that one has lost what profiles of this one had given to its own", async () => {
  const calls = [track("u", 10), track("u", 20)];
  const { bench, companions, elsewhere, leafIs, ofLeaf } = await countedInTwo(calls);
  await companions.live("twice");
  const before = ofLeaf().length;

  elsewhere("deleted", 0);
  for (let look = 0; look < 5; look += 1) await companions.advance();
  expect(ofLeaf()).toHaveLength(before);
  elsewhere("preparing", 3);
  await leafIs("counted");
  const since = ofLeaf().slice(before);
  const said = new Set(since.map(({ generation, state }) => `${state} ${generation}`));
  expect(said).toEqual(new Set(["deleted 0", "preparing 3", "counted 3"]));
  // What was counted in the life before counts no more.
  elsewhere("live", 0);
  for (let look = 0; look < 5; look += 1) await companions.advance();
  expect(ofLeaf().at(-1)?.state).toBe("counted");
  elsewhere("counted", 3);
  await leafIs("live");
  await companions.live("twice");
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 2 } }]);
  expect(shown(bench)).toEqual(['u {"twice":true}']);
});

test.each([
  ["its own first pass", 3, []],
  ["no pass", 100_000, []],
  ["the pass of another one", 8, ["other"]],
])("what changes while a leaf begins anew is found behind that: during %s", async (_, perSecond, others) => {
  const users = Array.from({ length: 9 }, (_, n) => `u${n}`);
  const calls = users.flatMap((user) => [track(user, 10), track(user, 20)]);
  const lone = Array.from({ length: 40 }, (_, n) => track(`lone${n}`, 1, "C"));
  const { bench, reports, ...all } = await countedInTwo([...calls, ...lone], perSecond);
  const { companions, elsewhere, leafIs } = all;
  if (perSecond === 3) await companions.advanceUntil(() => bench.sent.length >= 3);
  else await companions.live("twice");
  for (const id of others) bench.computations.apply(id, audienceOf(id, { event: "C" }));
  elsewhere("preparing", 1);
  await leafIs("counted");
  for (let n = 0; n < 2; n += 1) bench.call(track("while"));
  await bench.settled();
  elsewhere("counted", 1);
  await leafIs("live");
  for (const id of others) expect(reports.of(id)?.state).toBe("preparing");
  for (const id of ["twice", ...others]) await companions.live(id);
  expect(shown(bench).filter((text) => text.includes("twice"))).toEqual(
    [...users, "while"].map((user) => `${user} {"twice":true}`),
  );
});

test("what is done is not looked at again until something has changed", async () => {
  const { bench, reports } = await setup(track("u", 10));
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports);
  await companions.live("twice");
  // What the last looks have changed themselves is looked at once more.
  for (let look = 0; look < 3; look += 1) await companions.advance();
  const before = companions.looks;
  for (let look = 0; look < 5; look += 1) await companions.advance();
  expect(companions.looks).toBe(before);
  bench.computations.apply("other", audienceOf("other", { event: "C" }));
  await companions.live("other");
  expect(companions.looks).toBeGreaterThan(before);
});

test("is live also when the partition was not sure to be ours as that was written", async () => {
  const { bench, reports } = await setup(track("u", 10), track("u", 20));
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const isLeaf = ({ id }: { id: string }) => id.startsWith("leaf:");
  const first = new Companions(bench, reports);
  await first.advanceUntil(() => reports.reported.findLast(isLeaf)?.state === "counted");
  first.end();
  const next = new Companions(bench, reports);
  const written = Promise.withResolvers<void>();
  next.reportHeld = written.promise;
  await next.advance();
  bench.store.isOurs = false;
  written.resolve();
  await bench.settled();
  bench.store.isOurs = true;
  expect(reports.reported.findLast(isLeaf)?.state).toBe("live");
  await next.live("twice");
  expect(shown(bench)).toEqual(['u {"twice":true}']);
});

test("once the partition is another process's, no reading that is under way reports anything of it", async () => {
  const { bench, reports } = await setup(track("u", 10), track("u", 20));
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports);
  await companions.advance();
  const before = reports.reported.length;
  const offsets = Promise.withResolvers<void>();
  companions.offsetsHeld = offsets.promise;
  await companions.advance();
  companions.end();
  bench.worker.close();
  offsets.resolve();
  await bench.settled();
  expect([before > 0, reports.reported.slice(before), companions.errors]).toEqual([true, [], []]);
});

test("a condition that was gone and comes back begins anew", async () => {
  const { bench, reports } = await setup(track("u", 30), track("v", 30));
  bench.computations.apply("first", audienceOf("first", TWICE));
  const companions = new Companions(bench, reports);
  await companions.live("first");
  bench.computations.apply("first", audienceOf("first", TWICE, { deletedAtMs: 2, updatedAtMs: 2 }));
  await companions.advanceUntil(() => reports.of("first")?.state === "deleted");
  await bench.called(track("v", 20));
  bench.computations.apply("again", audienceOf("again", TWICE, { updatedAtMs: 3 }));
  await companions.live("again");
  expect(shown(bench)).toEqual(['v {"again":true}']);
  expect(bench.stateOf("v")?.leaves).toMatchObject([{ longs: { length: 2 } }]);
});

test("a condition that comes back waits for what is found until it is counted again, not until it was counted before", async () => {
  const { bench, reports } = await setup(track("u", 10));
  const companions = new Companions(bench, reports);
  const ofLeaf = () => reports.reported.findLast(({ id }) => id.startsWith("leaf:"));
  companions.onRead = () => {
    bench.nowMs += 3_000;
  };
  /** It begins when all that is there is folded, and is counted three seconds later. */
  const counted = async (id: string, life: number, atMs: number): Promise<void> => {
    bench.nowMs = atMs;
    bench.worker.advanceTo(atMs);
    bench.computations.apply(id, audienceOf(id, TWICE, { updatedAtMs: life + 1 }));
    await companions.advanceUntil(() => ofLeaf()?.state === "counted" && ofLeaf()?.generation === life);
    for (let look = 0; look < 3; look += 1) await companions.advance();
  };
  await counted("first", 0, NOW_MS);
  const gone = { deletedAtMs: 2, updatedAtMs: 2 };
  bench.computations.apply("first", audienceOf("first", TWICE, gone));
  await companions.advanceUntil(() => reports.of("first")?.state === "deleted");
  await counted("again", 1, NOW_MS + 4_000);
  expect(ofLeaf()).toMatchObject({ state: "counted", generation: 1 });
  bench.worker.advanceTo(NOW_MS + 7_000);
  await companions.live("again");
});

test("a condition that is gone and comes back while the log is read for it begins anew", async () => {
  const { bench, reports } = await setup();
  const four = { ...TWICE, count: { op: "eq", value: 4 } };
  for (const ago of [40, 30]) bench.call(track("u", ago));
  await bench.settled();
  bench.computations.apply("first", audienceOf("first", four));
  const companions = new Companions(bench, reports);
  companions.onRead = (offset) => {
    if (offset !== 0 || bench.log.length > 2) return;
    bench.computations.apply("first", audienceOf("first", four, { deletedAtMs: 2, updatedAtMs: 2 }));
    bench.call(track("u", 20));
    bench.computations.apply("again", audienceOf("again", four, { updatedAtMs: 3 }));
  };
  await companions.live("again");
  await bench.called(track("u", 10));
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 4 } }]);
  expect(shown(bench)).toEqual(['u {"again":true}']);
});

test("how many events are to be read is known while other partitions read theirs", async () => {
  const { bench, reports } = await setup();
  for (let n = 0; n < 3; n += 1) bench.call(track("u", 30));
  await bench.settled();
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports);
  const turn = Promise.withResolvers<void>();
  companions.turnHeld = turn.promise;
  await companions.advanceUntil(() => (reports.of("twice")?.eventsTotal ?? 0) > 0);
  expect(reports.of("twice")).toMatchObject({ state: "preparing", eventsDone: 0, eventsTotal: 3 });
  turn.resolve();
  await companions.live("twice");
});

test("what was folded and is forgotten while other partitions read their logs is waited for again", async () => {
  const { bench, reports } = await setup();
  for (let n = 0; n < 2; n += 1) bench.call(track("u", 30));
  await bench.settled();
  bench.computations.apply("twice", audienceOf("twice", TWICE));
  const companions = new Companions(bench, reports);
  const turn = Promise.withResolvers<void>();
  companions.turnHeld = turn.promise;
  await companions.advanceUntil(() => (reports.of("twice")?.eventsTotal ?? 0) > 0);
  bench.worker.close();
  turn.resolve();
  for (let look = 0; look < 3; look += 1) await companions.advance();
  expect(companions.errors).toEqual([]);
  expect(reports.all("twice").map(({ state }) => state)).not.toContain("live");
});

test("a condition that is gone and comes back while other partitions read their logs begins anew", async () => {
  const { bench, reports } = await setup();
  const three = { ...TWICE, count: { op: "eq", value: 3 } };
  await bench.called(track("u", 30));
  bench.computations.apply("first", audienceOf("first", three));
  const companions = new Companions(bench, reports);
  const turn = Promise.withResolvers<void>();
  companions.turnHeld = turn.promise;
  for (let look = 0; look < 3; look += 1) await companions.advance();
  bench.computations.apply("first", audienceOf("first", three, { deletedAtMs: 2, updatedAtMs: 2 }));
  await bench.called(track("u", 20));
  bench.computations.apply("again", audienceOf("again", three, { updatedAtMs: 3 }));
  for (let look = 0; look < 3; look += 1) await companions.advance();
  turn.resolve();
  await companions.live("again");
  await bench.called(track("u", 10));
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ longs: { length: 3 } }]);
  expect(shown(bench)).toEqual(['u {"again":true}']);
});

test("an event that cannot be read is passed over", async () => {
  const { bench, reports } = await setup();
  const call = { ...track("u"), name: "A", previousId: null, body: Buffer.from("no JSON") };
  bench.happen("u", profileEvent("call", { call }));
  for (let n = 0; n < 2; n += 1) bench.call(track("u"));
  await bench.settled();
  const where = [{ path: "properties.n", op: "not_exists" }];
  bench.computations.apply("twice", audienceOf("twice", { any: [{ ...TWICE, where }] }));
  const companions = new Companions(bench, reports);
  await companions.live("twice");
  expect(shown(bench)).toEqual(['u {"twice":true}']);
  expect(companions.errors).toEqual([]);
});

test("a profile stays as large as it may be, whatever its log has: what has no room is left out, and is said to be", async () => {
  const { bench, reports } = await setup();
  const urls = (from: number): void => {
    for (let n = from; n < from + 300; n += 1)
      bench.call(callOf({ userId: "u", event: "A", ...at(10), body: { url: `${n}`.padEnd(500, "x") } }));
  };
  urls(0);
  await bench.settled();
  const reduce = { fn: "unique", path: "url" };
  bench.computations.apply(
    "urls",
    audienceOf("urls", { event: "A", within: "60s", reduce }, { kind: "trait" }),
  );
  let largest = 0;
  bench.store.onWritten = () => {
    largest = Math.max(largest, JSON.stringify(bench.stateOf("u")?.leaves).length);
  };
  await new Companions(bench, reports).live("urls");
  expect(bench.stateOf("u")?.leaves).toMatchObject([{ kind: "values", isOverflowing: true }]);
  expect([largest < 66_000, bench.incomplete]).toEqual([true, ["urls"]]);
  urls(300);
  await bench.settled();
  expect(bench.stateOf("u")?.events).toMatchObject([{ name: "A", count: 600 }]);
});

test("what is said of a condition that nobody asks for ends a day later, once no partition counts it; profiles keep nothing of it, and it comes back behind its life", async () => {
  const { bench, companions, elsewhere, ofLeaf } = await countedInTwo([track("u", 10), track("u", 20)]);
  await companions.live("twice");
  const readable = audienceOf("twice", TWICE);
  // No pass looks at profiles for it.
  bench.computations.apply("twice", { ...readable, definition: "{" });
  const days = async (): Promise<void> => {
    bench.nowMs += 86_400_001;
    bench.worker.advanceTo(bench.nowMs);
    bench.computations.apply("other", audienceOf("other", { event: "C" }, { updatedAtMs: bench.nowMs }));
    await companions.live("other");
    for (let look = 0; look < 5; look += 1) await companions.advance();
  };
  await days();
  expect([ofLeaf().at(-1)?.state, bench.stateOf("u")?.leaves.length]).toEqual(["deleted", 1]);
  elsewhere("deleted", 0);
  await days();
  expect(ofLeaf()).toMatchObject([{ id: "leaf:", state: "deleted", generation: 1 }]);
  expect([bench.stateOf("u")?.leaves, companions.errors]).toEqual([[], []]);
  bench.computations.apply("twice", readable);
  await companions.advanceUntil(() => ofLeaf().at(-1)?.state === "counted");
  expect(ofLeaf().at(-1)?.generation).toBe(1);
});
