import { describe, expect, test } from "@jest/globals";
import { profileEvent } from "#topics";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";

const RECENT = audienceOf("recent", { event: "A", within: "60s" });
const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };

const track = (userId: string, event = "A") => callOf({ userId, event, ...times });

describe("a call", () => {
  test("is written with what it changes, then that is sent, then its record is settled", async () => {
    const bench = await Bench.with(RECENT);
    const write = Promise.withResolvers<void>();
    const send = Promise.withResolvers<void>();
    bench.store.held = write.promise;
    bench.sendHeld = send.promise;
    const offset = await bench.called(track("u"));
    expect([bench.store.count, bench.produced.length, bench.ended.length]).toEqual([0, 0, 0]);
    write.resolve();
    await bench.settled();
    expect(bench.stateOf("u")).toMatchObject({ appliedOffset: offset, outbox: [{ text: "true" }] });
    expect([bench.produced.length, bench.ended.length]).toEqual([0, 0]);
    send.resolve();
    await bench.settled();
    expect(bench.sent).toMatchObject([{ user: "u", text: '{"recent":true}' }]);
    expect(bench.ended).toEqual([offset]);
  });

  test("is written once; that what it changes is sent follows from the group's commit", async () => {
    const bench = await Bench.with(
      RECENT,
      audienceOf("twice", { event: "A", count: { op: "gte", value: 2 } }),
    );
    await bench.called(track("u"));
    await bench.advancedTo(NOW_MS);
    expect(bench.store.writes).toBe(1);
    expect(bench.store.entries.get("u")?.dueMs).toBe(NOW_MS + 60_000);
    bench.newWorker().advanceTo(NOW_MS);
    await bench.settled();
    expect(bench.sent).toHaveLength(1);
    await bench.called(callOf({ userId: "u", event: "A", ...times, messageId: "other" }));
    expect(bench.sent.map(({ text }) => text)).toEqual(['{"recent":true}', '{"twice":true}']);
    expect(bench.stateOf("u")?.outbox).toMatchObject([{ computationId: "twice" }]);
  });

  test("is written in one batch with those that came while the batch before was under way", async () => {
    const bench = await Bench.with(RECENT);
    const write = Promise.withResolvers<void>();
    bench.store.held = write.promise;
    await bench.called(track("u0"));
    for (let n = 1; n < 50; n += 1) bench.call(track(`u${n}`));
    await bench.settled();
    write.resolve();
    await bench.settled();
    expect([bench.store.writes, bench.ended.length]).toEqual([2, 50]);
  });
});

test("of one profile so much is folded before it is written that its record stays far below what Kafka takes", async () => {
  const last = { event: "A", reduce: { fn: "last", path: "properties.v" } };
  const bench = await Bench.with(audienceOf("last", last, { kind: "trait" }));
  const write = Promise.withResolvers<void>();
  bench.store.held = write.promise;
  let most = 0;
  bench.store.onWritten = () => {
    most = Math.max(most, bench.store.get("u")?.length ?? 0);
  };
  const body = (n: number) => ({ properties: { v: `${n}${"界".repeat(490)}` } });
  for (let n = 0; n < 400; n += 1) bench.call(callOf({ userId: "u", event: "A", ...times, body: body(n) }));
  await bench.settled();
  write.resolve();
  while (bench.ended.length < 400) await bench.settled();
  expect([bench.sent.length, most > 200_000, most < 300_000]).toEqual([400, true, true]);
});

