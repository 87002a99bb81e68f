import type { Bench, BenchContext } from "./bench.ts";
import type { Load } from "./load.ts";
import {
  type EndpointMode,
  type Endpoints,
  highestRate,
  type Rig,
  rateOver,
  seconds,
  startRig,
} from "./rig.ts";

type Context = BenchContext<"seconds" | "warm-up" | "endpoints" | "small" | "rate" | "share">;

/** In this order; what one of them leaves waiting is still tried while the next one is measured. */
const FAULTS: readonly EndpointMode[] = ["hang", "slow", "error", "reset", "half-open"];

/** How the watched endpoints did over one stretch. */
interface Stretch {
  readonly callsPerSecond: number;
  readonly p99Ms: number;
}

const meanOf = (a: Stretch, b: Stretch): Stretch => ({
  callsPerSecond: (a.callsPerSecond + b.callsPerSecond) / 2,
  p99Ms: (a.p99Ms + b.p99Ms) / 2,
});

async function watch({ flags }: Context, endpoints: Endpoints): Promise<Stretch> {
  await seconds(flags["warm-up"]);
  await endpoints.latency();
  const callsPerSecond = await rateOver(flags.seconds, endpoints.received);
  return { callsPerSecond, p99Ms: (await endpoints.latency()).p99Ms };
}

function say({ report }: Context, name: string, stretch: Stretch, against?: Stretch): void {
  report.figure(`${name}: calls/s`, stretch.callsPerSecond, { unit: "calls/s" });
  report.figure(`${name}: p99`, stretch.p99Ms, { unit: "ms" });
  if (against === undefined) return;
  const throughput = stretch.callsPerSecond / against.callsPerSecond;
  report.figure(`${name}: throughput, against alone`, throughput, { unit: "x", asked: "≥ 0.99" });
  report.figure(`${name}: p99, against alone`, stretch.p99Ms / against.p99Ms, { unit: "x", asked: "≤ 1.1" });
}

/** Ten healthy endpoints, alone and beside as many that are in order, then ill in each way. */
async function besideFaults(context: Context, rig: Rig, callsPerSecond: number): Promise<void> {
  const { flags, report } = context;
  const healthy = await rig.endpoints(flags.endpoints);
  const others = await rig.endpoints(flags.endpoints);
  const load = await rig.load({ writeKeys: healthy.writeKeys, callsPerSecond });
  const before = await watch(context, healthy);
  const othersLoad = await rig.load({
    writeKeys: others.writeKeys,
    callsPerSecond: callsPerSecond * flags.share,
  });
  const besideHealthy = await watch(context, healthy);
  const stretches: [EndpointMode, Stretch][] = [];
  for (const fault of FAULTS) {
    report.say(`  beside ${flags.endpoints} endpoints: ${fault}`);
    await others.become(fault);
    stretches.push([fault, await watch(context, healthy)]);
  }
  await othersLoad.stop();
  await others.become("ok");
  const alone = meanOf(before, await watch(context, healthy));
  say(context, "healthy, alone (mean of before and after)", alone);
  say(context, "healthy, beside healthy ones", besideHealthy, alone);
  for (const [fault, stretch] of stretches) say(context, `healthy, beside ${fault}`, stretch, alone);
  await Promise.all([load.stop(), healthy.stop(), others.stop()]);
}

/** Small endpoints with a tenth of the calls; the other nine tenths to nobody, to ten endpoints, to one. */
async function besideOneLarge(context: Context, rig: Rig, callsPerSecond: number): Promise<void> {
  const { flags } = context;
  const small = await rig.endpoints(flags.small);
  const many = await rig.endpoints(10);
  const [largeKey = ""] = many.writeKeys;
  const load = await rig.load({ writeKeys: small.writeKeys, callsPerSecond: callsPerSecond * 0.1 });
  const alone = await watch(context, small);
  const beside = async (writeKeys: readonly string[]): Promise<Stretch> => {
    const rest: Load = await rig.load({ writeKeys, callsPerSecond: callsPerSecond * 0.9 });
    const stretch = await watch(context, small);
    await rest.stop();
    return stretch;
  };
  const even = await beside(many.writeKeys);
  const skewed = await beside([largeKey]);
  say(context, "small, alone", alone);
  say(context, "small, 90 % of the calls to 10 others", even, alone);
  say(context, "small, 90 % of the calls to one other", skewed, alone);
  const name = "small, p99, 90 % to one against 90 % to ten";
  context.report.figure(name, skewed.p99Ms / even.p99Ms, { unit: "x", asked: "≤ 1.1" });
  await load.stop();
}

export const isolation: Bench<"seconds" | "warm-up" | "endpoints" | "small" | "rate" | "share"> = {
  name: "isolation",
  summary:
    "Healthy endpoints at half of the highest load, alone and beside others that hang, are slow, fail, reset or go silent; and 100 small endpoints beside one that gets nine tenths of the calls.",
  flags: {
    seconds: { default: 60, doc: "seconds of each measurement" },
    "warm-up": { default: 15, doc: "seconds before each of them" },
    endpoints: { default: 10, doc: "healthy endpoints, and as many others" },
    small: { default: 100, doc: "small endpoints" },
    rate: {
      default: Number.NaN,
      doc: "calls/s to the healthy endpoints; half of what is held when not given",
    },
    share: { default: 0.2, doc: "calls to the others, as a share of those to the healthy ones" },
  },
  async run(context) {
    const { stack, report, flags } = context;
    const rig = await startRig(stack);
    try {
      const endpoints = await rig.endpoints(flags.endpoints);
      const rate = Number.isNaN(flags.rate)
        ? (await highestRate(rig, endpoints, flags["warm-up"])) / 2
        : flags.rate;
      await endpoints.stop();
      report.figure("load: calls/s to the healthy endpoints", rate, { unit: "calls/s" });
      await besideFaults(context, rig, rate);
      await besideOneLarge(context, rig, rate);
    } finally {
      await rig.stop();
    }
  },
};
