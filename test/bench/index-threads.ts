// Threads that write recorded calls at once: how many rows they write, and whether the main thread is free meanwhile.
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Written } from "./programs/index-share.ts";
import type { Report } from "./report.ts";
import { cpuMs } from "./turn-watch.ts";

const ROWS = 100_000;
const PROGRAM = new URL("./programs/index-share.ts", import.meta.url);

async function start(folder: string): Promise<Worker> {
  const worker = new Worker(PROGRAM, { workerData: { folder, rows: ROWS } });
  await once(worker, "message");
  return worker;
}

/** The longest turn of this thread until `work` ends, CPU time: it has nothing to do but to take the threads' messages. */
async function longestTurnOf(work: Promise<unknown>): Promise<number> {
  let [longestMs, isOver] = [0, false];
  const end = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const beforeMs = cpuMs();
    // Without a pause it would take a core from the threads.
    await delay(1);
    longestMs = Math.max(longestMs, cpuMs() - beforeMs);
  }
  await end;
  return longestMs;
}

/** So many threads, each into a file of its own. */
export async function sayThreads(report: Report, folder: string, count: number): Promise<void> {
  const folders = Array.from({ length: count }, (_, share) => join(folder, `${count}-${share}`));
  const workers = await Promise.all(folders.map(start));
  const all = Promise.all(
    workers.map(async (worker): Promise<Written> => {
      const written = once(worker, "message");
      worker.postMessage("go");
      return (await written)[0];
    }),
  );
  const turnMs = await longestTurnOf(all);
  const written = await all;
  await Promise.all(workers.map((worker) => worker.terminate()));
  const name = `${count} ${count === 1 ? "thread" : "threads"}`;
  const seconds = Math.max(...written.map((each) => each.seconds));
  report.figure(`${name}: calls written a second`, (count * ROWS) / seconds, { unit: "/s" });
  const micros = written.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / count;
  report.figure(`${name}: a call written, CPU`, micros, { unit: "µs" });
  report.figure(`${name}: calls a second, with a core each`, (count * 1e6) / micros, { unit: "/s" });
  report.figure(`${name}: longest turn of the main thread`, turnMs, { unit: "ms" });
}