describe("a death, or the loss of the partition,", () => {
  test("before the write leaves nothing: the record is given back", async () => {
    const bench = await Bench.with(RECENT);
    const write = Promise.withResolvers<void>();
    bench.store.held = write.promise;
    const offset = await bench.called(track("u"));
    bench.store.isOurs = false;
    write.resolve();
    await bench.settled();
    expect([bench.store.count, bench.produced.length]).toEqual([0, 0]);
    expect(bench.ended).toEqual([`back ${offset}`]);
    expect(bench.failures).toEqual([]);
  });

  test("with the write's acknowledgement: who has lost it sends nothing any more", async () => {
    const bench = await Bench.with(RECENT);
    bench.store.onWritten = () => {
      bench.store.isOurs = false;
    };
    const offset = await bench.called(track("u"));
    expect([bench.store.count, bench.produced, bench.failures]).toEqual([1, [], []]);
    expect(bench.ended).toEqual([`back ${offset}`]);
  });

  test("between the write and the send: the next owner sends it, and its record changes nothing more", async () => {
    const bench = await Bench.with(RECENT);
    const never = Promise.withResolvers<void>();
    bench.sendHeld = never.promise;
    const event = profileEvent("call", {
      call: { ...track("u"), name: "A", previousId: null, body: Buffer.from("{}") },
    });
    const offset = await bench.happened("u", event);
    bench.worker.close();
    expect(bench.ended).toEqual([`back ${offset}`]);
    bench.sendHeld = undefined;
    bench.newWorker();
    bench.happen("u", event, offset);
    await bench.advancedTo(NOW_MS);
    expect(bench.sent).toMatchObject([{ user: "u", text: '{"recent":true}' }]);
    expect(bench.stateOf("u")?.results).toMatchObject([{ seq: 1, text: "true" }]);
    expect(bench.ended.at(-1)).toBe(offset);
  });

  test("after the send: it is sent once more with its record, under the same message id", async () => {
    const bench = await Bench.with(RECENT);
    const offset = await bench.called(track("u"));
    bench.ended.length = 0;
    bench.newWorker().advanceTo(NOW_MS);
    await bench.settled();
    expect(bench.sent).toHaveLength(1);
    const sending = Promise.withResolvers<void>();
    bench.sendHeld = sending.promise;
    bench.again(offset);
    await bench.settled();
    expect(bench.ended).toEqual([]);
    sending.resolve();
    await bench.settled();
    const ids = bench.sent.map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(bench.ended).toEqual([offset]);
  });

  test("after a deadline's change was written: it is due at once for the next owner, whatever is committed", async () => {
    const bench = await Bench.with(RECENT);
    await bench.called(track("u"));
    bench.sendHeld = new Promise(() => undefined);
    await bench.advancedTo(NOW_MS + 60_000);
    expect(bench.stateOf("u")).toMatchObject({ outbox: [{ text: "false" }], outboxOffset: null });
    bench.sendHeld = undefined;
    bench.newWorker().advanceTo(NOW_MS + 60_000);
    await bench.settled();
    await bench.advancedTo(NOW_MS + 60_000);
    expect(bench.sent.map(({ text }) => text)).toEqual(['{"recent":true}', '{"recent":false}']);
    expect(bench.stateOf("u")?.outbox).toEqual([]);
  });

  test("and another owner's change at the same event, written late: the later owner's is the newer", async () => {
    const bench = await Bench.with(RECENT);
    await bench.called(track("other"));
    const former = bench.worker;
    const late = Promise.withResolvers<void>();
    bench.store.held = late.promise;
    const offset = await bench.called(track("u"));
    const written: number[] = [];
    bench.store.onWritten = () => void written.push(bench.stateOf("u")?.version ?? 0);
    bench.store.held = undefined;
    bench.newWorker();
    bench.again(offset);
    await bench.settled();
    late.resolve();
    await bench.settled();
    former.close();
    const [later = 0, earlier = 0] = written;
    expect(later).toBeGreaterThan(earlier);
  });

  test("while it is not sure whose the partition is: what was folded is forgotten, and folded again", async () => {
    const bench = await Bench.with(audienceOf("twice", { event: "A", count: { op: "gte", value: 2 } }));
    bench.store.isOurs = false;
    const call = track("u");
    const [event] = [profileEvent("call", { call: { ...call, name: "A", previousId: null } })];
    await bench.happened("u", event, 7);
    expect(bench.ended).toEqual(["back 7"]);
    bench.store.isOurs = true;
    await bench.happened("u", event, 7);
    expect(bench.sent).toEqual([]);
    expect(bench.stateOf("u")?.events).toMatchObject([{ name: "A", count: 1 }]);
  });

  test("after time went on past what is forgotten: a call that is folded again is judged by its own moment", async () => {
    const count = { op: "gte", value: 2 };
    const bench = await Bench.with(audienceOf("twice", { event: "A", within: "60s", count }));
    await bench.called(track("u"));
    bench.worker.advanceTo(NOW_MS);
    expect(bench.worker.endedUntilMs).toBe(NOW_MS);
    const later = { receivedAtMs: NOW_MS + 50_000, timestampMs: NOW_MS + 50_000 };
    const call = { ...callOf({ userId: "u", event: "A", ...later }), name: "A", previousId: null };
    const event = profileEvent("call", { call });
    bench.nowMs = NOW_MS + 80_000;
    bench.store.isOurs = false;
    bench.happen("u", event, 7);
    await bench.advancedTo(NOW_MS + 70_000);
    expect(bench.ended).toEqual([0, "back 7"]);
    expect(bench.worker.endedUntilMs).toBe(0);
    bench.store.isOurs = true;
    bench.happen("u", event, 7);
    for (let look = 0; look < 2; look += 1) {
      await bench.settled();
      bench.worker.advanceTo(NOW_MS + 70_000);
    }
    await bench.settled();
    expect(bench.sent.map(({ text }) => text)).toEqual(['{"twice":true}', '{"twice":false}']);
  });
});

