import { setTimeout as pause } from "node:timers/promises";
import type { Stack } from "#stack";
import { startDeployment } from "#support/deployment";
import { type Program, startProgram } from "./process.ts";

const WARM_UP_SECONDS = 5;
const SECONDS = 15;
const IN_FLIGHT = 64;

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const sentSoFar = async (load: Program): Promise<number> => (await load.sample()).count;
const receivedSoFar = async (sink: Program): Promise<number> => (await sink.sample()).count;

/** Calls a second that arrive while ingest is kept busy: what the whole pipeline holds, not only its entry. */
async function highestRate(sink: Program): Promise<number> {
  await pause(WARM_UP_SECONDS * 1000);
  const before = await receivedSoFar(sink);
  const beganAtMs = performance.now();
  await pause(SECONDS * 1000);
  return ((await receivedSoFar(sink)) - before) / ((performance.now() - beganAtMs) / 1000);
}

async function drained(sink: Program, expected: number): Promise<void> {
  for (let received = await receivedSoFar(sink); received < expected; received = await receivedSoFar(sink))
    await pause(200);
}

/** Accepted to received through every service, single calls, at half of the highest rate held; see docs/performance.md. */
export async function benchLatency(stack: Stack, say: (line: string) => void): Promise<void> {
  say("\nThrough the whole pipeline, single calls");
  const sink = await startProgram("sink");
  const deployment = await startDeployment({ stack, partitions: 12 });
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [id],
    sharedSecret: "bench",
    webhooks: [{ url: `http://127.0.0.1:${sink.port}/bench` }],
  });
  const startLoad = (requestsPerSecond: number): Promise<Program> =>
    startProgram("load", [
      JSON.stringify({
        origin: deployment.ingestUrl(),
        writeKey: writeKeys[0],
        batchSize: 1,
        inFlight: IN_FLIGHT,
        requestsPerSecond,
        requests: 0,
      }),
    ]);

  const full = await startLoad(0);
  const highest = await highestRate(sink);
  const sent = await sentSoFar(full);
  await full.stop();
  say(`highest rate held: ${highest.toFixed(0)} calls/s`);
  await drained(sink, sent);

  const half = await startLoad(Math.floor(highest / 2));
  await pause(WARM_UP_SECONDS * 1000);
  await sink.ask("latencies");
  await pause(SECONDS * 1000);
  const { latenciesMs } = await sink.ask<{ latenciesMs: number[] }>("latencies");
  await half.stop();
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  say(
    `at ${Math.floor(highest / 2)} calls/s, sent to received: p50 ${percentile(sorted, 0.5).toFixed(1)} ms, ` +
      `p99 ${percentile(sorted, 0.99).toFixed(1)} ms, most ${percentile(sorted, 1).toFixed(1)} ms (${sorted.length} calls)`,
  );
  await deployment.stop();
  await sink.stop();
}
