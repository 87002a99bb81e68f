import { setTimeout as pause } from "node:timers/promises";
import { RETRY_DELAYS_MS } from "#contract";
import type { Bench, BenchContext } from "./bench.ts";
import type { Load } from "./load.ts";
import { percentile } from "./report.ts";
import { type Endpoints, highestRate, type Rig, seconds, startRig } from "./rig.ts";

type Context = BenchContext<"down" | "warm-up" | "endpoints" | "rate" | "most">;

const POLL_MS = 100;
const LATENESS_SECONDS = 15;

interface Drain {
  /** Until the first call arrives again: the endpoint is found well by a probe. */
  readonly firstSeconds: number;
  /** Until everything acknowledged so far, but for half a second's worth, has arrived. */
  readonly allSeconds: number;
}

async function drainOf(
  load: Load,
  ill: Endpoints,
  { rate, most }: { rate: number; most: number },
): Promise<Drain> {
  const beganAtMs = performance.now();
  const passed = (): number => (performance.now() - beganAtMs) / 1000;
  const before = await ill.received();
  let firstSeconds = Number.POSITIVE_INFINITY;
  while (passed() < most) {
    const received = await ill.received();
    if (received > before) firstSeconds = Math.min(firstSeconds, passed());
    if ((await load.sample()).count - received <= rate / 2) return { firstSeconds, allSeconds: passed() };
    await pause(POLL_MS);
  }
  return { firstSeconds, allSeconds: Number.POSITIVE_INFINITY };
}

/** How much of a core a process of the product has taken since the last look. */
function coreShares(rig: Rig): () => Promise<ReadonlyMap<string, number>> {
  let before: { atMs: number; seconds: ReadonlyMap<string, number> } = { atMs: 0, seconds: new Map() };
  return async () => {
    const usage = await rig.usage();
    const now = {
      atMs: performance.now(),
      seconds: new Map([...usage].map(([name, { cpuSeconds }]) => [name, cpuSeconds])),
    };
    const { atMs, seconds: taken } = before;
    before = now;
    return new Map(
      [...now.seconds].map(([name, cpu]) => [
        name,
        ((cpu - (taken.get(name) ?? 0)) * 1000) / (now.atMs - atMs),
      ]),
    );
  };
}

async function outage(
  context: Context,
  parts: { rig: Rig; load: Load; ill: Endpoints; others: Endpoints; rate: number },
) {
  const { report, flags } = context;
  const { rig, load, ill, others, rate } = parts;
  const shares = coreShares(rig);
  const p99 = async (): Promise<number> => (await others.latency()).p99Ms;
  await seconds(flags["warm-up"]);
  await Promise.all([p99(), shares()]);
  await seconds(flags["warm-up"]);
  const before = await p99();
  const sharesBefore = await shares();
  report.say(`  one endpoint is down for ${flags.down} s`);
  await ill.become("reset");
  await seconds(flags.down);
  const during = await p99();
  const waiting = (await load.sample()).count - (await ill.received());
  await shares();
  await ill.become("ok");
  const { firstSeconds, allSeconds } = await drainOf(load, ill, { rate, most: flags.most });
  const after = await p99();
  const sharesAfter = await shares();
  report.figure("calls that waited at the end of the outage", waiting, { unit: "calls" });
  report.figure("outage", flags.down, { unit: "s" });
  const asked = `≤ ${(flags.down / 5).toFixed(1)}`;
  report.figure("time to drain once it is back", allSeconds, { unit: "s", asked });
  report.figure("of it until its first call arrives", firstSeconds, { unit: "s" });
  for (const [name, share] of sharesAfter) {
    report.figure(`${name}: of a core before`, sharesBefore.get(name) ?? Number.NaN, { unit: "cores" });
    report.figure(`${name}: of a core while it drains`, share, { unit: "cores" });
  }
  report.figure("others' p99 before", before, { unit: "ms" });
  report.figure("others' p99 during the outage", during, { unit: "ms" });
  report.figure("others' p99 while it drains", after, { unit: "ms" });
  report.figure("others' p99 while it drains, against before", after / before, { unit: "x", asked: "≤ 1.1" });
}

/** One call of ten fails once; the smallest delay has no jitter, so what is more than it is lateness. */
async function lateness(
  { report, flags }: Context,
  { load, ill }: { load: Load; ill: Endpoints },
): Promise<void> {
  const [delayMs = 0] = RETRY_DELAYS_MS;
  await ill.become("stumble");
  await seconds(flags["warm-up"] + delayMs / 1000);
  await ill.sink.ask("again");
  await seconds(LATENESS_SECONDS);
  const { againAfterMs } = await ill.sink.ask<{ againAfterMs: number[] }>("again");
  await load.stop();
  const lateMs = againAfterMs.map((afterMs) => afterMs - delayMs);
  report.figure("calls that failed once and waited for their time", lateMs.length, { unit: "calls" });
  report.figure("late when they came again, p50", percentile(lateMs, 0.5), { unit: "ms", asked: "≤ 500" });
  report.figure("late when they came again, p99", percentile(lateMs, 0.99), { unit: "ms" });
}

export const recovery: Bench<"down" | "warm-up" | "endpoints" | "rate" | "most"> = {
  name: "recovery",
  summary:
    "One endpoint of several is down for a while at half load: how long until its calls have all arrived once it is back, and what the others notice; then how late calls are that failed once.",
  flags: {
    down: { default: 60, doc: "seconds that the endpoint is down" },
    "warm-up": { default: 15, doc: "seconds before each measurement" },
    endpoints: { default: 10, doc: "endpoints; one of them is down" },
    rate: { default: Number.NaN, doc: "calls/s to all of them; half of what is held when not given" },
    most: { default: 300, doc: "seconds after which the drain is given up" },
  },
  async run(context) {
    const { stack, report, flags } = context;
    const rig = await startRig(stack);
    try {
      const others = await rig.endpoints(flags.endpoints - 1);
      const ill = await rig.endpoints(1);
      const full = Number.isNaN(flags.rate)
        ? await highestRate(rig, others, flags["warm-up"])
        : flags.rate * 2;
      const rate = full / 2 / flags.endpoints;
      report.figure("load: calls/s to all endpoints", full / 2, { unit: "calls/s" });
      await rig.load({ writeKeys: others.writeKeys, callsPerSecond: rate * (flags.endpoints - 1) });
      const load = await rig.load({ writeKeys: ill.writeKeys, callsPerSecond: rate });
      await outage(context, { rig, load, ill, others, rate });
      await lateness(context, { load, ill });
    } finally {
      await rig.stop();
    }
  },
};
