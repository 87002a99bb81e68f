// An edited audience: the definition of before holds until the new one is prepared.
import { expect, test } from "@jest/globals";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";

const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };
const TWICE = { event: "A", within: "60s", count: { op: "gte", value: 2 } };
const THRICE = { event: "A", within: "60s", count: { op: "gte", value: 3 } };
const EARLIER = [{ definition: JSON.stringify(TWICE), generation: 1 }];
const EDITED = audienceOf("often", THRICE, { generation: 2, earlier: EARLIER, updatedAtMs: 2 });

const isLeaf = ({ id }: { id: string }) => id.startsWith("leaf:");

/** Users who did A twice and three times are in an audience of those who did so twice; of two partitions the other is a test's. */
async function setup() {
  const bench = await Bench.with();
  const reports = new Reports();
  bench.worker.advanceTo(NOW_MS);
  const call = (userId: string, count: number) => {
    for (let n = 0; n < count; n += 1) bench.call(callOf({ userId, event: "A", ...times }));
  };
  call("two", 2);
  call("three", 3);
  await bench.settled();
  bench.computations.apply("often", audienceOf("often", TWICE));
  const start = () => new Companions(bench, reports, { partitions: 2 });
  /** The other partition has counted, too. */
  const countElsewhere = () => {
    const known = new Map(reports.reported.filter(isLeaf).map((one) => [one.id, one]));
    for (const one of known.values()) reports.reported.push({ ...one, state: "counted", partition: 1 });
  };
  const companions = start();
  const isCounted = (count: number) => () =>
    reports.reported.filter((one) => isLeaf(one) && one.partition === 0 && one.state === "counted").length ===
    count;
  await companions.advanceUntil(isCounted(1));
  countElsewhere();
  await companions.live("often");
  const sentLater = (): string[] => bench.sent.slice(2).map(({ text, user }) => `${user} ${text}`);
  return { bench, reports, call, start, companions, countElsewhere, isCounted, sentLater };
}

test("while it is prepared the definition of before follows calls and time; then only the differences are sent", async () => {
  const { bench, call, companions, countElsewhere, isCounted, reports, sentLater } = await setup();
  bench.computations.apply("often", EDITED);
  await companions.advanceUntil(isCounted(2));
  call("new", 2);
  await bench.settled();
  expect(sentLater()).toEqual(['new {"often":true}']);
  expect(reports.of("often")).toMatchObject({ state: "preparing", generation: 2 });
  countElsewhere();
  await companions.live("often", 2);
  expect(sentLater().sort()).toEqual(['new {"often":false}', 'new {"often":true}', 'two {"often":false}']);
  expect(bench.stateOf("three")?.leaves).toHaveLength(1);
  call("new", 1);
  await bench.settled();
  expect(sentLater().at(-1)).toBe('new {"often":true}');
});

test("one that changes nothing sends nothing", async () => {
  const { bench, companions, sentLater } = await setup();
  const same = { all: [TWICE, { any: [TWICE] }] };
  bench.computations.apply("often", { ...EDITED, definition: JSON.stringify(same) });
  await companions.live("often", 2);
  expect(sentLater()).toEqual([]);
});

test.each(Array.from({ length: 9 }, (_, moment) => moment))(
  "a process that dies in the midst of it, at moment %d, leaves one of the two to the next",
  async (moment) => {
    const { bench, call, companions, countElsewhere, start } = await setup();
    bench.computations.apply("often", EDITED);
    for (let look = 0; look < moment; look += 1) {
      await companions.advance();
      if (look === 4) countElsewhere();
    }
    companions.end();
    bench.worker.close();
    bench.newWorker().advanceTo(NOW_MS);
    const next = start();
    for (let look = 0; look < 6; look += 1) await next.advance();
    call("new", 2);
    await bench.settled();
    countElsewhere();
    await next.live("often", 2);
    const last = new Map(bench.sent.map(({ text, user }) => [user, text]));
    expect(last.get("two")).toBe('{"often":false}');
    expect(last.get("three")).toBe('{"often":true}');
    expect([undefined, '{"often":false}']).toContain(last.get("new"));
    for (const user of ["two", "three", "new"]) {
      const ids = new Map(
        bench.sent.filter((one) => one.user === user).map((one) => [one.messageId, one.text]),
      );
      const values = [...ids.values()];
      expect(values).toEqual(values.map((_, place) => `{"often":${place % 2 === 0}}`));
    }
  },
);

test("once the new definition holds, it holds for the next process too: that is written first", async () => {
  const { bench, call, companions, countElsewhere, isCounted, sentLater, start } = await setup();
  bench.computations.apply("often", EDITED);
  await companions.advanceUntil(isCounted(2));
  countElsewhere();
  let isWritten = (): void => undefined;
  companions.reportHeld = new Promise((resolve) => {
    isWritten = resolve;
  });
  for (let look = 0; look < 6; look += 1) await companions.advance();
  expect(sentLater()).toEqual([]);
  companions.end();
  bench.worker.close();
  isWritten();
  bench.newWorker().advanceTo(NOW_MS);
  const next = start();
  await next.live("often", 2);
  call("two", 1);
  await bench.settled();
  expect(sentLater()).toEqual(['two {"often":false}', 'two {"often":true}']);
});

test("a condition that nobody asks for any more: that is written before any profile without what it had counted", async () => {
  const { bench, companions, reports, sentLater } = await setup();
  let isWritten = (): void => undefined;
  companions.reportHeld = new Promise((resolve) => {
    isWritten = resolve;
  });
  bench.computations.apply("often", audienceOf("often", { event: "B" }, { generation: 2, updatedAtMs: 2 }));
  for (let look = 0; look < 6; look += 1) await companions.advance();
  expect(reports.reported.filter(isLeaf).at(-1)?.state).toBe("live");
  expect(bench.stateOf("two")?.leaves).toHaveLength(1);
  expect(sentLater()).toEqual([]);
  isWritten();
  await companions.live("often", 2);
  expect(reports.reported.filter(isLeaf).at(-1)?.state).toBe("deleted");
  expect(bench.stateOf("two")?.leaves).toEqual([]);
  expect(sentLater().sort()).toEqual(['three {"often":false}', 'two {"often":false}']);
});

test("an edit that is taken back before anything was done about it: what came meanwhile counts", async () => {
  const { bench, call, companions, countElsewhere, isCounted, sentLater } = await setup();
  bench.computations.apply("often", audienceOf("often", { event: "B" }, { generation: 2, updatedAtMs: 2 }));
  call("new", 2);
  await bench.settled();
  const back = { generation: 3, updatedAtMs: 3, earlier: [{ definition: '{"event":"B"}', generation: 2 }] };
  bench.computations.apply("often", audienceOf("often", TWICE, back));
  await companions.advanceUntil(isCounted(2));
  countElsewhere();
  await companions.live("often", 3);
  expect(sentLater()).toEqual(['new {"often":true}']);
});

test("an edit of an edit that is not prepared yet: the first definition holds on", async () => {
  const { bench, call, companions, sentLater } = await setup();
  const never = { event: "A", within: "90s", count: { op: "gte", value: 9 } };
  bench.computations.apply("often", EDITED);
  await companions.advance();
  const earlier = [{ definition: JSON.stringify(THRICE), generation: 2 }, ...EARLIER];
  const again = audienceOf("often", never, { generation: 3, earlier, updatedAtMs: 3 });
  bench.computations.apply("often", again);
  for (let look = 0; look < 8; look += 1) await companions.advance();
  call("new", 2);
  await bench.settled();
  expect(sentLater()).toEqual(['new {"often":true}']);
});