test("a partition that is lost while changes are sent: its records are given back, and not settled as well", async () => {
  const bench = await Bench.with(RECENT);
  const sending = Promise.withResolvers<void>();
  bench.sendHeld = sending.promise;
  await bench.called(track("u"));
  bench.worker.close();
  sending.resolve();
  await bench.settled();
  expect(bench.ended).toEqual(["back 0"]);
});

describe("a profile that cannot be read", () => {
  const damaged = (value: Buffer): Buffer => value.subarray(0, value.length - 1);
  /** Of a schema that this version cannot read, which the registry says only when it is asked. */
  const ofAnother = (value: Buffer): Buffer =>
    Buffer.concat([value.subarray(0, 4), Buffer.of(9), value.subarray(5)]);

  async function unreadable(spoil: (value: Buffer) => Buffer): Promise<Bench> {
    const bench = await Bench.with(RECENT);
    await bench.called(track("u"));
    const entry = bench.store.entries.get("u");
    if (entry === undefined) throw new Error("nothing was written");
    bench.store.entries.set("u", { ...entry, value: spoil(entry.value) });
    bench.newWorker();
    bench.ended.length = 0;
    bench.produced.length = 0;
    return bench;
  }

  test.each([
    ["damaged", damaged],
    ["another version's", ofAnother],
  ])("%s, makes its events dead letters; those of others go on", async (_, spoil) => {
    const bench = await unreadable(spoil);
    const offsets = [bench.call(track("u")), bench.call(track("other")), bench.call(track("u"))];
    await bench.settled();
    expect(bench.dead).toEqual([offsets[0], offsets[2]].map((at) => `${at} the profile cannot be read`));
    expect(bench.ended.toSorted()).toEqual(offsets);
    expect(bench.sent.map(({ user }) => user)).toEqual(["other"]);
    expect([bench.unreadable.length, bench.failures]).toEqual([1, []]);
  });

  test.each([
    ["damaged", damaged],
    ["another version's", ofAnother],
  ])("%s, stays as it is when its time comes; that of others comes all the same", async (_, spoil) => {
    const bench = await unreadable(spoil);
    bench.call(track("other"));
    const before = bench.store.get("u");
    for (let look = 0; look < 3; look += 1) {
      await bench.advancedTo(NOW_MS + 60_000);
    }
    expect(bench.sent.map(({ text, user }) => [user, text])).toEqual([
      ["other", '{"recent":true}'],
      ["other", '{"recent":false}'],
    ]);
    expect(bench.store.get("u")).toBe(before);
    expect([bench.unreadable.length, bench.failures]).toEqual([1, []]);
  });

  test("with as many others as a look takes, keeps no time from going on", async () => {
    const bench = await unreadable(damaged);
    const [[, entry] = []] = bench.store.entries;
    if (entry === undefined) throw new Error("nothing was written");
    for (let n = 0; n < 600; n += 1) bench.store.entries.set(`u${n}`, { ...entry, key: `u${n}` });
    await bench.called(track("other"));
    for (let look = 0; look < 4; look += 1) {
      await bench.advancedTo(NOW_MS + 60_000);
    }
    expect(bench.sent.map(({ text }) => text)).toEqual(['{"recent":true}', '{"recent":false}']);
  });

  test("is gone once the user is deleted, and begins anew", async () => {
    const bench = await unreadable(damaged);
    await bench.happened("u", profileEvent("delete", { deletedAtMs: NOW_MS + 1 }));
    expect([bench.dead, bench.stateOf("u")?.deletedAtMs]).toEqual([[], NOW_MS + 1]);
    bench.nowMs = NOW_MS + 5;
    await bench.called({ ...track("u"), receivedAtMs: NOW_MS + 2, timestampMs: NOW_MS + 2 });
    expect(bench.sent).toMatchObject([{ user: "u", text: '{"recent":true}' }]);
  });
});

