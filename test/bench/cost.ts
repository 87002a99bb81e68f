import type { Stack } from "#stack";
import { type Deployment, startDeployment } from "#support/deployment";
import { type CpuCost, measureCpu, type Program, serviceSampler, startProgram } from "./process.ts";

type Say = (line: string) => void;

const SECONDS = 10;
const IN_FLIGHT = 64;
const BATCH = 20;

const startLoad = (origin: string, writeKey: string, batchSize: number): Promise<Program> =>
  startProgram("load", [
    JSON.stringify({ origin, writeKey, batchSize, inFlight: IN_FLIGHT, requestsPerSecond: 0, requests: 0 }),
  ]);

function row(name: string, cost: CpuCost, against?: CpuCost): string {
  const ratio = against === undefined ? "" : `${(cost.cpuMicros / against.cpuMicros).toFixed(2)} x bare`;
  return `${name.padEnd(44)} ${cost.cpuMicros.toFixed(1).padStart(8)} us CPU   ${cost.perSecond.toFixed(0).padStart(7)}/s   ${ratio}`;
}

/** Cost of answering calls: `sample` counts the server's calls. */
async function underLoad(
  server: { origin: string; writeKey: string; sample: Program["sample"] },
  batchSize: number,
): Promise<CpuCost> {
  const load = await startLoad(server.origin, server.writeKey, batchSize);
  const cost = await measureCpu({
    sample: server.sample,
    warmUp: 5_000 * Math.min(batchSize, 4),
    seconds: SECONDS,
  });
  await load.stop();
  return cost;
}

async function benchIngest(deployment: Deployment, writeKey: string, say: Say): Promise<void> {
  const bare = await startProgram("bare-server");
  const bareServer = { origin: `http://127.0.0.1:${bare.port}`, writeKey, sample: bare.sample };
  const ingest = {
    origin: deployment.ingestUrl(),
    writeKey,
    sample: serviceSampler(deployment.service("ingest"), "hookline_ingest_calls_accepted_total"),
  };
  const bareSingle = await underLoad(bareServer, 1);
  const bareBatch = await underLoad(bareServer, BATCH);
  await bare.stop();
  say(row("bare node:http + JSON.parse, single call", bareSingle));
  say(row(`bare node:http + JSON.parse, per event of ${BATCH}`, bareBatch));
  say(row("ingest, single call", await underLoad(ingest, 1), bareSingle));
  say(row(`ingest, per event of ${BATCH} (against a single)`, await underLoad(ingest, BATCH), bareSingle));
}

/** The router alone on the backlog that ingest made. */
async function benchRouter(deployment: Deployment, say: Say): Promise<void> {
  const router = deployment.service("webhook-router");
  await router.restart();
  say(
    row(
      "webhook-router, per call",
      await measureCpu({
        sample: serviceSampler(router, "hookline_router_calls_total"),
        warmUp: 20_000,
        seconds: SECONDS,
      }),
    ),
  );
  await router.stop();
}

/** The deliverer alone on the backlog that the router made, beside the bare loop against the same endpoint. */
async function benchDeliverer(deployment: Deployment, sink: Program, say: Say): Promise<void> {
  const loop = await startProgram("bare-loop", [`http://127.0.0.1:${sink.port}`, String(IN_FLIGHT)]);
  const bare = await measureCpu({ sample: loop.sample, warmUp: 10_000, seconds: SECONDS });
  await loop.stop();
  say(row("bare undici POST loop", bare));
  const deliverer = deployment.service("deliverer");
  await deliverer.restart();
  const sample = serviceSampler(deliverer, "hookline_delivery_attempts_total");
  say(row("deliverer, per event", await measureCpu({ sample, warmUp: 10_000, seconds: SECONDS }), bare));
}

/** CPU time per event of each service, alone, on one machine; see docs/performance.md. */
export async function benchCost(stack: Stack, say: Say): Promise<void> {
  say("\nCPU time per event");
  const sink = await startProgram("sink");
  const deployment = await startDeployment({ stack, partitions: 12 });
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [id],
    sharedSecret: "bench",
    webhooks: [{ url: `http://127.0.0.1:${sink.port}/bench` }],
  });
  await deployment.service("deliverer").stop();
  await deployment.service("webhook-router").stop();
  await benchIngest(deployment, writeKeys[0], say);
  await benchRouter(deployment, say);
  await benchDeliverer(deployment, sink, say);
  await deployment.stop();
  await sink.stop();
}
