// A thread with a share of the index: makes calls, waits for the word, and writes them. Data: its folder, and how many rows.
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { IndexPart } from "../../../services/control/deliveries/index/index-part.ts";
import { callsOf, stretchesOf, writeTo } from "../index-calls.ts";

export interface Written {
  readonly seconds: number;
  readonly cpuMicros: number;
}

const { folder, rows } = workerData as { readonly folder: string; readonly rows: number };

if (parentPort !== null) {
  const index = new IndexPart({ folder, nowMs: Date.now, onDiscarded: () => undefined });
  const stretches = stretchesOf(0, rows).map(callsOf);
  parentPort.postMessage("ready");
  await once(parentPort, "message");
  const [before, startedAtMs] = [process.threadCpuUsage(), performance.now()];
  for (const calls of stretches) writeTo(index, calls);
  const { system, user } = process.threadCpuUsage(before);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  parentPort.postMessage({ seconds, cpuMicros: (user + system) / rows } satisfies Written);
  index.close();
}