describe("a write that fails for good", () => {
  test("ends the process, and nothing is given back before: it would come again at once, and again", async () => {
    const bench = await Bench.with(RECENT);
    bench.sendHeld = Promise.reject(new Error("too large"));
    await bench.called(track("u"));
    expect(bench.failures).toEqual([new Error("too large")]);
    bench.call(track("u"));
    await bench.advancedTo(NOW_MS + 60_000);
    expect([bench.ended, bench.failures.length]).toEqual([[], 1]);
    bench.worker.close();
    expect(bench.ended).toEqual(["back 0", "back 1"]);
  });
});

describe("time", () => {
  test("ends a membership at its deadline by the watermark, not before, and not by the clock", async () => {
    const bench = await Bench.with(RECENT);
    await bench.called(track("u"));
    bench.nowMs = NOW_MS + 100_000;
    await bench.advancedTo(NOW_MS + 59_999);
    expect(bench.sent).toHaveLength(1);
    await bench.advancedTo(NOW_MS + 60_000);
    expect(bench.sent.map(({ text }) => text)).toEqual(['{"recent":true}', '{"recent":false}']);
    expect(bench.changes).toEqual(["call", "time"]);
  });

  test("stands still while events are held back: one of them may keep who would leave", async () => {
    const bench = await Bench.with(RECENT);
    await bench.called(track("u"));
    await bench.advancedTo(0);
    const goOn = bench.worker.hold();
    bench.nowMs = NOW_MS + 60_000;
    bench.call({ ...track("u"), timestampMs: NOW_MS + 59_000, receivedAtMs: NOW_MS + 59_000 });
    await bench.advancedTo(NOW_MS + 60_000);
    goOn();
    await bench.settled();
    await bench.advancedTo(NOW_MS + 60_000);
    expect(bench.sent.map(({ text }) => text)).toEqual(['{"recent":true}']);
  });

  describe("of more profiles than it takes at a time", () => {
    async function due(): Promise<Bench> {
      const bench = await Bench.with(RECENT);
      for (let n = 0; n < 1_000; n += 1) bench.call(track(`u${n}`));
      await bench.settled();
      await bench.advancedTo(NOW_MS);
      bench.produced.length = 0;
      return bench;
    }

    test("takes 256, and the next ones once those are sent, without another look at the clock", async () => {
      const bench = await due();
      const { writes } = bench.store;
      const write = Promise.withResolvers<void>();
      bench.store.held = write.promise;
      bench.worker.advanceTo(NOW_MS + 60_000);
      expect(bench.worker.unwritten).toBe(256);
      await bench.settled();
      for (let look = 0; look < 2; look += 1) bench.worker.advanceTo(0);
      expect(bench.worker.unwritten).toBe(256);
      expect(bench.worker.endedUntilMs).toBe(NOW_MS);
      write.resolve();
      bench.store.held = undefined;
      while (bench.worker.unwritten > 0) await bench.settled();
      // Of four batches each takes others: none that was sent a moment before.
      expect(bench.store.writes - writes).toBe(4);
      expect(bench.sent).toHaveLength(1_000);
      expect(new Set(bench.sent.map(({ user }) => user)).size).toBe(1_000);
      expect(bench.worker.endedUntilMs).toBe(NOW_MS + 60_000);
    });

    test("takes calls that come meanwhile with the next ones", async () => {
      const bench = await due();
      const send = Promise.withResolvers<void>();
      bench.sendHeld = send.promise;
      await bench.advancedTo(NOW_MS + 60_000);
      bench.call({ ...track("new"), timestampMs: NOW_MS + 60_000, receivedAtMs: NOW_MS + 60_000 });
      bench.sendHeld = undefined;
      send.resolve();
      while (bench.worker.unwritten > 0) await bench.settled();
      const at = bench.sent.findIndex(({ user }) => user === "new");
      expect([at <= 2 * 256, bench.sent.length]).toEqual([true, 1_001]);
    });

    test("takes them also while each batch is full of calls", async () => {
      const bench = await due();
      const write = Promise.withResolvers<void>();
      bench.store.held = write.promise;
      await bench.called(track("first"));
      for (let n = 0; n < 300; n += 1) bench.call(track(`new${n}`));
      bench.worker.advanceTo(NOW_MS + 60_000);
      expect(bench.worker.unwritten).toBe(300 + 256);
      write.resolve();
      await bench.settled();
    });
  });
});

