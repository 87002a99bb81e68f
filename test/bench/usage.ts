// What processes take, as Linux counts it; the broker's share is seen nowhere else.
import { readdir, readFile, readlink } from "node:fs/promises";

/** What a process has taken so far. */
export interface Usage {
  /** User and system, all threads. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  /** How often a thread went to sleep, and so had to be woken; of the threads that are alive. */
  readonly wakes: number;
}

export function sumOfUsages(one: Usage, other: Usage): Usage {
  return {
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
    rssBytes: one.rssBytes + other.rssBytes,
    wakes: one.wakes + other.wakes,
  };
}

/** The kernel counts CPU time in hundredths of a second, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
const LISTENING = "0A";

const readOr = (path: string, otherwise: string): Promise<string> =>
  readFile(path, "utf8").catch(() => otherwise);

/** Inodes of the sockets that listen on this port. */
async function listeningInodes(port: number): Promise<Set<string>> {
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readOr(path, "")));
  const inodes = new Set<string>();
  for (const line of tables.join("\n").split("\n")) {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    const at = Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16);
    if (state === LISTENING && at === port && inode !== undefined) inodes.add(`socket:[${inode}]`);
  }
  return inodes;
}

async function holdsAny(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return links.some((link) => sockets.has(link));
}

/** The process that listens on a port of this machine; undefined where it cannot be seen (another system, a container). */
export async function pidListeningOn(port: number): Promise<number | undefined> {
  const sockets = await listeningInodes(port);
  if (sockets.size === 0) return undefined;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) if (await holdsAny(pid, sockets)) return Number(pid);
  return undefined;
}

/** Voluntary context switches as /proc/<pid>/task/<thread>/status has them; 0 where it has none. */
export function wakesIn(status: string): number {
  return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
}

async function wakesOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const statuses = await Promise.all(
    threads.map((thread) => readOr(`/proc/${pid}/task/${thread}/status`, "")),
  );
  return statuses.reduce((sum, status) => sum + wakesIn(status), 0);
}

/** Undefined when the process is gone. */
export async function usageOf(pid: number): Promise<Usage | undefined> {
  const stat = await readOr(`/proc/${pid}/stat`, "");
  // The command's name stands in parentheses and may hold blanks; user time is the 12th field after it, resident pages the 22nd.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 22) return undefined;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    rssBytes: Number(fields[21]) * PAGE_BYTES,
    wakes: await wakesOf(pid),
  };
}

/** By port. */
const found = new Map<number, number>();

/** Of the process that listens on a port; whoever was found there is looked for again when that process is gone. */
export async function usageListeningOn(port: number): Promise<Usage | undefined> {
  const known = found.get(port);
  const usage = known === undefined ? undefined : await usageOf(known);
  if (usage !== undefined) return usage;
  const pid = await pidListeningOn(port);
  if (pid === undefined) return undefined;
  found.set(port, pid);
  return usageOf(pid);
}
