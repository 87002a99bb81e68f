import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { deadLetter } from "#support/records";
import type { DeadLetter, DestinationConfig, Replay } from "#topics";
import { topicMap } from "#topics";
import type { ListedDeadLetter } from "../../deliveries/index/dead-letters-table.ts";
import { placeOf } from "../../records/places/places.ts";
import { replay } from "../../records/replays/fixtures/replay.ts";
import { type ReplayWork, workOn } from "./worker.ts";

const PLACES = Array.from({ length: 10 }, (_, offset) => placeOf({ partition: 0, offset }));
/** By id, in another order than they died. */
const LISTED: Record<string, number | undefined> = { late: PLACES[7], early: PLACES[2], middle: PLACES[5] };
const { deliveryJobs: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

/** A replay of ten dead letters, one a step; pauses last until the test ends them, and time passes by them alone. */
function setup(changes: Partial<Replay> = {}) {
  const saved: Replay[] = [];
  const sent: number[] = [];
  const pauses: { ms: number; end(): void }[] = [];
  const world = {
    isCovered: true,
    /** Which shows at the next read. */
    isDamaged: false,
    isCancelled: false,
    elapsedMs: 0,
    looks: 0,
    stepMs: 0,
    acknowledged: Promise.resolve(),
    gone: new Set<number>(),
    deleted: new Set<string>(),
  };
  const asked: (readonly number[])[] = [];
  const running = replay({ ends: [100], callsPerSecond: 2, ...changes });
  const ending = new AbortController();
  const work: ReplayWork = {
    store: {
      get: (id) => (id === "gone" ? undefined : running),
      isCancelled: () => world.isCancelled,
      async put(written) {
        saved.push(written);
      },
    },
    index: {
      findDeadLetter: (id) => (id in LISTED ? ({ place: LISTED[id] } as ListedDeadLetter) : undefined),
      replayablePlaces(_, { above, limit }) {
        if (world.isDamaged) world.isCovered = false;
        return world.isCovered ? PLACES.filter((place) => place > above).slice(0, limit) : [];
      },
    },
    progress: {
      async untilCovers(kind, ends, timeoutMs) {
        expect([kind, ends]).toEqual(["deadLetters", [100]]);
        world.looks += 1;
        if (timeoutMs > 0) await new Promise(setImmediate);
        return world.isCovered;
      },
    },
    deadLetters: {
      async read(places) {
        asked.push(places);
        const left = places.filter((place) => !world.gone.has(place));
        return new Map(
          left.map((place): [number, DeadLetter] => [
            place,
            deadLetter({ id: `${place}`, body: Buffer.from(`${place}`) }),
          ]),
        );
      },
    },
    deletedUsers: { isOfDeleted: ({ body }) => world.deleted.has(body.toString()) },
    destination: (): DestinationConfig | undefined => undefined,
    async write(records) {
      sent.push(records.length);
      world.elapsedMs += world.stepMs;
      await world.acknowledged;
    },
    serde: { encode: () => Buffer.of() },
    topic,
    onReplayed: () => undefined,
    host: {
      ...systemHost,
      elapsed: () => world.elapsedMs,
      delay(ms, signal) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        signal?.addEventListener("abort", () => reject(new Error("ended")));
        const end = () => {
          world.elapsedMs += ms;
          resolve();
        };
        pauses.push({ ms, end });
        return promise;
      },
    },
    nowMs: () => 0,
  };
  const working = workOn(running.id, work, ending.signal);
  working.catch(() => undefined);
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  }
  async function steps(count: number): Promise<void> {
    await turns();
    for (let step = 1; step < count; step += 1) {
      pauses.at(-1)?.end();
      await turns();
    }
  }
  async function end(count: number): Promise<void> {
    await steps(count);
    await working;
  }
  return { asked, end, ending, pauses, saved, sent, steps, turns, work: working, world };
}

