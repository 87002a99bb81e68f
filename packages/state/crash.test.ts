// Windows whose process died: with real processes.
import { fork } from "node:child_process";
import { once } from "node:events";
import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { scratchFolder } from "#support/scratch-folder";
import type { DedupeWindow, DedupeWindowOptions } from "./dedupe-window.ts";
import { openDedupeWindow } from "./open-window.ts";

const USER = { userId: "u", anonymousId: null };

const WINDOW_MS = 24 * 3_600_000;
const NOTING_PROCESS = join(import.meta.dirname, "fixtures", "noting-process.ts");

let directory: string;
let nowMs: number;
beforeEach(() => {
  directory = scratchFolder();
  nowMs = Date.UTC(2026, 0, 1);
});

function open(options: Partial<DedupeWindowOptions> = {}): DedupeWindow {
  const fail = (error: unknown): void => {
    throw error;
  };
  const host = { ...systemHost, now: () => nowMs };
  return openDedupeWindow({
    directory,
    windowMs: WINDOW_MS,
    host,
    onError: fail,
    onDiscarded: fail,
    ...options,
  });
}

function note(window: DedupeWindow, messageId: string, offset: number) {
  return window.note({ ...USER, sourceId: "s", messageId, offset, receivedAtMs: nowMs });
}

test("files that crash the process that opens them are replaced at the next start", async () => {
  const before = open();
  for (let offset = 0; offset < 20_000; offset++) note(before, `m${offset}`, offset);
  await before.close();
  const data = join(directory, "data.mdb");
  truncateSync(data, statSync(data).size / 2);
  const child = fork(NOTING_PROCESS, [directory, "0"]);
  const [, signal] = await once(child, "exit");
  expect(signal).not.toBeNull();
  const discarded: unknown[] = [];
  const window = open({ onDiscarded: (error) => discarded.push(error) });
  expect(discarded).toHaveLength(1);
  expect(note(window, "m0", 0)).toBe("first");
  await window.close();
});

test("after kill -9 in the middle of writing, exactly the ids below `reached` are there", async () => {
  let from = 0;
  for (let round = 0; round < 4; round++) {
    const child = fork(NOTING_PROCESS, [directory, String(from)]);
    let noted = 0;
    child.on("message", (message: { noted?: number }) => {
      noted = message.noted ?? noted;
    });
    while (noted < from + 12_000 + round * 3000) await once(child, "message");
    // What it had said is heard until its channel ends, which may be after its exit.
    const ended = Promise.all([once(child, "exit"), once(child, "disconnect")]);
    child.kill("SIGKILL");
    await ended;
    const window = open();
    const { reached } = window;
    expect(reached).toBeGreaterThanOrEqual(from);
    expect(reached).toBeLessThanOrEqual(noted + 400);
    nowMs = Date.now();
    for (let offset = 0; offset < reached; offset += 37)
      expect(note(window, `m${offset}`, offset)).toBe("again");
    expect(
      window.note({ ...USER, sourceId: "s", messageId: `m${reached}`, offset: reached, receivedAtMs: nowMs }),
    ).toBe("first");
    await window.close();
    from = window.reached;
  }
  expect(from).toBeGreaterThan(8000);
}, 180_000);
