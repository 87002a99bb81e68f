import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Environment } from "#runtime";
import { withDeadline } from "../../cli/until.ts";

const WARDEN = join(import.meta.dirname, "warden.sh");

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  /** Gets each line of standard output and standard error. */
  readonly onLine: (line: string) => void;
}

export interface Child {
  /** Ends once the process is gone; never rejects. 128 + n for a process that died of signal n. */
  readonly exited: Promise<number>;
  readonly isRunning: () => boolean;
  readonly signal: (name: "SIGTERM" | "SIGINT") => void;
  /** SIGSTOP to the command: it does nothing any more, and its connections stay open. */
  readonly freeze: () => void;
  /** SIGCONT. */
  readonly thaw: () => void;
  /** SIGTERM, then SIGKILL when the grace time is over. */
  readonly stop: (graceMs: number) => Promise<number>;
  /** SIGKILL, to the process and everything that it started. */
  readonly kill: () => Promise<number>;
}

/** Running children of this process, and whether nothing is started any more. */
const running = new Set<Child>();
let isOver = false;

/** Kills everything that this process started and did not end, and lets it start nothing more: for a start that is interrupted. */
export async function endChildren(): Promise<void> {
  isOver = true;
  await Promise.all([...running].map((child) => child.kill()));
}

function readLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on("line", onLine);
}

/** Ends with the exit code when the process is gone and its output is read to the end. */
async function exitCode(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, "close")) as [number | null];
  // The group was killed, and the warden with it: what a shell says of SIGKILL.
  return code ?? 137;
}

/** SIGKILL to a whole process group; one that is gone already is what was wanted. */
function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Starts a process that ends with this one, however this one ends (warden.sh).
 * Rejects when the process cannot be started at all.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  if (isOver) throw new Error("the end has begun");
  const child = spawn("sh", [WARDEN, options.command, ...options.args], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...options.environment },
  });
  await once(child, "spawn");
  const leaderPid = child.pid ?? 0;
  let isRunning = true;
  const exited = exitCode(child).finally(() => {
    isRunning = false;
    running.delete(handle);
  });
  readLines(child.stdout, options.onLine);
  readLines(child.stderr, options.onLine);

  const signal = (name: NodeJS.Signals): void => {
    if (isRunning) child.kill(name);
  };
  const kill = (): Promise<number> => {
    if (isRunning) killGroup(leaderPid);
    return exited;
  };
  const stop = async (graceMs: number): Promise<number> => {
    signal("SIGTERM");
    await withDeadline(exited, graceMs, kill);
    return exited;
  };
  const handle: Child = {
    exited,
    isRunning: () => isRunning,
    signal,
    freeze: () => signal("SIGUSR1"),
    thaw: () => signal("SIGUSR2"),
    stop,
    kill,
  };
  running.add(handle);
  return handle;
}
