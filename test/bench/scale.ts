import type { Bench, BenchContext } from "./bench.ts";
import { writeDestinations } from "./configuration.ts";
import { type Endpoints, type Rig, seconds, startRig } from "./rig.ts";

type Context = BenchContext<"seconds" | "warm-up" | "rate" | "most">;

const SERVICES = ["webhook-router", "deliverer"] as const;
const STEPS = [10, 10_000, 1_000_000];
const MIB = 2 ** 20;

interface Cost {
  readonly router: number;
  readonly deliverer: number;
}

/** Both read the destinations at their start, so a restart shows how long that takes. */
async function restart({ report }: Context, rig: Rig, count: number): Promise<void> {
  for (const name of SERVICES) {
    await rig.deployment.service(name).stop();
    const beganAtMs = performance.now();
    await rig.deployment.service(name).restart();
    const took = (performance.now() - beganAtMs) / 1000;
    report.figure(`${count} destinations: ${name}, start to ready`, took, { unit: "s", asked: "≤ 10" });
  }
}

async function costOf({ flags }: Context, rig: Rig, endpoints: Endpoints): Promise<Cost> {
  const load = await rig.load({ writeKeys: endpoints.writeKeys, callsPerSecond: flags.rate });
  await seconds(flags["warm-up"]);
  const from = { usage: await rig.usage(), received: await endpoints.received() };
  await seconds(flags.seconds);
  const to = { usage: await rig.usage(), received: await endpoints.received() };
  await load.stop();
  const micros = (name: string): number =>
    (((to.usage.get(name)?.cpuSeconds ?? Number.NaN) - (from.usage.get(name)?.cpuSeconds ?? 0)) * 1e6) /
    (to.received - from.received);
  return { router: micros("webhook-router"), deliverer: micros("deliverer") };
}

async function sayMemory({ report }: Context, rig: Rig, count: number): Promise<void> {
  const usage = await rig.usage();
  for (const name of SERVICES) {
    const rssMib = (usage.get(name)?.rssBytes ?? Number.NaN) / MIB;
    report.figure(`${count} destinations: ${name}, memory (RSS)`, rssMib, { unit: "MiB", asked: "≤ 1024" });
  }
}

function sayCost({ report }: Context, count: number, cost: Cost, first: Cost): void {
  report.figure(`${count} destinations: router, CPU a call`, cost.router, { unit: "us" });
  report.figure(`${count} destinations: deliverer, CPU a call`, cost.deliverer, { unit: "us" });
  const both = (cost.router + cost.deliverer) / (first.router + first.deliverer);
  report.figure(`${count} destinations: both, against the first`, both, { unit: "x", asked: "0.9 to 1.1" });
}

export const scale: Bench<"seconds" | "warm-up" | "rate" | "most"> = {
  name: "scale",
  summary: "Cost of a call, memory and time to start with 10, 10,000 and 1,000,000 configured destinations.",
  flags: {
    seconds: { default: 30, doc: "seconds of each measurement" },
    "warm-up": { default: 30, doc: "seconds before each of them" },
    rate: { default: 500, doc: "calls/s" },
    most: { default: 1_000_000, doc: "destinations at most" },
  },
  async run(context) {
    const { stack, report, flags } = context;
    const rig = await startRig(stack, { hasProcessor: false });
    try {
      const endpoints = await rig.endpoints(5);
      // It keeps every destination too, and is not what is measured.
      await rig.deployment.service("control").stop();
      let written = 5;
      let first: Cost | undefined;
      for (const count of STEPS.filter((step) => step <= flags.most)) {
        report.say(`  writing ${count - written} destinations`);
        await writeDestinations(rig.deployment, { from: written, to: count });
        written = count;
        await restart(context, rig, count);
        const cost = await costOf(context, rig, endpoints);
        first ??= cost;
        sayCost(context, count, cost, first);
        await sayMemory(context, rig, count);
      }
    } finally {
      await rig.stop();
    }
  },
};