describe("work on a replay", () => {
  test("begins when the index knows every dead letter that is meant, and not before", async () => {
    const bench = setup();
    bench.world.isCovered = false;
    await bench.turns();
    expect(bench.world.looks).toBeGreaterThan(1);
    expect(bench.sent).toEqual([]);
    bench.world.isCovered = true;
    await bench.steps(1);
    expect(bench.sent).toEqual([1]);
    bench.ending.abort();
    await bench.work;
  });

  test("that waits for the index ends with its owner", async () => {
    const bench = setup();
    bench.world.isCovered = false;
    await bench.turns();
    bench.ending.abort();
    await expect(bench.work).rejects.toThrow();
    expect([bench.sent, bench.saved]).toEqual([[], []]);
  });

  test("waits while the index is made again meanwhile, and then goes on", async () => {
    const bench = setup({ callsPerSecond: 8 });
    await bench.steps(1);
    bench.world.isDamaged = true;
    await bench.steps(2);
    expect([bench.sent, bench.saved]).toEqual([[2], []]);
    Object.assign(bench.world, { isDamaged: false, isCovered: true });
    await bench.turns();
    await bench.end(5);
    expect(bench.saved.at(-1)).toMatchObject({ state: "finished", replayed: 10 });
  });

  test("of one that is cancelled while the index is made again sends no more", async () => {
    const bench = setup();
    bench.world.isCovered = false;
    await bench.turns();
    Object.assign(bench.world, { isCancelled: true, isCovered: true });
    await bench.work;
    expect([bench.sent, bench.saved.map(({ state }) => state)]).toEqual([[], ["cancelled"]]);
  });

  test("keeps its pace, and writes how far it is once a second", async () => {
    const bench = setup();
    await bench.steps(5);
    expect(bench.pauses.map(({ ms }) => ms)).toEqual([500, 500, 500, 500, 500]);
    expect(bench.saved.map(({ replayed, cursor }) => [replayed, cursor])).toEqual([
      [3, "0:2"],
      [5, "0:4"],
    ]);
    bench.ending.abort();
    await bench.work;
  });

  test("counts what it has sent once that is acknowledged, and sends nothing more until then", async () => {
    const bench = setup();
    const { promise, resolve } = Promise.withResolvers<void>();
    await bench.steps(1);
    bench.world.acknowledged = promise;
    await bench.steps(2);
    bench.world.elapsedMs += 5_000;
    await bench.turns();
    expect([bench.sent, bench.pauses.length, bench.saved]).toEqual([[1, 1], 1, []]);
    resolve();
    await bench.turns();
    expect(bench.saved.map(({ replayed, cursor }) => [replayed, cursor])).toEqual([[2, "0:1"]]);
    bench.ending.abort();
    await bench.work;
  });

  test("goes no further than what Kafka has taken: of what it refused nothing is counted", async () => {
    const bench = setup();
    await bench.steps(2);
    bench.world.acknowledged = Promise.reject(new Error("Kafka is away"));
    await bench.steps(2);
    await expect(bench.work).rejects.toThrow("Kafka is away");
    expect([bench.sent, bench.saved]).toEqual([[1, 1, 1], []]);
  });

  test("writes at its hand-over how far it came, so that the next owner sends nothing again", async () => {
    const bench = setup();
    await bench.steps(2);
    expect(bench.saved).toEqual([]);
    bench.ending.abort();
    await bench.work;
    expect(bench.saved).toEqual([expect.objectContaining({ state: "running", replayed: 2, cursor: "0:1" })]);
  });

  test("goes on behind what an earlier owner sent, and finishes", async () => {
    const bench = setup({ cursor: "0:7", replayed: 8 });
    await bench.end(3);
    expect(bench.sent).toEqual([1, 1]);
    expect(bench.saved.at(-1)).toMatchObject({ state: "finished", replayed: 10, cursor: "0:9" });
  });

  test("of named dead letters takes them in the order in which they died, without those that are not known", async () => {
    const ids = ["late", "none", "early", "middle"];
    const bench = setup({ ids, destinationId: null, matched: 4, callsPerSecond: 8 });
    await bench.end(3);
    expect(bench.asked).toEqual([[PLACES[2], PLACES[5]], [PLACES[7]]]);
    expect(bench.saved.at(-1)).toMatchObject({ state: "finished", replayed: 3, expired: 1 });
  });

  test("of named dead letters goes on behind the place of the last one that was sent", async () => {
    const bench = setup({ ids: ["late", "early", "middle"], destinationId: null, cursor: "0:5" });
    await bench.end(2);
    expect(bench.asked.flat()).toEqual([PLACES[7]]);
  });

  test("counts those that retention removed before their turn, and goes on behind them", async () => {
    const bench = setup({ callsPerSecond: 8, expired: 3 });
    for (const place of [PLACES[1], PLACES[2]]) if (place !== undefined) bench.world.gone.add(place);
    await bench.end(6);
    expect(bench.sent).toEqual([1, 1, 2, 2, 2]);
    expect(bench.saved.at(-1)).toMatchObject({ state: "finished", replayed: 8, expired: 5, cursor: "0:9" });
  });

  test("counts those that have left the index before their turn, too, but of a cancelled one", async () => {
    for (const isCancelled of [false, true]) {
      const bench = setup({ callsPerSecond: 40, matched: 15, expired: 1, deleted: 2 });
      await bench.steps(1);
      bench.world.isCancelled = isCancelled;
      await bench.end(2);
      expect(bench.saved.at(-1)).toMatchObject({ replayed: 10, deleted: 2, expired: isCancelled ? 1 : 3 });
    }
  });

  test("leaves out those of users that were deleted since, counts them, and goes on behind them", async () => {
    const bench = setup({ callsPerSecond: 8, deleted: 1 });
    for (const place of [PLACES[1], PLACES[2]]) if (place !== undefined) bench.world.deleted.add(`${place}`);
    await bench.end(6);
    expect(bench.sent).toEqual([1, 1, 2, 2, 2]);
    const end = { state: "finished", replayed: 8, expired: 0, deleted: 3, cursor: "0:9" };
    expect(bench.saved.at(-1)).toMatchObject(end);
  });

  test("takes what a step has taken from the pause behind it; one that took as long needs none", async () => {
    const bench = setup();
    bench.world.stepMs = 200;
    await bench.steps(1);
    expect(bench.pauses.map(({ ms }) => ms)).toEqual([300]);
    bench.world.stepMs = 500;
    await bench.end(2);
    expect(bench.pauses).toHaveLength(1);
    expect(bench.sent).toHaveLength(10);
  });

  test.each([{ state: "finished" }, { id: "gone" }])(
    "of one that has ended, or is not there, does nothing: %j",
    async (changes) => {
      const bench = setup(changes);
      await bench.work;
      expect([bench.sent, bench.saved, bench.world.looks]).toEqual([[], [], 0]);
    },
  );

  test("of a cancelled one sends no more, and its end says so", async () => {
    const bench = setup();
    await bench.steps(2);
    bench.world.isCancelled = true;
    await bench.end(2);
    expect(bench.sent).toEqual([1, 1]);
    expect(bench.saved.map(({ state }) => state)).toEqual(["cancelled"]);
  });

  test.each(["while it goes on", "at its hand-over"])(
    "never writes progress over a cancel: %s",
    async (when) => {
      const bench = setup();
      await bench.steps(2);
      bench.world.isCancelled = true;
      if (when === "at its hand-over") bench.ending.abort();
      // A second has passed: progress is due.
      bench.world.elapsedMs += 1_000;
      await bench.end(2);
      expect(bench.saved.filter(({ state }) => state === "running")).toEqual([]);
    },
  );
});
