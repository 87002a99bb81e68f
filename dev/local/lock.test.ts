import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { linesOnSmallDisk } from "#support/small-disk";
import { isAlive } from "../../cli/process-life.ts";
import { until } from "../../cli/until.ts";
import { takeLock, withLock } from "./lock.ts";

let folder: string;

beforeAll(async () => {
  folder = scratchFolder();
});

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
  // The number is above the largest process id that Linux gives.
  await writeFile(join(folder, "b"), "4194305");
  expect(await withLock(lock("b"), () => Promise.resolve("worked"))).toBe("worked");
});

test("a lock that a power cut has left empty is taken over; one that is taken is never empty", async () => {
  const { path } = lock("d");
  await writeFile(path, "");
  expect(await takeLock(path)).toBeUndefined();
  expect(await takeLock(path)).toBe(process.pid);
  await rm(path);
  const program = `
    import { takeLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    await takeLock(process.argv[1]).catch(({ code }) => console.log(code));`;
  expect(linesOnSmallDisk(0, program, path)).toEqual(["EFBIG"]);
  expect(await readdir(folder)).toEqual([]);
});

test("a process that was killed has ended, also before its parent has heard of it, and is not another that has its id now", async () => {
  // `sleep` is the child of a shell that became another program, which never asks for it.
  const child = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const pid = Number(String(line));
  try {
    expect([isAlive(pid), isAlive(pid, "1")]).toEqual([true, process.platform !== "linux"]);
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid), { timeoutMs: 60_000, what: "the process to have ended" });
  } finally {
    child.kill("SIGKILL");
  }
});

test("a lock is left behind neither by work that succeeds nor by work that fails", async () => {
  await withLock(lock("c"), () => Promise.resolve());
  await expect(withLock(lock("c"), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await readdir(folder)).toEqual([]);
});
