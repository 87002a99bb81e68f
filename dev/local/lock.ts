import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { isAlive, lifeOf } from "../../cli/process-life.ts";
import { until } from "../../cli/until.ts";

/** Reads the process that has the lock; 0 for a moment while it writes that. */
async function readHolder(path: string): Promise<{ pid: number; startedAt: string | undefined }> {
  const [pid, startedAt] = (await readFile(path, "utf8").catch(() => "")).split(" ");
  return { pid: Number(pid), startedAt };
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function take(path: string): Promise<boolean> {
  try {
    const { startedAt } = lifeOf(process.pid) ?? {};
    await writeFile(path, [process.pid, startedAt].filter((part) => part !== undefined).join(" "), {
      flag: "wx",
    });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
}

/** Puts a lock whose holder is dead out of the way. */
async function clearStale(path: string): Promise<void> {
  const { pid, startedAt } = await readHolder(path);
  if (pid === 0 || isAlive(pid, startedAt)) return;
  const aside = `${path}.${process.pid}.stale`;
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
}

/**
 * Takes a lock that is held until its file is removed; gives the process id of a living holder instead. Two that find the same dead
 * holder may both get in.
 */
export async function takeLock(path: string): Promise<number | undefined> {
  if (await take(path)) return undefined;
  await clearStale(path);
  if (await take(path)) return undefined;
  return (await readHolder(path)).pid;
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
