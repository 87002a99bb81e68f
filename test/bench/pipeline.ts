import type { Bench, BenchContext } from "./bench.ts";
import { measureCpu, type Program, startProgram } from "./process.ts";
import { percentile, type Report } from "./report.ts";
import { drained, type Endpoints, FULL_LOAD, type Rig, seconds, startLoad, startRig } from "./rig.ts";
import { type CallSample, stageTimes } from "./stages.ts";
import type { Usage } from "./usage.ts";

interface Moment {
  readonly atMs: number;
  readonly received: number;
  readonly usage: ReadonlyMap<string, Usage>;
}

async function momentOf(rig: Rig, endpoints: Endpoints): Promise<Moment> {
  const usage = await rig.usage();
  return { atMs: performance.now(), received: await endpoints.received(), usage };
}

/** Says the calls/s and the CPU time a call by process between two moments; gives the calls/s. */
function sayCosts(report: Report, name: string, from: Moment, to: Moment): number {
  const calls = to.received - from.received;
  const callsPerSecond = (calls * 1000) / (to.atMs - from.atMs);
  report.figure(`${name}: calls/s`, callsPerSecond, { unit: "calls/s" });
  let total = 0;
  for (const [process, { cpuSeconds }] of to.usage) {
    const micros = ((cpuSeconds - (from.usage.get(process)?.cpuSeconds ?? 0)) * 1e6) / calls;
    total += micros;
    report.figure(`${name}: CPU a call, ${process}`, micros, { unit: "us" });
  }
  if (!to.usage.has("broker"))
    report.say("  the broker is not a process of this machine: its share is missing");
  report.figure(`${name}: CPU a call, all of them`, total, { unit: "us", asked: "≤ 150" });
  return callsPerSecond;
}

function sayTimes(report: Report, name: string, timesMs: readonly number[], asked: [string?, string?]): void {
  for (const [index, share] of [0.5, 0.99].entries()) {
    const bound = asked[index];
    const more = bound === undefined ? {} : { asked: bound };
    report.figure(`${name}, p${share * 100}`, percentile(timesMs, share), { unit: "ms", ...more });
  }
}

type Context = BenchContext<"seconds" | "warm-up" | "endpoints" | "rate">;

async function atFullLoad({ report, flags }: Context, rig: Rig, endpoints: Endpoints): Promise<number> {
  const load = await rig.load({ writeKeys: endpoints.writeKeys, ...FULL_LOAD });
  await seconds(flags["warm-up"]);
  const from = await momentOf(rig, endpoints);
  await seconds(flags.seconds);
  const highest = sayCosts(report, "full load", from, await momentOf(rig, endpoints));
  const sent = (await load.sample()).count;
  await load.stop();
  await drained(endpoints, sent);
  return highest;
}

async function answersOf(load: Program): Promise<number[]> {
  return (await load.ask<{ answersMs: number[] }>("answers")).answersMs;
}

async function atRate(
  { report, flags }: Context,
  rig: Rig,
  { endpoints, callsPerSecond, name }: { endpoints: Endpoints; callsPerSecond: number; name: string },
): Promise<void> {
  const load = await rig.load({ writeKeys: endpoints.writeKeys, callsPerSecond });
  await seconds(flags["warm-up"]);
  await Promise.all([endpoints.latenciesMs(), endpoints.sink.ask("samples"), answersOf(load)]);
  const from = await momentOf(rig, endpoints);
  await seconds(flags.seconds);
  sayCosts(report, name, from, await momentOf(rig, endpoints));
  const latenciesMs = await endpoints.latenciesMs();
  const { samples } = await endpoints.sink.ask<{ samples: CallSample[] }>("samples");
  const answersMs = await answersOf(load);
  await load.stop();
  sayTimes(report, `${name}: sent to received`, latenciesMs, ["≤ 2", "≤ 10"]);
  sayTimes(report, `${name}: sent to acknowledged`, answersMs, []);
  const { acceptedMs, gatheredMs, routedMs, deliveredMs } = await stageTimes(rig.deployment, samples);
  sayTimes(report, `${name}: stage 1, sent to accepted by ingest`, acceptedMs, []);
  sayTimes(report, `${name}: stage 2, gathering for Kafka`, gatheredMs, []);
  sayTimes(report, `${name}: stage 3, Kafka, router, gathering`, routedMs, []);
  sayTimes(report, `${name}: stage 4, Kafka, deliverer, HTTP`, deliveredMs, []);
}

/** Between the same load and the same endpoints stands one process that keeps nothing. */
async function bareRelay(
  { report, flags }: Context,
  endpoints: Endpoints,
  { name, ...options }: { name: string; callsPerSecond: number; inFlight?: number },
): Promise<void> {
  const relay = await startProgram(
    "bare-relay",
    endpoints.sink.ports.map((port) => `http://127.0.0.1:${port}`),
  );
  const load = await startLoad(`http://127.0.0.1:${relay.ports[0]}`, {
    writeKeys: endpoints.writeKeys,
    ...options,
  });
  await seconds(flags["warm-up"]);
  await endpoints.latenciesMs();
  const cost = await measureCpu({ sample: relay.sample, warmUp: 0, seconds: flags.seconds });
  const latenciesMs = await endpoints.latenciesMs();
  await load.stop();
  await relay.stop();
  const title = `bare relay, ${name}`;
  report.figure(`${title}: calls/s`, cost.perSecond, { unit: "calls/s" });
  report.figure(`${title}: CPU a call`, cost.cpuMicros, { unit: "us" });
  sayTimes(report, `${title}: sent to received`, latenciesMs, []);
}

export const pipeline: Bench<"seconds" | "warm-up" | "endpoints" | "rate"> = {
  name: "pipeline",
  summary:
    "Single calls through every service to webhooks, everything on this machine: calls/s held, CPU time a call by process with the broker's share, latency at half load by stage; and a bare relay in its place.",
  flags: {
    seconds: { default: 15, doc: "seconds of each measurement" },
    "warm-up": { default: 20, doc: "seconds before each of them" },
    endpoints: { default: 10, doc: "endpoints that the calls go to" },
    rate: { default: 345, doc: "calls/s of the third measurement, which the others are known at" },
  },
  async run(context) {
    const { stack, report, flags } = context;
    const rig = await startRig(stack);
    try {
      const endpoints = await rig.endpoints(flags.endpoints);
      report.say(`  full load: ${FULL_LOAD.inFlight} requests under way`);
      const highest = await atFullLoad(context, rig, endpoints);
      const half = Math.max(1, Math.floor(highest / 2));
      await atRate(context, rig, { endpoints, callsPerSecond: half, name: "half load" });
      await atRate(context, rig, { endpoints, callsPerSecond: flags.rate, name: `${flags.rate}/s` });
      await bareRelay(context, endpoints, { name: "full load", ...FULL_LOAD });
      await bareRelay(context, endpoints, { name: `${flags.rate}/s`, callsPerSecond: flags.rate });
    } finally {
      await rig.stop();
    }
  },
};
