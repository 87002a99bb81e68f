import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { DedupeWindow } from "./dedupe-window.ts";
import { openLmdbFiles } from "./lmdb-files.ts";
import { openDedupeWindow } from "./open-window.ts";

// What opening and writing leave on the disk.

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

let directory: string;
let nowMs: number;
let discarded: unknown[];
/** Transactions that were begun. */
let writes: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "hookline-window-"));
  [nowMs, discarded, writes] = [START_MS, [], 0];
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Nothing is written because of the time that passes. */
function open(): DedupeWindow {
  const host = { ...systemHost, now: () => nowMs, setTimeout: () => ({ clear: () => undefined }) };
  const onError = (error: unknown): void => {
    throw error;
  };
  const onDiscarded = (error: unknown): void => void discarded.push(error);
  const doors = {
    writeMark: (file: string) => writeFileSync(file, String(process.pid)),
    openFiles: (path: string) => {
      const files = openLmdbFiles(path);
      const batch = (work: () => void): Promise<unknown> => {
        writes += 1;
        return files.batch(work);
      };
      return { ...files, batch };
    },
  };
  return openDedupeWindow({ directory, windowMs: 24 * HOUR_MS, host, onError, onDiscarded }, doors);
}

function note(window: DedupeWindow, offset: number): void {
  window.note({ sourceId: "s", messageId: `m${offset}`, offset, receivedAtMs: nowMs });
}

async function closedWithOneId(): Promise<void> {
  const window = open();
  note(window, 0);
  await window.close();
}

test("files that another process is opening which lives are left as they are", async () => {
  await closedWithOneId();
  writeFileSync(join(directory, "opening.pid"), String(process.ppid));
  const window = open();
  expect([discarded, window.reached]).toEqual([[], 1]);
  await window.close();
});

test.each([
  ["an earlier process that had our id", String(process.pid)],
  ["the group of a process, which is nobody", "0"],
  ["no number", "garbage"],
])("a mark of %s is one of the dead: the window begins empty", async (_whose, mark) => {
  await closedWithOneId();
  writeFileSync(join(directory, "opening.pid"), mark);
  const window = open();
  expect([discarded.length, window.reached]).toEqual([1, 0]);
  await window.close();
});

test("8192 ids that wait are written at once; fewer wait for their time", async () => {
  const window = open();
  for (let offset = 0; offset < 8_191; offset += 1) note(window, offset);
  expect(writes).toBe(0);
  note(window, 8_191);
  expect(writes).toBe(1);
  note(window, 8_192);
  expect(writes).toBe(1);
  await window.close();
});

test("the filters of an hour that is over are kept, so that opening does not read all of its ids", async () => {
  const window = open();
  note(window, 0);
  nowMs += HOUR_MS;
  note(window, 1);
  await window.close();
  const files = openLmdbFiles(directory);
  const kept = [START_MS, nowMs].map((startMs) =>
    files.table("meta").doesExist(Buffer.from(`filter-${startMs}-0`)),
  );
  await files.close();
  expect(kept).toEqual([true, false]);
});
