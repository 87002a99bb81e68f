import type { Bench } from "./bench.ts";
import { measureCpu, serviceSampler, startProgram } from "./process.ts";
import { type Endpoints, type Rig, startRig } from "./rig.ts";

const IN_FLIGHT = 64;
const WARM_UP_CALLS = 10_000;
const BATCH = 20;
const MIB = 2 ** 20;

/** Fills the jobs topic while the deliverer is away. */
async function makeBacklog(rig: Rig, { writeKeys }: Endpoints, calls: number): Promise<void> {
  const load = await rig.load({ writeKeys, callsPerSecond: 0, batchSize: BATCH });
  const sample = serviceSampler(rig.deployment.service("webhook-router"), "hookline_router_calls_total");
  await measureCpu({ sample, warmUp: calls, seconds: 0 });
  await load.stop();
}

async function bareLoop({ sink }: Endpoints, seconds: number) {
  const loop = await startProgram("bare-loop", [`http://127.0.0.1:${sink.ports[0]}`, String(IN_FLIGHT)]);
  const cost = await measureCpu({ sample: loop.sample, warmUp: WARM_UP_CALLS, seconds });
  await loop.stop();
  return cost;
}

export const delivery: Bench<"seconds" | "endpoints" | "backlog" | "away"> = {
  name: "delivery",
  summary:
    "CPU time a call of the deliverer, its attempt records included, against a bare undici POST loop before and after it; calls/s of one process; memory.",
  flags: {
    seconds: { default: 10, doc: "seconds of each measurement" },
    endpoints: { default: 4, doc: "endpoints that the calls go to" },
    backlog: { default: 150_000, doc: "calls that wait before the deliverer starts" },
    away: { default: 0, isZeroTaken: true, doc: "1: endpoints answer the deliverer after 50 ms" },
  },
  async run({ stack, report, flags }) {
    const rig = await startRig(stack, { hasProcessor: false });
    try {
      const endpoints = await rig.endpoints(flags.endpoints);
      const deliverer = rig.deployment.service("deliverer");
      await deliverer.stop();
      report.say(`  writing a backlog of ${flags.backlog} calls`);
      await makeBacklog(rig, endpoints, flags.backlog);
      await rig.deployment.service("ingest").stop();
      const before = await bareLoop(endpoints, flags.seconds);
      // The bare loop's requests count at the endpoints too.
      const base = await endpoints.received();
      if (flags.away > 0) await endpoints.become("away");
      await deliverer.restart();
      const own = serviceSampler(deliverer, "hookline_delivery_attempts_total");
      const sample = async () => ({ ...(await own()), count: (await endpoints.received()) - base });
      const until = flags.backlog * 0.95;
      const cost = await measureCpu({ sample, warmUp: WARM_UP_CALLS, seconds: flags.seconds, until });
      const rssBytes = (await rig.usage()).get("deliverer")?.rssBytes ?? Number.NaN;
      await deliverer.stop();
      await endpoints.become("ok");
      const after = await bareLoop(endpoints, flags.seconds);
      const bareMicros = (before.cpuMicros + after.cpuMicros) / 2;
      report.figure("bare undici POST loop, CPU a request", bareMicros, { unit: "us" });
      report.figure("deliverer, CPU a call", cost.cpuMicros, { unit: "us" });
      report.figure("deliverer, against bare", cost.cpuMicros / bareMicros, { unit: "x", asked: "≤ 2" });
      report.figure("deliverer, calls/s of one process", cost.perSecond, { unit: "calls/s" });
      report.figure("deliverer, memory (RSS) under backlog", rssBytes / MIB, { unit: "MiB" });
    } finally {
      await rig.stop();
    }
  },
};
