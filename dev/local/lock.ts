import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isAlive, lifeOf } from "../../cli/process-life.ts";
import { until } from "../../cli/until.ts";

/** The id is 0 in a file that a power cut, or an earlier version on a full disk, has left empty. Undefined where no file can be read. */
async function readHolder(path: string): Promise<{ pid: number; startedAt: string | undefined } | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const [pid, startedAt] = text.split(" ");
  return { pid: Number(pid), startedAt };
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The file is there whole or not at all: an empty one would tell nobody whether its holder lives. */
async function take(path: string): Promise<boolean> {
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    const { startedAt } = lifeOf(process.pid) ?? {};
    await writeFile(partial, [process.pid, startedAt].filter((part) => part !== undefined).join(" "));
    await link(partial, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Puts a lock whose holder is dead out of the way. */
async function clearStale(path: string): Promise<void> {
  const holder = await readHolder(path);
  if (holder === undefined || (holder.pid !== 0 && isAlive(holder.pid, holder.startedAt))) return;
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
  return (await readHolder(path))?.pid ?? 0;
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
