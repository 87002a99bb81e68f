// Which changes have a track call: not those by which a new audience finds its members.
import { expect, test } from "@jest/globals";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";

const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };
const tracked = (more: object = {}) =>
  audienceOf("seen", { event: "A" }, { hasTrackCalls: true, sentTraits: ["plan"], name: "Seen", ...more });

async function setup() {
  const bench = await Bench.with();
  const plan = { type: "identify", event: null, body: { traits: { plan: "pro" } } };
  bench.call(callOf({ userId: "member", ...times, ...plan }));
  await bench.called(callOf({ userId: "member", event: "A", ...times }));
  bench.worker.advanceTo(NOW_MS);
  const sync = new Companions(bench, new Reports());
  const configure = async (config: ReturnType<typeof tracked>) => {
    bench.computations.apply("seen", config);
    for (let look = 0; look < 6; look += 1) await sync.advance(250);
  };
  const textsOf = () => bench.tracked.map(({ text, user }) => `${user} ${text}`);
  return { bench, configure, sync, textsOf };
}

const PROPERTIES = '"audience_key":"seen","audience_name":"Seen","audience_id":"seen"}';

test("who is found when the audience is made has not entered; who does A later has, with traits of then", async () => {
  const { bench, configure, textsOf } = await setup();
  await configure(tracked());
  expect(bench.sent).toMatchObject([{ user: "member", text: '{"plan":"pro","seen":true}' }]);
  expect(textsOf()).toEqual([]);
  await bench.called(callOf({ userId: "later", event: "A", ...times }));
  expect(textsOf()).toEqual([`later Audience Entered {${PROPERTIES}`]);
  expect(bench.tracked[0]?.messageId).not.toBe(bench.sent[1]?.messageId);
});

test("who comes in before the first pass has come by has not entered either", async () => {
  const { bench, configure, textsOf } = await setup();
  bench.computations.apply("seen", tracked());
  await bench.called(callOf({ userId: "between", event: "A", ...times }));
  expect([bench.sent.length, textsOf()]).toEqual([1, []]);
  await configure(tracked());
  expect([bench.sent.length, textsOf()]).toEqual([2, []]);
});

test("an edit, a resume and a deletion with exitAll are changes; one that was never prepared has none", async () => {
  const { configure, textsOf } = await setup();
  await configure(tracked());
  const none = { event: "A", count: { op: "gte", value: 2 } };
  const edited = { definition: JSON.stringify(none), generation: 2, updatedAtMs: 2 };
  await configure(tracked(edited));
  const left = `member Audience Exited {"plan":"pro",${PROPERTIES}`;
  expect(textsOf()).toEqual([left]);
  const back = { generation: 3, updatedAtMs: 3 };
  await configure(tracked({ ...back, isPaused: true }));
  expect(textsOf()).toEqual([left]);
  await configure(tracked({ ...back, updatedAtMs: 4 }));
  const entered = `member Audience Entered {"plan":"pro",${PROPERTIES}`;
  expect(textsOf()).toEqual([left, entered]);
  await configure(tracked({ ...back, updatedAtMs: 5, deletedAtMs: 5, isExitAll: true }));
  expect(textsOf()).toEqual([left, entered, left]);
});

test("of an audience that is made paused the resume finds the members, and none of them has entered", async () => {
  const { bench, configure, textsOf } = await setup();
  await configure(tracked({ isPaused: true }));
  await configure(tracked({ updatedAtMs: 2 }));
  expect([bench.sent.length, textsOf()]).toEqual([1, []]);
});

test("read again after a death, a change is said under the same ids, with the traits of its moment", async () => {
  const bench = await Bench.with(tracked());
  const setPlan = (plan: string) =>
    bench.call(callOf({ userId: "u", ...times, type: "identify", body: { traits: { plan } } }));
  setPlan("pro");
  await bench.settled();
  // The profile is durable, and the process dies before what it has to say is sent.
  bench.sendHeld = new Promise(() => undefined);
  const offset = await bench.called(callOf({ userId: "u", event: "A", ...times }));
  expect(bench.stateOf("u")).toMatchObject({ outbox: [{ traits: '{"plan":"pro"}', isTracked: true }] });
  bench.sendHeld = undefined;
  const said = `u Audience Entered {"plan":"pro",${PROPERTIES}`;
  for (const _ of [1, 2]) {
    bench.newWorker();
    bench.again(offset);
    setPlan("free");
    await bench.settled();
  }
  expect(bench.sent.map(({ text }) => text)).toEqual(['{"plan":"pro","seen":true}']);
  expect(bench.tracked.map(({ text, user }) => `${user} ${text}`)).toEqual([said]);
});
