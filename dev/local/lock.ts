import { readFileSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { until } from "../../cli/until.ts";

/** By Linux' /proc: a process that was killed and that its parent has not asked for yet has ended all the same. */
const ENDED_STATES = new Set(["Z", "X"]);

interface Life {
  readonly state: string;
  /** When it was started, in ticks since the machine was; tells it from a later process with its id. */
  readonly startedAt: string;
}

/** What /proc says of the process (proc_pid_stat(5)); undefined where there is no such process, or no /proc. */
function lifeOf(pid: number): Life | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in brackets, with whatever is in it.
    const [state = "", ...more] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, startedAt: more[18] ?? "" };
  } catch {
    return undefined;
  }
}

/** Whether a process with this id lives; where /proc tells it, that one which was `startedAt` this time. */
export function isAlive(pid: number, startedAt?: string): boolean {
  const life = lifeOf(pid);
  if (life !== undefined)
    return !ENDED_STATES.has(life.state) && (startedAt ?? life.startedAt) === life.startedAt;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Of the process that has the lock; 0 for a moment while it writes that. */
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
