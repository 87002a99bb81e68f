import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { until } from "./until.ts";

/** Whether a process with this id lives (or did and its id was given away again). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
}

/** Puts a lock whose holder is dead out of the way. */
async function clearStale(path: string): Promise<void> {
  const holder = Number(await readFile(path, "utf8").catch(() => ""));
  // Empty for a moment while its holder writes it: not stale.
  if (holder === 0 || isAlive(holder)) return;
  const aside = `${path}.${process.pid}.stale`;
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
}

export interface LockOptions {
  readonly path: string;
  readonly timeoutMs: number;
  readonly onWait: () => void;
}

/**
 * Runs `work` while no other process that takes the same lock does. It saves work that two would do at once; what the work
 * leaves behind must be right without it (two that find the same dead holder may both get in).
 */
export async function withLock<T>(
  { path, timeoutMs, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (!(await take(path))) {
    onWait();
    await until(
      async () => {
        await clearStale(path);
        return take(path);
      },
      { timeoutMs, what: `the lock ${path}`, pollMs: 200 },
    );
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
