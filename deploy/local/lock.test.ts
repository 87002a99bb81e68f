import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { withLock } from "./lock.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hookline-lock-"));
});

afterAll(() => rm(folder, { recursive: true }));

function lock(name: string): { path: string; timeoutMs: number; onWait: () => void } {
  return { path: join(folder, name), timeoutMs: 10_000, onWait: () => undefined };
}

test("two that take the same lock work one after the other", async () => {
  const events: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    events.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`${name} ends`);
  };
  await Promise.all([withLock(lock("a"), work("first")), withLock(lock("a"), work("second"))]);
  expect(events.map((event) => event.split(" ")[1])).toEqual(["begins", "ends", "begins", "ends"]);
});

test("a lock whose holder is dead is taken over", async () => {
  // Above the largest process id that Linux gives.
  await writeFile(join(folder, "b"), "4194305");
  expect(await withLock(lock("b"), () => Promise.resolve("worked"))).toBe("worked");
});

test("a lock is left behind neither by work that succeeds nor by work that fails", async () => {
  await withLock(lock("c"), () => Promise.resolve());
  await expect(withLock(lock("c"), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await readdir(folder)).toEqual([]);
});
