import { createAudiences } from "./audiences.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { sayCosts } from "./cost-table.ts";
import { costsOver } from "./costs.ts";
import { builtGoProgram } from "./go-programs.ts";
import { FULL_LOAD } from "./load.ts";
import { type Relay, startBareRelay, startLogRelay } from "./relay.ts";
import type { Row } from "./report.ts";
import {
  bareEndpoints,
  drained,
  type Endpoints,
  type Rig,
  sayWhetherBrokerIsSeen,
  seconds,
  startRig,
} from "./rig.ts";
import { stageTimes } from "./stages.ts";
import { type Kind, type Run, sayAgainst, underLoad } from "./under-load.ts";

/** Where others are known, and where the goals are. */
const RATES = [345, 2_000];
const LINGERS_MS = [0, 4, 10];
const BATCH = 20;

type Flag = "seconds" | "warm-up" | "endpoints" | "audiences" | "rate" | "log-relay" | "linger";
type Context = BenchContext<Flag>;

/** By the name that each load has in the report. */
function loadsAt(rates: readonly number[]): Map<string, Kind> {
  const full: [string, Kind] = ["full load", FULL_LOAD];
  return new Map([
    full,
    ...rates.map((callsPerSecond) => [`${callsPerSecond}/s`, { callsPerSecond }] as const),
  ]);
}

async function underLoads(
  context: Context,
  run: Run,
  loads: ReadonlyMap<string, Kind>,
): Promise<Map<string, Row>> {
  const headlines = new Map<string, Row>();
  for (const load of loads) headlines.set(load[0], await underLoad(context, run, load));
  return headlines;
}

async function product(context: Context, rates: readonly number[]): Promise<Map<string, Row>> {
  const { stack, report, flags } = context;
  const rig: Rig = await startRig(stack);
  try {
    const endpoints = await rig.endpoints(flags.endpoints);
    await createAudiences(rig.deployment, flags.audiences);
    const run: Run = {
      subject: rig,
      endpoints,
      title: "",
      warmUpSeconds: flags["warm-up"],
      stagesOf: (samples) => stageTimes(rig.deployment, samples),
    };
    const headlines = await underLoads(context, run, loadsAt(rates));
    await underLoad(context, run, [`full load, batches of ${BATCH}`, { ...FULL_LOAD, batchSize: BATCH }]);
    await seconds(flags["warm-up"]);
    sayCosts(report, "idle", await costsOver({ subject: rig, endpoints }, flags.seconds));
    return headlines;
  } finally {
    await rig.stop();
  }
}

/** The broker compiles its code in its first minute too: without this the product would meet a cold one and the relays a warm one. */
async function warmBroker({ stack, flags }: Context): Promise<void> {
  const endpoints = await bareEndpoints(flags.endpoints);
  const relay = await startLogRelay(stack, endpoints, 0);
  try {
    const since = await endpoints.sink.sample();
    const load = await relay.load({ writeKeys: endpoints.writeKeys, ...FULL_LOAD });
    await seconds(flags["warm-up"]);
    await drained(load, endpoints, since);
  } finally {
    await relay.stop();
    await endpoints.stop();
  }
}

/** Each relay in the product's place, which does not run meanwhile: both have the broker alone. */
async function relays(context: Context, rates: readonly number[], headlines: ReadonlyMap<string, Row>) {
  const { stack, report, flags } = context;
  const lingersMs = Number.isNaN(flags.linger) ? LINGERS_MS : [flags.linger];
  const starts = [
    startBareRelay,
    ...(flags["log-relay"] === 0 ? [] : lingersMs).map(
      (lingerMs) => (endpoints: Endpoints) => startLogRelay(stack, endpoints, lingerMs),
    ),
  ];
  const endpoints = await bareEndpoints(flags.endpoints);
  const ratios: [Relay, Map<string, Row>][] = [];
  try {
    for (const start of starts) {
      const relay = await start(endpoints);
      try {
        const run = {
          subject: relay,
          endpoints,
          title: `${relay.name}, `,
          warmUpSeconds: flags["warm-up"] / 2,
        };
        ratios.push([relay, await underLoads(context, run, loadsAt(rates))]);
      } finally {
        await relay.stop();
      }
    }
  } finally {
    await endpoints.stop();
  }
  for (const [{ name }, ofRelay] of ratios) sayAgainst(report, name, headlines, ofRelay);
}

export const pipeline: Bench<Flag> = {
  name: "pipeline",
  summary:
    "The whole product on this machine, with its broker: single calls at full load and at known rates, batches, and nobody's calls: CPU time, wakes and requests to Kafka by process, latency by stage; and in its place a bare relay and the log relay, with the product's figures as multiples of theirs.",
  flags: {
    seconds: { default: 15, doc: "seconds of each measurement" },
    "warm-up": { default: 20, doc: "seconds before each of them; half of it for relays" },
    endpoints: { default: 10, doc: "endpoints that the calls go to" },
    audiences: { default: 0, isZeroTaken: true, doc: "audiences, of which a call touches five" },
    rate: { default: Number.NaN, doc: `calls/s of one measurement; ${RATES.join(", ")} when not given` },
    "log-relay": { default: 1, isZeroTaken: true, doc: "0 leaves the log relay out" },
    linger: {
      default: Number.NaN,
      isZeroTaken: true,
      doc: `ms that records gather in the log relay; ${LINGERS_MS.join(", ")} when not given`,
    },
  },
  async run(context) {
    const { stack, report, flags } = context;
    // What cannot be built is known before anything is measured.
    if (flags["log-relay"] > 0) await builtGoProgram("logrelay");
    await sayWhetherBrokerIsSeen(stack, report);
    if (flags["log-relay"] > 0) await warmBroker(context);
    report.say(`  full load: ${FULL_LOAD.inFlight} requests under way`);
    const rates = Number.isNaN(flags.rate) ? RATES : [flags.rate];
    await relays(context, rates, await product(context, rates));
  },
};
