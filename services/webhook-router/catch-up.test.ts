import { describe, expect, test } from "@jest/globals";
import type { DedupeWindow, DedupeWindowOptions } from "#state";
import { recordedLog } from "#support/recorded-log";
import { type CatchUpOptions, catchUp, openLogWindow, type Progress } from "./catch-up.ts";
import { call } from "./fixtures/calls.ts";

const NOW_MS = 1_800_000_000_000;
const WINDOW_MS = 3_600_000;

/** A window and a log that only remember what was asked of them; `step` happens before each call that is read. */
function setup(step: (read: number) => void = () => undefined) {
  const { logger, lines } = recordedLog();
  const world = { elapsedMs: 0, writtenAtMs: NOW_MS, low: 0, high: 1_000_000, startsAt: 0, reached: 0 };
  const ranges: number[][] = [];
  const asked: number[] = [];
  const noted: number[] = [];
  const flushed: number[] = [];
  const opened: DedupeWindowOptions[] = [];
  const discarded: string[] = [];
  const pending = { unwritten: 0 };
  const closed: number[] = [];
  const window: DedupeWindow = {
    unclearFor: () => undefined,
    contradicts: () => false,
    isGoodFor: (timeMs) => timeMs >= NOW_MS,
    goBackTo: () => undefined,
    clarify: () => undefined,
    note({ offset }) {
      noted.push(offset);
      return "first";
    },
    get reached() {
      return world.reached;
    },
    advanceTo(offset) {
      world.reached = offset;
    },
    get unwritten() {
      return pending.unwritten;
    },
    async flush() {
      flushed.push(noted.length);
      pending.unwritten = 0;
    },
    async close() {
      closed.push(world.reached);
    },
  };
  const options: CatchUpOptions = {
    partition: 3,
    directory: "windows/3",
    windowMs: WINDOW_MS,
    disk: {
      open(given) {
        opened.push(given);
        if (opened.length > 1) world.reached = 0;
        return window;
      },
      discard: (directory) => void discarded.push(directory),
    },
    log: {
      committed: async () => undefined,
      bounds: async () => ({ low: world.low, high: world.high }),
      async timeAt(_, offset) {
        asked.push(offset);
        return offset < world.high ? world.writtenAtMs : undefined;
      },
      async offsetAt(_, timeMs) {
        asked.push(timeMs);
        return world.startsAt;
      },
      async read({ fromOffset, toOffset, onCall }) {
        ranges.push([fromOffset, toOffset]);
        for (let offset = fromOffset; offset < toOffset; offset += 1) {
          step(offset - fromOffset);
          await onCall({ offset, call: call() });
        }
      },
    },
    logger,
    host: { now: () => NOW_MS, elapsed: () => world.elapsedMs } as CatchUpOptions["host"],
    onDiskError: () => undefined,
  };
  const progress: (Progress | undefined)[] = [];
  const { signal } = new AbortController();
  const work = (toOffset: number) =>
    catchUp(options, { window, toOffset, signal, onProgress: (now) => void progress.push(now) });
  return {
    asked,
    closed,
    discarded,
    flushed,
    lines,
    noted,
    opened,
    options,
    pending,
    progress,
    ranges,
    work,
    world,
  };
}

