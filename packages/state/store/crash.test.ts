// Stores whose process died: with real processes.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { readLog } from "../fixtures/file-log.ts";
import { textOf } from "../fixtures/memory-log.ts";
import { openStore } from "../index.ts";

const STORING_PROCESS = join(import.meta.dirname, "..", "fixtures", "storing-process.ts");

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});

test("after kill -9 in the middle of writing, every entry is the last one of the changelog, and so are the due times", async () => {
  const directory = join(folder, "store");
  const file = join(folder, "log");
  let written = 0;
  for (let round = 0; round < 4; round += 1) {
    const child = fork(STORING_PROCESS, [directory, file]);
    child.on("message", (message: { written: number }) => {
      written = message.written;
    });
    const before = written;
    while (written < before + 1_500 + round * 370) await once(child, "message");
    child.kill("SIGKILL");
    await once(child, "exit");
    const log = readLog(file);
    expect(log.high).toBeGreaterThanOrEqual(written);
    log.reads = 0;
    const store = await openStore(log.options(directory));
    const last = new Map(log.records.map(({ key, value }) => [key ?? "", textOf(value ?? undefined)]));
    for (const [key, text] of last) expect(textOf(store.get(key))).toBe(text);
    expect(store.count).toBe(last.size);
    expect(store.due(Number.MAX_SAFE_INTEGER, 1_000).map((key) => Number(textOf(store.get(key))))).toEqual(
      [...last.values()].map(Number).sort((a, b) => a - b),
    );
    // The owner reads from the checkpoint on, which is never far behind.
    expect(log.reads).toBeLessThan(1_200);
    await store.close();
  }
}, 180_000);
