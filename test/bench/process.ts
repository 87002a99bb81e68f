import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const TICKS_PER_SECOND = 100; // _SC_CLK_TCK, 100 on every Linux that Node runs on

/** CPU time (user and system, all threads) of a process so far, in seconds; exact to 10 ms. Linux only. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MiB. Linux only. */
export function residentMiB(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return (pages * 4096) / 2 ** 20;
}

/** One of the programs in programs/, running in a process of its own. */
export interface Program {
  readonly pid: number;
  readonly port: number;
  /** How many calls it has handled. */
  count(): Promise<number>;
  ask<T>(question: string): Promise<T>;
  stop(): Promise<void>;
}

async function message<T>(child: ChildProcess): Promise<T> {
  const [answer] = (await once(child, "message")) as [T];
  return answer;
}

export async function startProgram(name: string, args: readonly string[] = []): Promise<Program> {
  const child = fork(join(import.meta.dirname, "programs", `${name}.ts`), [...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const { port } = await message<{ port: number }>(child);
  if (child.pid === undefined) throw new Error(`${name} did not start`);
  const ask = async <T>(question: string): Promise<T> => {
    child.send(question);
    return await message<T>(child);
  };
  return {
    pid: child.pid,
    port,
    ask,
    count: async () => (await ask<{ count: number }>("count")).count,
    async stop() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

export interface CpuCost {
  readonly events: number;
  readonly perSecond: number;
  /** CPU time of the process per event, microseconds. */
  readonly cpuMicros: number;
}

/** Measures a process over `seconds`, beginning once it has done `warmUp` events; ends earlier when nothing moves any more. */
export async function measureCpu(options: {
  pid: number;
  count(): Promise<number>;
  warmUp: number;
  seconds: number;
  until?: number;
}): Promise<CpuCost> {
  while ((await options.count()) < options.warmUp) await pause(50);
  const first = { count: await options.count(), cpu: cpuSeconds(options.pid), atMs: performance.now() };
  let last = first;
  while (
    last.atMs - first.atMs < options.seconds * 1000 &&
    last.count < (options.until ?? Number.POSITIVE_INFINITY)
  ) {
    await pause(200);
    last = { count: await options.count(), cpu: cpuSeconds(options.pid), atMs: performance.now() };
  }
  const events = last.count - first.count;
  return {
    events,
    perSecond: (events * 1000) / (last.atMs - first.atMs),
    cpuMicros: ((last.cpu - first.cpu) * 1e6) / events,
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