describe("bringing a window up to an offset", () => {
  test("reads what is missing within the window's time, says how far it is, and has come there", async () => {
    const { asked, noted, progress, ranges, work, world } = setup();
    world.startsAt = 4;
    world.writtenAtMs = NOW_MS - 50_000;
    await work(7);
    expect(asked).toEqual([7, NOW_MS - 50_000 - WINDOW_MS]);
    expect([ranges, noted, world.reached]).toEqual([[[4, 7]], [4, 5, 6], 7]);
    expect(progress).toEqual([
      { read: 1, total: 3 },
      { read: 2, total: 3 },
      { read: 3, total: 3 },
      undefined,
    ]);
  });

  test("begins where the window has come to, or where the log begins, whichever is later", async () => {
    const { asked, ranges, work, world } = setup();
    world.reached = 3;
    await work(5);
    world.low = 9;
    await work(8);
    await work(12);
    expect(asked[2]).toBe(9);
    expect(ranges).toEqual([
      [3, 5],
      [9, 12],
    ]);
    await work(12);
    expect(ranges).toHaveLength(2);
  });

  test.each([
    ["the last one when nothing is written there yet", 7, NOW_MS - 5, [7, 6, NOW_MS - 5 - WINDOW_MS]],
    ["now when nothing is there", 0, NOW_MS, [7, 6, NOW_MS - WINDOW_MS]],
    ["now by a clock ahead", 8, NOW_MS + 5, [7, NOW_MS - WINDOW_MS]],
  ])("counts the time back from %s", async (_, high, writtenAtMs, expected) => {
    const { asked, work, world } = setup();
    Object.assign(world, { high, writtenAtMs });
    await work(7);
    expect(asked).toEqual(expected);
  });

  test("waits for the disk each time when 100,000 ids are not on it, and not before", async () => {
    const { flushed, pending, work } = setup((read) => {
      pending.unwritten = read === 1 ? 99_999 : read === 2 ? 100_000 : 0;
    });
    await work(5);
    expect(flushed).toEqual([3]);
  });

  test("that is short says nothing", async () => {
    const { lines, work, world } = setup(() => {
      world.elapsedMs += 9_000;
    });
    await work(9_999);
    expect(lines).toEqual([]);
  });

  test("that is long says so at its begin, every 10 s, and at its end", async () => {
    const { lines, work, world } = setup((read) => {
      if (read === 99) world.elapsedMs = 9_999;
      if (read === 199) world.elapsedMs = 10_000;
      if (read === 299) world.elapsedMs = 19_999;
    });
    await work(10_000);
    const rebuilding = "rebuilding duplicate window";
    expect(lines).toEqual([
      { level: "info", facts: { partition: 3, read: 0, total: 10_000 }, message: rebuilding },
      { level: "info", facts: { partition: 3, read: 200, total: 10_000 }, message: rebuilding },
      {
        level: "info",
        facts: { partition: 3, read: 10_000, total: 10_000 },
        message: "duplicate window is rebuilt",
      },
    ]);
  });
});

describe("opening a window", () => {
  const opening = { toOffset: 3, signal: new AbortController().signal };

  test("of another log throws it away, and says so", async () => {
    const { closed, discarded, lines, opened, options, world } = setup();
    world.reached = 1_000_001;
    expect((await openLogWindow(options, opening)).reached).toBe(0);
    expect([closed, discarded, opened.length]).toEqual([[1_000_001], ["windows/3"], 2]);
    const facts = { partition: 3, reached: 1_000_001, high: 1_000_000 };
    expect(lines).toMatchObject([{ level: "warn", facts }]);
  });

  test("that has come to the log's end keeps it; one that cannot be read is said to be rebuilt", async () => {
    const { discarded, lines, opened, options, world } = setup();
    world.reached = 1_000_000;
    await openLogWindow(options, opening);
    expect([discarded, opened.length]).toEqual([[], 1]);
    const error = new Error("garbage");
    opened[0]?.onDiscarded(error);
    expect(lines).toMatchObject([{ level: "warn", facts: { partition: 3, err: error } }]);
    expect(opened[0]?.onError).toBe(options.onDiskError);
  });

  test.each<[string, { reached: number; low?: number; writtenAtMs?: number }, number[], string[]]>([
    [
      "that has not noted the calls that go on is kept unasked",
      { reached: 3, writtenAtMs: NOW_MS - 1 },
      [],
      [],
    ],
    ["that is good for them is kept", { reached: 8, low: 5 }, [5], []],
    [
      "that is not good for them any more is thrown away",
      { reached: 8, writtenAtMs: NOW_MS - 1 },
      [3],
      ["windows/3"],
    ],
  ])("%s", async (_, facts, times, thrownAway) => {
    const { asked, discarded, options, world } = setup();
    Object.assign(world, facts);
    await openLogWindow(options, opening);
    expect([asked, discarded]).toEqual([times, thrownAway]);
  });

  test("that nobody can be asked about is closed", async () => {
    const { closed, options, world } = setup();
    world.reached = 8;
    const log = { ...options.log, timeAt: () => Promise.reject(new Error("Kafka is away")) };
    await expect(openLogWindow({ ...options, log }, opening)).rejects.toThrow("Kafka is away");
    expect(closed).toEqual([8]);
  });
});
