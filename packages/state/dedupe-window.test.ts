import { statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { systemHost } from "#host";
import { scratchFolder } from "#support/scratch-folder";
import type { DedupeWindow, DedupeWindowOptions, Noted } from "./dedupe-window.ts";
import type { WindowDoors } from "./guarded-files.ts";
import { openLmdbFiles } from "./lmdb-files.ts";
import { openDedupeWindow } from "./open-window.ts";

const USER = { userId: "u", anonymousId: null };

const HOUR_MS = 3_600_000;
const WINDOW_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);

let directory: string;
let nowMs: number;
beforeEach(() => {
  directory = scratchFolder();
  nowMs = START_MS;
});

function windowOptions(): DedupeWindowOptions {
  const fail = (error: unknown): void => {
    throw error;
  };
  const host = { ...systemHost, now: () => nowMs };
  return { directory, windowMs: WINDOW_MS, host, onError: fail, onDiscarded: fail };
}

function open(options: Partial<DedupeWindowOptions> = {}): DedupeWindow {
  return openDedupeWindow({ ...windowOptions(), ...options });
}

/** Refuses to write as a full or broken system does; it may leave an empty file. */
function refuse(code: string | number, leavesFile = false): (file: string) => never {
  return (file) => {
    if (leavesFile) writeFileSync(file, "");
    throw Object.assign(new Error("refused"), { code });
  };
}

function note(window: DedupeWindow, messageId: string, offset: number, sourceId = "s"): Noted {
  return window.note({ ...USER, sourceId, messageId, offset, receivedAtMs: nowMs });
}

const callOf = (messageId: string) => ({ ...USER, sourceId: "s", messageId });

