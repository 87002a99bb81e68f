// How long the process's main thread has run or waited for a core, as Linux counts it.
import { openSync, readSync } from "node:fs";

/** Of the main thread, whichever reads it: nanoseconds that it ran, that it waited for a core, and how often it got one (proc(5)). */
const PATH = "/proc/self/schedstat";
const LONGEST = 64;
const NS_PER_MS = 1_000_000;

/** Milliseconds in a line of schedstat. */
export function coreTimeIn(line: string): number {
  const [ranNs = 0, waitedNs = 0] = line.split(" ").map(Number);
  return (ranNs + waitedNs) / NS_PER_MS;
}

/** Returns a reader; where the system does not say it, one that always gives 0. It costs some microseconds. */
export function openCoreTime(path = PATH): () => number {
  const bytes = Buffer.alloc(LONGEST);
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return () => 0;
  }
  return () => coreTimeIn(bytes.toString("latin1", 0, readSync(file, bytes, 0, LONGEST, 0)));
}
