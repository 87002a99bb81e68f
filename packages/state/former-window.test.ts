// The first day after an upgrade from a version that noted ids without their users.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { FORMER_CALLS, FORMER_START_MS, writeFormerWindow } from "#support/former-window";
import { scratchFolder } from "#support/scratch-folder";
import type { DedupeWindow } from "./dedupe-window.ts";
import { openLmdbFiles } from "./lmdb-files.ts";
import { openDedupeWindow } from "./open-window.ts";

const HOUR_MS = 3_600_000;

let directory: string;
let nowMs: number;
beforeEach(() => {
  directory = scratchFolder();
  nowMs = FORMER_START_MS + 2 * HOUR_MS;
  writeFormerWindow(directory);
});

function open(): DedupeWindow {
  const fail = (error: unknown): void => {
    throw error;
  };
  const host = { ...systemHost, now: () => nowMs };
  return openDedupeWindow({ directory, windowMs: 24 * HOUR_MS, host, onError: fail, onDiscarded: fail });
}

const callOf = (userId: string, number = 5) => ({
  sourceId: "s",
  messageId: `m${number}`,
  userId,
  anonymousId: null,
});
const note = (window: DedupeWindow, userId: string, offset: number) =>
  window.note({ ...callOf(userId), offset, receivedAtMs: nowMs });

describe("an id that was noted without its user", () => {
  test("asks whose call it was; then its copy is a duplicate and another user's call is not, also after a restart", async () => {
    const window = open();
    expect(window.reached).toBe(FORMER_CALLS);
    expect(window.unclearFor(callOf("u1"), 100)).toBe(5);
    window.clarify(5, callOf("u1"));
    expect(window.unclearFor(callOf("u1"), 100)).toBeUndefined();
    expect(note(window, "u1", 100)).toBe("duplicate");
    expect(window.unclearFor(callOf("u2"), 101)).toBeUndefined();
    expect(note(window, "u2", 101)).toBe("first");
    expect(note(window, "u2", 102)).toBe("duplicate");
    await window.close();

    // The filter of a past hour does not know the entry that `clarify` made: it is asked once more.
    const reopened = open();
    expect(reopened.unclearFor(callOf("u1"), 103)).toBe(5);
    reopened.clarify(5, callOf("u1"));
    expect(note(reopened, "u1", 103)).toBe("duplicate");
    expect(note(reopened, "u2", 104)).toBe("duplicate");
    expect(note(reopened, "u3", 105)).toBe("first");
    await reopened.close();
  });

  test("is clear for the same record read again, for a call that nobody noted, and for one that is gone from the log", async () => {
    const window = open();
    expect(window.unclearFor(callOf("u1"), 5)).toBeUndefined();
    expect(note(window, "u1", 5)).toBe("first");
    expect(window.unclearFor(callOf("u1", FORMER_CALLS), 100)).toBeUndefined();
    window.clarify(6, undefined);
    expect(window.unclearFor(callOf("u1", 6), 101)).toBeUndefined();
    await window.close();
  });

  test("leaves the window when it would have left it, and what was made of it with it", async () => {
    const window = open();
    window.clarify(5, callOf("u1"));
    await window.flush();
    nowMs = FORMER_START_MS + 26 * HOUR_MS;
    expect(note(window, "u1", 100)).toBe("first");
    expect(window.unclearFor(callOf("u1", 25), 101)).toBe(25);
    nowMs += 2 * HOUR_MS;
    note(window, "other", 102);
    expect(window.unclearFor(callOf("u1", 25), 103)).toBeUndefined();
    await window.close();
  });
});

test("the version before finds an empty window when it comes back, which it fills from the log; its window counts then", async () => {
  const window = open();
  note(window, "u2", 100);
  await window.close();
  const files = openLmdbFiles(directory);
  const meta = files.table("meta");
  const state = Buffer.from("state");
  expect(meta.getBinary(state)).toBeUndefined();
  const written = { reached: 7, streamTimeMs: nowMs, buckets: [], dropping: [] };
  await files.batch(() => void meta.put(state, Buffer.from(JSON.stringify(written))));
  await files.close();
  const again = open();
  expect(again.reached).toBe(7);
  await again.close();
});
