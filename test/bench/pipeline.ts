import type { Bench, BenchContext } from "./bench.ts";
import { momentOf, sayCosts } from "./costs.ts";
import { bareRelay } from "./relay.ts";
import { percentile, type Report, sayLatency } from "./report.ts";
import {
  type Answers,
  drained,
  type Endpoints,
  FULL_LOAD,
  type Outcome,
  type Rig,
  seconds,
  startRig,
} from "./rig.ts";
import { type CallSample, type StageTimes, stageTimes } from "./stages.ts";

/** Where others are known, and where the goals are. */
const RATES = [345, 1_000, 2_200];
const BATCH = 20;

const STAGES: readonly (readonly [keyof StageTimes, string])[] = [
  ["acceptedMs", "stage 1, sent to accepted by ingest"],
  ["gatheredMs", "stage 2, gathering for Kafka"],
  ["routedMs", "stage 3, Kafka, router, gathering"],
  ["deliveredMs", "stage 4, Kafka, deliverer, HTTP"],
];

type Context = BenchContext<"seconds" | "warm-up" | "endpoints" | "rate">;

interface Run {
  readonly rig: Rig;
  readonly endpoints: Endpoints;
  readonly name: string;
}

function sayOutcome(report: Report, name: string, { refused, missing, doubles }: Outcome): void {
  report.figure(`${name}: calls refused`, refused, { unit: "calls", asked: "0" });
  report.figure(`${name}: calls accepted and not arrived`, missing, { unit: "calls", asked: "0" });
  report.figure(`${name}: arrivals beyond the first`, doubles, { unit: "calls" });
}

/** Gives the CPU time a call in microseconds. */
async function atFullLoad({ report, flags }: Context, run: Run, batchSize: number): Promise<number> {
  const { rig, endpoints, name } = run;
  const since = await endpoints.sink.sample();
  const load = await rig.load({ writeKeys: endpoints.writeKeys, ...FULL_LOAD, batchSize });
  await seconds(flags["warm-up"]);
  await load.ask<Answers>("answers");
  const from = await momentOf({ rig, load, endpoints });
  await seconds(flags.seconds);
  const micros = sayCosts(report, name, from, await momentOf({ rig, load, endpoints }));
  const { perSecond } = await load.ask<Answers>("answers");
  report.figure(`${name}: accepted in the least second`, Math.min(...perSecond), { unit: "calls/s" });
  report.figure(`${name}: accepted in the best second`, Math.max(...perSecond), { unit: "calls/s" });
  sayOutcome(report, name, await drained(load, endpoints, since));
  return micros;
}

/** The mean of the slowest hundredth's stages says what it waits for. */
function sayStages(report: Report, name: string, stages: readonly StageTimes[]): void {
  const slowest = stages.toSorted((a, b) => b.allMs - a.allMs).slice(0, Math.ceil(stages.length / 100));
  for (const [stage, title] of STAGES) {
    const all = stages.map((times) => times[stage]);
    const mean = slowest.reduce((sum, times) => sum + times[stage], 0) / slowest.length;
    report.figure(`${name}: ${title}, p50`, percentile(all, 0.5), { unit: "ms" });
    report.figure(`${name}: ${title}, mean of the slow hundredth`, mean, { unit: "ms" });
  }
}

async function atRate({ report, flags }: Context, run: Run, callsPerSecond: number): Promise<void> {
  const { rig, endpoints, name } = run;
  const since = await endpoints.sink.sample();
  const load = await rig.load({ writeKeys: endpoints.writeKeys, callsPerSecond });
  await seconds(flags["warm-up"]);
  await Promise.all([endpoints.latency(), endpoints.sink.ask("samples"), load.ask("answers")]);
  const from = await momentOf({ rig, load, endpoints });
  await seconds(flags.seconds);
  const to = await momentOf({ rig, load, endpoints });
  const latency = await endpoints.latency();
  const { samples } = await endpoints.sink.ask<{ samples: CallSample[] }>("samples");
  const { answers, starts } = await load.ask<Answers>("answers");
  const outcome = await drained(load, endpoints, since);
  sayCosts(report, name, from, to);
  sayLatency(report, `${name}: sent to received`, latency, ["≤ 2", "≤ 10"]);
  sayLatency(report, `${name}: sent to acknowledged`, answers);
  sayLatency(report, `${name}: late in the generator`, starts);
  sayStages(report, name, await stageTimes(rig.deployment, samples));
  sayOutcome(report, name, outcome);
}

export const pipeline: Bench<"seconds" | "warm-up" | "endpoints" | "rate"> = {
  name: "pipeline",
  summary:
    "Single calls and batches of 20 through every service to webhooks, everything on this machine: calls/s held, CPU time a call by process with the broker's share, latency at known rates by stage; and a bare relay in its place.",
  flags: {
    seconds: { default: 15, doc: "seconds of each measurement" },
    "warm-up": { default: 20, doc: "seconds before each of them; half of it for the bare relay" },
    endpoints: { default: 10, doc: "endpoints that the calls go to" },
    rate: { default: Number.NaN, doc: `calls/s of one measurement; ${RATES.join(", ")} when not given` },
  },
  async run(context) {
    const { stack, report, flags } = context;
    const rates = Number.isNaN(flags.rate) ? RATES : [flags.rate];
    const rig = await startRig(stack);
    try {
      const endpoints = await rig.endpoints(flags.endpoints);
      report.say(`  full load: ${FULL_LOAD.inFlight} requests under way`);
      const micros = await atFullLoad(context, { rig, endpoints, name: "full load" }, 1);
      await atFullLoad(context, { rig, endpoints, name: `full load, batches of ${BATCH}` }, BATCH);
      for (const rate of rates) await atRate(context, { rig, endpoints, name: `${rate}/s` }, rate);
      const bareMicros = await bareRelay(context, endpoints, { name: "full load", ...FULL_LOAD });
      const against = "full load: CPU a call, against the bare relay";
      report.figure(against, micros / bareMicros, { unit: "x", asked: "≤ 3" });
      for (const rate of rates)
        await bareRelay(context, endpoints, { name: `${rate}/s`, callsPerSecond: rate });
    } finally {
      await rig.stop();
    }
  },
};
