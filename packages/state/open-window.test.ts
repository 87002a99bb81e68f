import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { scratchFolder } from "#support/scratch-folder";
import type { DedupeWindow } from "./dedupe-window.ts";
import { openGuarded } from "./guarded-files.ts";
import { openLmdbFiles } from "./lmdb-files.ts";
import { openDedupeWindow } from "./open-window.ts";
import type { WindowFiles, WindowTable } from "./window-files.ts";

const USER = { userId: "u", anonymousId: null };

// Tests what opening and writing leave on the disk.

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

let directory: string;
let nowMs: number;
let discarded: unknown[];
/** Transactions that were begun. */
let writes: number;
/** Tables of the hours' ids, in the order in which they were created. */
let tables: string[];
/** The error that the next opening of the files throws. */
let failure: Error | undefined;

beforeEach(() => {
  directory = scratchFolder();
  [nowMs, discarded, writes, tables, failure] = [START_MS, [], 0, [], undefined];
});

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
      if (failure !== undefined) {
        const thrown = failure;
        failure = undefined;
        throw thrown;
      }
      const files = openLmdbFiles(path);
      const table = (name: string): WindowTable => {
        if (name.startsWith("ids-")) tables.push(name);
        return files.table(name);
      };
      const batch = (work: () => void): Promise<unknown> => {
        writes += 1;
        return files.batch(work);
      };
      return { ...files, batch, table };
    },
  };
  return openDedupeWindow({ directory, windowMs: 24 * HOUR_MS, host, onError, onDiscarded }, doors);
}

function note(window: DedupeWindow, offset: number): void {
  window.note({ ...USER, sourceId: "s", messageId: `m${offset}`, offset, receivedAtMs: nowMs });
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

test("files that cannot be opened for what is no refusal of the disk are replaced by empty ones", async () => {
  await closedWithOneId();
  failure = Object.assign(new Error("invalid"), { code: -30_793 });
  const why = failure;
  const window = open();
  expect([discarded, window.reached]).toEqual([[why], 0]);
  await window.close();
});

test("files of which no use can be made are closed, whoever opens them", () => {
  let isOpen = false;
  const close = async (): Promise<void> => {
    isOpen = false;
  };
  const openFiles = (): WindowFiles => {
    isOpen = true;
    return { close } as WindowFiles;
  };
  const doors = { writeMark: () => undefined, openFiles };
  const use = (): never => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const onDiscarded = (error: unknown): void => void discarded.push(error);
  expect(() => openGuarded({ directory, onDiscarded, use }, doors)).toThrow("full");
  expect([isOpen, discarded]).toEqual([false, []]);
});

test("the ids of an hour are in one table, whatever time passes in it", async () => {
  const window = open();
  for (const [offset, ms] of [0, 1, HOUR_MS / 2, HOUR_MS - 1, HOUR_MS].entries()) {
    nowMs = START_MS + ms;
    note(window, offset);
  }
  await window.flush();
  expect(tables).toEqual([`ids-${START_MS}`, `ids-${START_MS + HOUR_MS}`]);
  await window.close();
});
