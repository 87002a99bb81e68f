// Several processes of each service, on three brokers: what one more costs, what a rebalance and a roll-out are like for calls.
import type { ServiceName } from "#contract";
import type { ServiceProcess } from "#support/service";
import type { Bench, BenchContext } from "./bench.ts";
import { ALL, COST_COLUMNS, costRows } from "./cost-table.ts";
import { costsOver } from "./costs.ts";
import type { Load } from "./load.ts";
import type { Column, Latency, Row } from "./report.ts";
import { drained, type Endpoints, type Rig, sayWhetherBrokerIsSeen, seconds, startRig } from "./rig.ts";

type Context = BenchContext<"seconds" | "warm-up" | "endpoints" | "rate">;

/** Three brokers and five services compile their code before the first measurement: until then a call costs several times as much. */
const COMPILE_SECONDS = 60;

/** In this order, each beside those before it. */
const ADDED: readonly ServiceName[] = [
  "deliverer",
  "webhook-router",
  "ingest",
  "audience-processor",
  "control",
];
const CPU = COST_COLUMNS.findIndex(({ name }) => name === "CPU a call");
const REQUESTS = COST_COLUMNS.findIndex(({ name }) => name === "requests a call");

const COLUMNS: readonly Column[] = [
  { name: "CPU a call", unit: "us" },
  { name: "of it the service", unit: "us" },
  { name: "requests a call", unit: "" },
  { name: "p50", unit: "ms" },
  { name: "p99", unit: "ms" },
];
const LATENESS: readonly Column[] = ["p50", "p99", "p99.9", "longest"].map((name) => ({ name, unit: "ms" }));

interface Parts {
  readonly rig: Rig;
  readonly endpoints: Endpoints;
}

/** Runs something under the load of all ingest processes, and sees that every call arrives. */
async function underRate<R>(
  { report, flags }: Context,
  { rig, endpoints }: Parts,
  { name, run }: { readonly name: string; run(): Promise<R> },
): Promise<R> {
  const since = await endpoints.sink.sample();
  const load: Load = await rig.load({ writeKeys: endpoints.writeKeys, callsPerSecond: flags.rate });
  await seconds(flags["warm-up"]);
  await endpoints.latency();
  const result = await run();
  const { refused, missing, doubles } = await drained(load, endpoints, since);
  report.figure(`${name}: calls refused`, refused, { unit: "calls" });
  report.figure(`${name}: calls accepted and not arrived`, missing, { unit: "calls", asked: "0" });
  report.figure(`${name}: arrivals beyond the first`, doubles, { unit: "calls" });
  return result;
}

/** `service`: the one that is told apart; none of the first row. */
async function costRow(context: Context, parts: Parts, name: string, service?: ServiceName): Promise<Row> {
  const run = async (): Promise<Row> => {
    const costs = await costsOver({ subject: parts.rig, endpoints: parts.endpoints }, context.flags.seconds);
    const { p50Ms, p99Ms } = await parts.endpoints.latency();
    const rows = costRows(costs);
    const all = rows.get(ALL) ?? [];
    const own = rows.get(service ?? "")?.[CPU] ?? Number.NaN;
    return [all[CPU] ?? Number.NaN, own, all[REQUESTS] ?? Number.NaN, p50Ms, p99Ms];
  };
  return underRate(context, parts, { name, run });
}

async function sayCostOfMore(context: Context, parts: Parts): Promise<void> {
  const rows = new Map([["one of each", await costRow(context, parts, "one of each")]]);
  for (const service of ADDED) {
    await parts.rig.add(service);
    const name = `and a second ${service}`;
    rows.set(name, await costRow(context, parts, name, service));
  }
  context.report.table(`${context.flags.rate} calls/s`, COLUMNS, rows);
}

const latenessOf = ({ p50Ms, p99Ms, p999Ms, maxMs }: Latency): Row => [p50Ms, p99Ms, p999Ms, maxMs];

/** As a roll-out does it: the others of its service are there meanwhile. */
async function restart(process: ServiceProcess): Promise<void> {
  await process.stop();
  await process.restart();
}

const byService = (rig: Rig, name: ServiceName): ServiceProcess[] =>
  rig.processes().filter((process) => process.name === name);

/** What calls are like while something is done, and for some seconds after it. */
async function sayLateness(
  context: Context,
  parts: Parts,
  deeds: ReadonlyMap<string, () => Promise<void>>,
): Promise<void> {
  const rows = new Map<string, Row>();
  for (const [name, deed] of deeds) {
    const run = async (): Promise<Row> => {
      await deed();
      await seconds(context.flags.seconds);
      return latenessOf(await parts.endpoints.latency());
    };
    rows.set(name, await underRate(context, parts, { name, run }));
  }
  context.report.table("sent to received", LATENESS, rows);
}

function deedsWith(rig: Rig): Map<string, () => Promise<void>> {
  const [deliverer] = byService(rig, "deliverer").slice(-1);
  const [router] = byService(rig, "webhook-router").slice(-1);
  const all = rig.processes();
  return new Map([
    ["nothing happens", async () => undefined],
    ["a deliverer is killed", async () => void (await deliverer?.kill())],
    ["it comes back", async () => void (await deliverer?.restart())],
    ["a router goes and comes back", async () => router && restart(router)],
    [
      "all are rolled out, one by one",
      async () => {
        for (const process of all) await restart(process);
      },
    ],
  ]);
}

export const several: Bench<"seconds" | "warm-up" | "endpoints" | "rate"> = {
  name: "processes",
  brokers: 3,
  summary:
    "One process of each service on three brokers, then a second of each: CPU time and requests to Kafka a call; and how late calls are while one is killed and comes back, and while all are rolled out.",
  flags: {
    seconds: { default: 15, doc: "seconds of each measurement" },
    "warm-up": { default: 10, doc: "seconds before each of them" },
    endpoints: { default: 10, doc: "endpoints that the calls go to" },
    rate: { default: 500, doc: "calls/s" },
  },
  async run(context) {
    const { stack, report, flags } = context;
    await sayWhetherBrokerIsSeen(stack, report);
    const rig = await startRig(stack);
    try {
      const parts = { rig, endpoints: await rig.endpoints(flags.endpoints) };
      await underRate(context, parts, {
        name: "while code is compiled",
        run: () => seconds(COMPILE_SECONDS),
      });
      await sayCostOfMore(context, parts);
      await sayLateness(context, parts, deedsWith(rig));
    } finally {
      await rig.stop();
    }
  },
};