describe("a merged profile", () => {
  test("gives its state to the surviving one, once that is durable, and keeps where it went", async () => {
    const bench = await Bench.with(RECENT);
    bench.call(callOf({ anonymousId: "x", event: "A", ...times }));
    await bench.called(callOf({ anonymousId: "x", userId: "u", event: "B", ...times }));
    const [merge] = bench.passedOn;
    expect(merge).toMatchObject({ profileId: "u", event: { kind: "merge", movedId: "anon:x" } });
    await bench.advancedTo(NOW_MS);
    expect(bench.stateOf("anon:x")).toMatchObject({ redirectTo: "u", judgedAtMs: 0, leaves: [] });
    if (merge !== undefined) bench.happen("u", merge.event);
    await bench.settled();
    expect(bench.sent).toMatchObject([{ user: "u", text: '{"recent":true}' }]);
    await bench.called(callOf({ anonymousId: "x", event: "A", ...times }));
    expect(bench.passedOn.at(-1)).toMatchObject({ profileId: "u", event: { kind: "call", hops: 1 } });
  });

  test("whose owner died before the state was given is given by the next one", async () => {
    const bench = await Bench.with(RECENT);
    await bench.called(callOf({ anonymousId: "x", event: "A", ...times }));
    bench.sendHeld = Promise.withResolvers<void>().promise;
    await bench.happened("anon:x", profileEvent("release", { releaseTo: "u" }));
    expect(bench.passedOn).toEqual([]);
    bench.sendHeld = undefined;
    bench.newWorker().advanceTo(NOW_MS);
    await bench.settled();
    expect(bench.passedOn).toMatchObject([{ profileId: "u", event: { kind: "merge", movedId: "anon:x" } }]);
  });

  test("gives its state before a copy of a call that is in it: counted first, the copy would count twice", async () => {
    const bench = await Bench.with(RECENT);
    const call = callOf({ anonymousId: "x", event: "A", ...times });
    const first = bench.call(call);
    bench.sendHeld = Promise.withResolvers<void>().promise;
    bench.happen("anon:x", profileEvent("release", { releaseTo: "u" }));
    await bench.called(call);
    bench.sendHeld = undefined;
    bench.newWorker();
    const folded = { ...call, name: "A", previousId: null };
    await bench.happened("anon:x", profileEvent("call", { call: folded }), first);
    expect(bench.passedOn).toEqual([]);
    await bench.called(call);
    expect(bench.passedOn.map(({ event }) => event.kind)).toEqual(["merge", "call"]);
  });

  test("is not merged again: the first link stays, unless the surviving profile says that a deletion has ended it", async () => {
    const bench = await Bench.with(RECENT);
    bench.happen("anon:x", profileEvent("release", { releaseTo: "u" }));
    await bench.happened("anon:x", profileEvent("release", { releaseTo: "v" }));
    const passedBy = [{ profileId: "anon:x", linkedAtMs: 0 }];
    expect(bench.passedOn).toMatchObject([{ event: { kind: "release", releaseTo: "v", passedBy } }]);
    expect(bench.stateOf("anon:x")?.redirectTo).toBe("u");
    expect(bench.ended).toHaveLength(2);
  });
});

