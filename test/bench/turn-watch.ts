// How long the longest turn of the event loop was, in CPU time of its thread: what other processes take does not count.
import { setImmediate as turn } from "node:timers/promises";

/** That this thread has taken. */
export function cpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

/** In milliseconds, while `work` goes on. */
export async function longestTurnMs(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let isOver = false;
  const watch = async (): Promise<void> => {
    for (let beforeMs = cpuMs(); !isOver; ) {
      await turn();
      const nowMs = cpuMs();
      longestMs = Math.max(longestMs, nowMs - beforeMs);
      beforeMs = nowMs;
    }
  };
  const watching = watch();
  await work();
  // The turn that `work` ended in counts too.
  await turn();
  isOver = true;
  await watching;
  return longestMs;
}
