// Whether other processes of this machine live.
import { readFileSync } from "node:fs";

/** States in Linux' /proc of a process that has ended, though its parent has not asked for it yet. */
const ENDED_STATES = new Set(["Z", "X"]);

interface Life {
  readonly state: string;
  /** When it was started, in ticks since the machine was; tells it from a later process with its id. */
  readonly startedAt: string;
}

/**
 * Reads /proc about the process (proc_pid_stat(5)); undefined where there is no such process, or no /proc.
 */
export function lifeOf(pid: number): Life | undefined {
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