test("what is sent of a user who is deleted and comes back while it is written has the ids of the life that it is of", async () => {
  const bench = await Bench.with(RECENT);
  const write = Promise.withResolvers<void>();
  bench.store.held = write.promise;
  await bench.called(track("u"));
  bench.happen("u", profileEvent("delete", { deletedAtMs: NOW_MS }));
  await bench.called(callOf({ userId: "u", event: "A", receivedAtMs: NOW_MS + 1, timestampMs: NOW_MS + 1 }));
  write.resolve();
  await bench.settled();
  expect(bench.sent.map(({ text }) => text)).toEqual(['{"recent":true}', '{"recent":true}']);
  expect(new Set(bench.sent.map(({ messageId }) => messageId)).size).toBe(2);
});

test("a record that cannot be folded becomes a dead letter, and what was folded with it stays", async () => {
  const bench = await Bench.with(RECENT);
  bench.call(track("u"));
  const call = { ...track("u"), name: "A", previousId: null, body: Buffer.from("no JSON") };
  const filtered = audienceOf("large", {
    event: "A",
    where: [{ path: "properties.n", op: "gte", value: 1 }],
  });
  bench.computations.apply("large", filtered);
  const offset = bench.happen("u", profileEvent("call", { call }));
  await bench.called(track("u"));
  expect(bench.dead).toEqual([expect.stringMatching(new RegExp(`^${offset} .*JSON`))]);
  expect(bench.stateOf("u")?.events).toMatchObject([{ name: "A", count: 2 }]);
  expect(bench.ended).toHaveLength(3);
});

describe("what takes long to judge", () => {
  test("lets the event loop turn after ten milliseconds of events, which stay in their order", async () => {
    const bench = await Bench.with(RECENT);
    bench.judgingMs = 6;
    const offsets = Array.from({ length: 7 }, (_, index) => bench.call(track(`u${index % 2}`)));
    expect(bench.folded).toBe(2);
    await bench.settled();
    await bench.settled();
    expect([bench.folded, bench.ended]).toEqual([7, offsets]);
  });

  test("holds no other partition up for longer than one turn", async () => {
    const bench = await Bench.with(RECENT);
    bench.judgingMs = 6;
    for (let index = 0; index < 20; index += 1) bench.call(track(`u${index}`));
    const first = bench.worker;
    const second = bench.newWorker();
    bench.call(track("v"));
    expect([first === second, bench.folded]).toEqual([false, 2]);
    const { promise, resolve } = Promise.withResolvers<void>();
    let turns = 0;
    const look = (): void => {
      turns += 1;
      if (bench.ended.includes(20) || turns > 20) resolve();
      else setImmediate(look);
    };
    setImmediate(look);
    await promise;
    expect(turns).toBeLessThan(8);
    expect(bench.folded).toBeLessThan(20);
  });

  test("lets the event loop turn among profiles whose time has come, and ends all of them", async () => {
    const bench = await Bench.with(RECENT);
    for (let index = 0; index < 9; index += 1) bench.call(track(`u${index}`));
    await bench.settled();
    bench.judgingMs = 6;
    bench.changes.length = 0;
    bench.worker.advanceTo(NOW_MS + 60_000);
    expect(bench.changes).toEqual(["time", "time"]);
    for (let round = 0; round < 5; round += 1) await bench.settled();
    expect(bench.changes).toHaveLength(9);
    expect(bench.worker.endedUntilMs).toBe(NOW_MS + 60_000);
  });
});
