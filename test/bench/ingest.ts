import type { Bench } from "./bench.ts";
import { startLoad } from "./load.ts";
import { type CpuCost, measureCpu, type Program, serviceSampler, startProgram } from "./process.ts";
import type { Report } from "./report.ts";
import { type Rig, startRig } from "./rig.ts";

const BATCH = 20;
const ROUTER_WARM_UP_CALLS = 20_000;

interface Server {
  readonly origin: string;
  readonly writeKeys: readonly string[];
  /** Counts calls. */
  readonly sample: Program["sample"];
}

async function underLoad(server: Server, batchSize: number, seconds: number): Promise<CpuCost> {
  const load = await startLoad([server.origin], {
    writeKeys: server.writeKeys,
    callsPerSecond: 0,
    batchSize,
  });
  const warmUp = 5_000 * Math.min(batchSize, 4);
  const cost = await measureCpu({ sample: server.sample, warmUp, seconds });
  await load.stop();
  return cost;
}

function say(report: Report, name: string, cost: CpuCost, against?: { bare: CpuCost; asked: string }): void {
  report.figure(`${name}, CPU a call`, cost.cpuMicros, { unit: "us" });
  if (against === undefined) return;
  const { bare, asked } = against;
  report.figure(`${name}, against bare`, cost.cpuMicros / bare.cpuMicros, { unit: "x", asked });
}

async function measureIngest(rig: Rig, report: Report, seconds: number): Promise<void> {
  const { writeKeys, stop } = await rig.endpoints(1);
  const bare = await startProgram("bare-server");
  const bareServer = { origin: `http://127.0.0.1:${bare.ports[0]}`, writeKeys, sample: bare.sample };
  const sample = serviceSampler(rig.deployment.service("ingest"), "hookline_ingest_calls_accepted_total");
  const ingest = { origin: rig.deployment.ingestUrl(), writeKeys, sample };
  const single = await underLoad(bareServer, 1, seconds);
  say(report, "bare node:http and JSON.parse, single", single);
  await bare.stop();
  say(report, "ingest, single", await underLoad(ingest, 1, seconds), { bare: single, asked: "≤ 2" });
  const batch = await underLoad(ingest, BATCH, seconds);
  say(report, `ingest, in batches of ${BATCH}`, batch, { bare: single, asked: "≤ 0.5" });
  await stop();
}

/** The router alone on the backlog that ingest made. */
async function measureRouter(rig: Rig, report: Report, seconds: number): Promise<void> {
  const router = rig.deployment.service("webhook-router");
  await router.restart();
  const sample = serviceSampler(router, "hookline_router_calls_total");
  say(report, "webhook-router", await measureCpu({ sample, warmUp: ROUTER_WARM_UP_CALLS, seconds }));
}

export const ingest: Bench<"seconds"> = {
  name: "ingest",
  summary:
    "CPU time a call of ingest against a bare node:http server in the same run, and of the router, each alone.",
  flags: { seconds: { default: 10, doc: "seconds of each measurement" } },
  async run({ stack, report, flags }) {
    const rig = await startRig(stack, { hasProcessor: false });
    try {
      await rig.deployment.service("deliverer").stop();
      await rig.deployment.service("webhook-router").stop();
      await measureIngest(rig, report, flags.seconds);
      await measureRouter(rig, report, flags.seconds);
    } finally {
      await rig.stop();
    }
  },
};
