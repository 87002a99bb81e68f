import { describe, expect, test } from "@jest/globals";
import { Bench, NOW_MS, RETENTION_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { ExpiryPass } from "./expiry-pass.ts";

const DAY_MS = 86_400_000;
const EVER = { ...audienceOf("ever", { event: "A" }), includeAnonymous: true };

const visit = (anonymousId: string, atMs = NOW_MS) =>
  callOf({ anonymousId, event: "A", receivedAtMs: atMs, timestampMs: atMs });

/** Anonymous id x has made a call. */
async function visited(): Promise<Bench> {
  const bench = await Bench.with(EVER);
  await bench.called(visit("x"));
  return bench;
}

/** A pass on the bench's worker, which looks a few times. */
function passOn(bench: Bench, { retentionMs = RETENTION_MS, lookMs = 0, logStart = 1_000 } = {}) {
  let elapsedMs = 0;
  const asked: number[] = [];
  const { telemetry } = bench.parts();
  const errors: unknown[] = [];
  let failure: Error | undefined;
  const pass = new ExpiryPass({
    retentionMs,
    worker: bench.worker,
    computations: bench.ofPartition,
    telemetry,
    host: { now: () => bench.nowMs, elapsed: () => (elapsedMs += lookMs) },
    bounds: async () => {
      asked.push(bench.nowMs);
      if (failure !== undefined) throw failure;
      return { committedTo: bench.settledTo, logStart };
    },
    onError: (error) => void errors.push(error),
  });
  return {
    asked,
    errors,
    fail: (error: Error | undefined) => {
      failure = error;
    },
    /** Time passes, and all that is known by then is folded. */
    async at(nowMs: number, looks = 4) {
      bench.nowMs = nowMs;
      for (let look = 0; look < looks; look += 1) {
        bench.worker.advanceTo(nowMs);
        pass.advance();
        await bench.settled();
      }
    },
  };
}

const texts = (bench: Bench) => bench.sent.map(({ text }) => text);
const OVER = NOW_MS + RETENTION_MS;

describe("an anonymous id that nobody has used for the retention", () => {
  test("leaves its audiences, and its record goes a day later; the next call begins anew", async () => {
    const bench = await visited();
    const pass = passOn(bench);
    await pass.at(OVER - 1);
    expect(texts(bench)).toEqual(['{"ever":true}']);
    await pass.at(OVER + DAY_MS);
    expect(texts(bench)).toEqual(['{"ever":true}', '{"ever":false}']);
    const emptied = bench.stateOf("anon:x");
    expect(emptied).toMatchObject({ events: [], judgedAtMs: 0 });
    await pass.at(OVER + 2 * DAY_MS);
    expect(bench.stateOf("anon:x")).toBeUndefined();
    expect(bench.changes).toEqual(["call", "expiry", "emptied", "removed"]);
    const offset = await bench.called(visit("x", OVER + 3 * DAY_MS));
    expect(texts(bench)).toEqual(['{"ever":true}', '{"ever":false}', '{"ever":true}']);
    const again = bench.stateOf("anon:x");
    expect(again).toMatchObject({ incarnation: offset, events: [{ count: 1 }] });
    expect(again?.version).toBeGreaterThan(Number(emptied?.version) + 1);
    expect(new Set(bench.sent.map(({ messageId }) => messageId)).size).toBe(3);
  });

  test("of whom a call comes while the tombstone is under way is there with that call alone", async () => {
    const bench = await visited();
    const pass = passOn(bench);
    await pass.at(OVER);
    const write = Promise.withResolvers<void>();
    bench.store.held = write.promise;
    await pass.at(OVER + 2 * DAY_MS, 2);
    await bench.called(visit("x", OVER + 2 * DAY_MS));
    bench.store.held = undefined;
    write.resolve();
    await bench.settled();
    expect(bench.stateOf("anon:x")).toMatchObject({ events: [{ count: 1 }], results: [{ text: "true" }] });
    expect(texts(bench)).toEqual(['{"ever":true}', '{"ever":false}', '{"ever":true}']);
  });

  test("is not lost by a call that comes in the turn in which it was to go", async () => {
    const bench = await visited();
    const pass = passOn(bench);
    await pass.at(OVER);
    bench.nowMs = OVER + 2 * DAY_MS;
    bench.worker.advanceTo(bench.nowMs);
    await pass.at(bench.nowMs, 1);
    const { store } = bench;
    expect(store.entries.has("anon:x")).toBe(true);
    const { worker } = bench;
    const profile = worker.view("anon:x");
    if (profile === undefined) throw new Error("no profile");
    worker.remove(profile);
    await bench.called(visit("x", bench.nowMs));
    expect(bench.stateOf("anon:x")).toMatchObject({ events: [{ count: 1 }] });
  });

  test("is told so once where the process dies before it is sent, and again, under the same id, where it dies after", async () => {
    const bench = await visited();
    const send = Promise.withResolvers<void>();
    bench.sendHeld = send.promise;
    await passOn(bench).at(OVER);
    expect(bench.stateOf("anon:x")?.outbox).toMatchObject([{ text: "false", seq: 2 }]);
    bench.worker.close();
    bench.sendHeld = undefined;
    bench.newWorker();
    await passOn(bench).at(OVER + 1);
    const first = bench.sent.at(-1);
    expect(texts(bench)).toEqual(['{"ever":true}', '{"ever":false}']);
    send.resolve();
    await bench.settled();
    expect(bench.sent.slice(1)).toEqual([first, first]);
  });
});

describe("a pass", () => {
  test("does nothing where nothing is to go, while time stands still, and while the partition is another's", async () => {
    const bench = await visited();
    const never = passOn(bench, { retentionMs: Number.POSITIVE_INFINITY });
    await never.at(OVER);
    const early = passOn(await Bench.with(EVER));
    await early.at(0);
    bench.store.isOurs = false;
    const lost = passOn(bench);
    await lost.at(OVER);
    expect([never.asked, early.asked, lost.asked]).toEqual([[], [], []]);
  });

  test("looks at 64 at a time, for two milliseconds at most, and begins again after a day", async () => {
    const bench = await Bench.with(EVER);
    for (let n = 0; n < 100; n += 1) bench.call(visit(`x${n}`));
    for (let n = 0; n < 100; n += 1) bench.call(callOf({ userId: `z${n}`, event: "A" }));
    await bench.settled();
    const gone = () => bench.changes.filter((cause) => cause === "expiry").length;
    const pass = passOn(bench);
    await pass.at(OVER, 2);
    expect(gone()).toBe(64);
    await pass.at(OVER, 3);
    expect([gone(), pass.asked.length]).toEqual([100, 1]);
    await pass.at(OVER + DAY_MS - 1, 3);
    expect(pass.asked.length).toBe(1);
    await pass.at(OVER + DAY_MS, 1);
    expect(pass.asked.length).toBe(2);
    const slow = passOn(bench, { lookMs: 1 });
    await slow.at(OVER + 3 * DAY_MS, 2);
    expect(bench.changes.filter((cause) => cause === "removed")).toHaveLength(1);
  });

  test("begins with the first one after a restart", async () => {
    const bench = await Bench.with(EVER);
    for (let n = 0; n < 100; n += 1) bench.call(visit(`x${n}`));
    await bench.settled();
    await passOn(bench).at(OVER, 2);
    bench.newWorker();
    await passOn(bench).at(OVER, 5);
    const left = bench.sent.filter(({ text }) => text === '{"ever":false}');
    expect(new Set(left.map(({ messageId }) => messageId)).size).toBe(100);
  });

  test("is tried again when Kafka does not say how far the log is committed", async () => {
    const bench = await visited();
    const pass = passOn(bench);
    pass.fail(new Error("no broker"));
    await pass.at(OVER);
    expect([pass.asked.length, pass.errors]).toEqual([1, [new Error("no broker")]]);
    pass.fail(undefined);
    await pass.at(OVER + 10_000);
    expect(texts(bench)).toEqual(['{"ever":true}', '{"ever":false}']);
  });
});

describe("the link of an anonymous id", () => {
  const linked = async (): Promise<Bench> => {
    const bench = await Bench.with(EVER);
    await bench.called(
      callOf({ anonymousId: "x", userId: "u", event: "A", receivedAtMs: NOW_MS, timestampMs: NOW_MS }),
    );
    return bench;
  };

  test("is written by quarters of the retention as long as calls come for it, and goes when none has", async () => {
    const bench = await linked();
    const { writes } = bench.store;
    for (const quarters of [0.5, 1, 1.5, 2]) {
      const atMs = NOW_MS + (quarters * RETENTION_MS) / 4;
      bench.nowMs = atMs;
      await bench.called(visit("x", atMs));
    }
    expect(bench.store.writes).toBe(writes + 2);
    const seenAtMs = NOW_MS + RETENTION_MS / 2;
    expect(bench.stateOf("anon:x")?.seenAtMs).toBe(seenAtMs);
    const pass = passOn(bench);
    await pass.at(seenAtMs + 1.5 * RETENTION_MS - 1);
    expect(bench.stateOf("anon:x")?.redirectTo).toBe("u");
    await pass.at(seenAtMs + 1.5 * RETENTION_MS + DAY_MS);
    expect(bench.stateOf("anon:x")).toBeUndefined();
    expect(bench.changes).toContain("unlinked");
  });

  test("stays while the log has calls from before it", async () => {
    const bench = await linked();
    await passOn(bench, { logStart: 0 }).at(NOW_MS + 2 * RETENTION_MS);
    expect(bench.stateOf("anon:x")?.redirectTo).toBe("u");
  });
});