describe("what a window says", () => {
  test("the second call with a messageId is a duplicate, at once and after its first was written", async () => {
    const window = open();
    expect(note(window, "m", 0)).toBe("first");
    expect(note(window, "m", 1)).toBe("duplicate");
    await window.flush();
    expect(note(window, "m", 2)).toBe("duplicate");
    await window.close();
  });

  test("also where the first came below what was reached before, as in a log that was cut", async () => {
    const before = open();
    for (const [offset, id] of ["a", "lost"].entries()) note(before, id, offset + 4);
    await before.flush();
    expect([4, 2].map((offset) => before.contradicts(callOf("a"), offset))).toEqual([false, true]);
    expect([5, 6].map((offset) => before.contradicts(callOf("m"), offset))).toEqual([true, false]);
    before.goBackTo(2);
    expect(before.contradicts(callOf("m"), 2)).toBe(false);
    note(before, "m", 2);
    await before.close();
    const window = open();
    expect(window.reached).toBe(3);
    expect(note(window, "m", 7)).toBe("duplicate");
    await window.close();
  });

  test("also while the first is just being written", async () => {
    const window = open();
    note(window, "m", 0);
    const flushing = window.flush();
    expect(note(window, "m", 1)).toBe("duplicate");
    await flushing;
    expect(note(window, "m", 2)).toBe("duplicate");
    await window.close();
  });

  test("takes 63 bytes of disk a call of a hundred thousand, 54 of many, however long its ids are", async () => {
    const window = open();
    const calls = 100_000;
    for (let offset = 0; offset < calls; offset += 1) {
      const userId = `user ${offset} `.padEnd(200, "x");
      window.note({ ...USER, userId, sourceId: "s", messageId: "m", offset, receivedAtMs: nowMs });
      if (offset % 500 === 0) await window.flush();
    }
    await window.close();
    expect(statSync(join(directory, "data.mdb")).size / calls).toBeLessThan(65);
  });

  test("the same messageId of another source is another call", async () => {
    const window = open();
    note(window, "m", 0);
    expect(note(window, "m", 1, "t")).toBe("first");
    await window.close();
  });

  test("the same record read again is no duplicate, so that a crash before its jobs were written loses nothing", async () => {
    const window = open();
    note(window, "m", 0);
    expect(note(window, "m", 0)).toBe("again");
    await window.close();
    const reopened = open();
    expect(note(reopened, "m", 0)).toBe("again");
    expect(note(reopened, "m", 1)).toBe("duplicate");
    await reopened.close();
  });

  test("a larger offset than the record's belongs to an earlier log and does not count", async () => {
    const window = open();
    note(window, "m", 7);
    await window.flush();
    expect(note(window, "m", 3)).toBe("first");
    expect(note(window, "m", 4)).toBe("duplicate");
    await window.close();
  });

  test("is what the offsets of the log say, whatever order of noting, flushing and reopening", async () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ kind: fc.constant("next"), id: fc.integer({ min: 0, max: 6 }) }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant("rewind"), id: fc.integer({ min: 1, max: 5 }) }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: "flush", id: 0 }) },
      { weight: 1, arbitrary: fc.constant({ kind: "reopen", id: 0 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        directory = scratchFolder();
        let window = open();
        const log: number[] = [];
        let next = 0;
        for (const { kind, id } of steps) {
          if (kind === "flush") await window.flush();
          if (kind === "rewind") next = Math.max(0, next - id);
          if (kind === "reopen") {
            await window.close();
            window = open();
          }
          if (kind !== "next") continue;
          if (next === log.length) log.push(id);
          const noted = note(window, `m${log[next]}`, next);
          const isDuplicate = log.indexOf(log[next] ?? 0) < next;
          expect(noted === "duplicate").toBe(isDuplicate);
          next += 1;
        }
        await window.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe("time", () => {
  test("an id is remembered for the whole window and forgotten soon after", async () => {
    const window = open();
    let offset = 0;
    note(window, "m", offset++);
    // The last moment of an hour's bucket: what counts for all its ids is when it ended.
    nowMs = START_MS + HOUR_MS - 1;
    note(window, "late", offset++);
    await window.flush();
    nowMs = START_MS + WINDOW_MS - 1;
    expect(note(window, "m", offset++)).toBe("duplicate");
    nowMs = START_MS + HOUR_MS - 1 + WINDOW_MS - 1;
    expect(note(window, "late", offset++)).toBe("duplicate");
    await window.flush();
    nowMs = START_MS + WINDOW_MS + 2 * HOUR_MS;
    expect(note(window, "m", offset++)).toBe("first");
    await window.close();
  });

  test("an id that is not written yet is forgotten, too, where a backlog is longer than the window", async () => {
    const window = open();
    const flushes: Promise<void>[] = [];
    for (const [offset, id] of ["daily", "other", "daily", "other", "daily"].entries()) {
      expect(note(window, id, offset)).toBe("first");
      // Later hours come and go while the first is being written.
      flushes.push(window.flush());
      nowMs += 15 * HOUR_MS;
    }
    await Promise.all(flushes);
    expect(window.unwritten).toBe(0);
    await window.close();
  });

  test("it is good for calls of the last 24th of its length: what others are copies of may be forgotten", async () => {
    const window = open();
    nowMs += 40 * HOUR_MS;
    note(window, "m", 0);
    expect([0, 1].map((ms) => window.isGoodFor(nowMs - HOUR_MS - ms))).toEqual([true, false]);
    await window.close();
  });

  test("hours are dropped as a whole, for months, and their space is used again", async () => {
    const window = open();
    let offset = 0;
    const sizes: number[] = [];
    for (let hour = 0; hour < 200; hour++) {
      nowMs = START_MS + hour * HOUR_MS;
      for (let i = 0; i < 200; i++) note(window, `${hour}-${i}`, offset++);
      await window.flush();
      sizes.push(statSync(join(directory, "data.mdb")).size);
    }
    expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[40] ?? 0) * 1.2);
    expect(note(window, "199-0", offset++)).toBe("duplicate");
    expect(note(window, "177-0", offset++)).toBe("duplicate");
    expect(note(window, "100-0", offset++)).toBe("first");
    await window.close();
  }, 60_000);

  test("what was noted in earlier hours is there after a restart", async () => {
    const window = open();
    for (let hour = 0; hour < 5; hour++) {
      nowMs = START_MS + hour * HOUR_MS;
      note(window, `${hour}`, hour);
    }
    await window.close();
    const reopened = open();
    for (let hour = 0; hour < 5; hour++) expect(note(reopened, `${hour}`, 10 + hour)).toBe("duplicate");
    await reopened.close();
  });

  test("a call from a clock that runs ahead does not push the window on", async () => {
    const window = open();
    note(window, "m", 0);
    window.note({
      ...USER,
      sourceId: "s",
      messageId: "ahead",
      offset: 1,
      receivedAtMs: nowMs + 100 * WINDOW_MS,
    });
    expect(note(window, "m", 2)).toBe("duplicate");
    await window.flush();
    expect([note(window, "m", 3), note(window, "ahead", 4)]).toEqual(["duplicate", "duplicate"]);
    await window.close();
  });

  test("the window may be set otherwise between two runs", async () => {
    const window = open({ windowMs: HOUR_MS });
    note(window, "m", 0);
    nowMs += 10 * 60_000;
    note(window, "n", 1);
    await window.close();
    const longer = open({ windowMs: 48 * HOUR_MS });
    nowMs += 3 * HOUR_MS;
    expect(note(longer, "o", 2)).toBe("first");
    expect(note(longer, "n", 3)).toBe("duplicate");
    expect(note(longer, "o", 4)).toBe("duplicate");
    await longer.close();
  });
});

describe("disk", () => {
  test("many ids of one hour outgrow the first filter and are all found", async () => {
    const window = open();
    const count = 60_000;
    for (let offset = 0; offset < count; offset++) note(window, `m${offset}`, offset);
    await window.close();
    const reopened = open();
    let missed = 0;
    for (let i = 0; i < count; i += 7) if (note(reopened, `m${i}`, count + i) !== "duplicate") missed += 1;
    let invented = 0;
    for (let i = 0; i < count; i += 7) if (note(reopened, `n${i}`, 2 * count + i) !== "first") invented += 1;
    expect({ missed, invented }).toEqual({ missed: 0, invented: 0 });
    await reopened.close();
  }, 60_000);

  test("a write begins by itself, without a flush", async () => {
    const window = open();
    note(window, "m", 0);
    const deadlineMs = performance.now() + 30_000;
    while (window.unwritten > 0 && performance.now() < deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(window.unwritten).toBe(0);
    await window.close();
  });

  test.each([
    ["garbage", (file: string) => writeFileSync(file, Buffer.alloc(8192, 7))],
    [
      "a mark that a process died opening them",
      (file: string) => writeFileSync(join(file, "../opening.pid"), "1073741823"),
    ],
  ])("files with %s are replaced by an empty window, and it is said", async (_what, damage) => {
    const before = open();
    note(before, "m", 0);
    await before.close();
    damage(join(directory, "data.mdb"));
    let discarded: unknown;
    const window = open({
      onDiscarded: (error) => {
        discarded = error;
      },
    });
    expect(discarded).toBeDefined();
    expect(window.reached).toBe(0);
    expect(note(window, "m", 5)).toBe("first");
    await window.close();
    const reopened = open();
    expect(reopened.reached).toBe(6);
    await reopened.close();
  });

  test.each<[string, Partial<WindowDoors>]>([
    ["its mark is to be written", { writeMark: refuse("ENOSPC") }],
    ["its mark is to be written, which leaves an empty one", { writeMark: refuse("ENOSPC", true) }],
    ["its files are to be opened", { openFiles: refuse("ENOSPC") }],
    ["its files are to be opened, as lmdb says it", { openFiles: refuse(constants.errno.ENOSPC) }],
    ["there are too many open files", { openFiles: refuse("EMFILE") }],
  ])("a good window stays where it is when the disk refuses while %s", async (_when, refused) => {
    const before = open();
    note(before, "m", 0);
    await before.close();
    const discarded: unknown[] = [];
    const options = { ...windowOptions(), onDiscarded: (error: unknown) => discarded.push(error) };
    const doors = { writeMark: () => undefined, openFiles: openLmdbFiles, ...refused };
    expect(() => openDedupeWindow(options, doors)).toThrow("refused");
    expect(discarded).toEqual([]);
    const reopened = open();
    expect(note(reopened, "m", 1)).toBe("duplicate");
    await reopened.close();
  });

  test("an empty mark, which a full disk leaves when its process dies of it, says nothing against the files", async () => {
    const before = open();
    note(before, "m", 0);
    await before.close();
    writeFileSync(join(directory, "opening.pid"), "");
    const reopened = open();
    expect(note(reopened, "m", 1)).toBe("duplicate");
    await reopened.close();
  });
});
