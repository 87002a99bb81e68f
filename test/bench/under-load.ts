// One load on the product or on a relay: what it took, how late calls were, what became of them.
import type { BenchContext } from "./bench.ts";
import { ALL, COST_COLUMNS, costRows, sayCosts } from "./cost-table.ts";
import { type Costs, costsOver } from "./costs.ts";
import type { Answers, LoadOptions } from "./load.ts";
import { type Column, type Latency, percentile, type Report, type Row, sayLatency } from "./report.ts";
import { drained, type Endpoints, type Outcome, type Subject, seconds } from "./rig.ts";
import type { CallSample, StageTimes } from "./stages.ts";

const STAGES: readonly (readonly [keyof StageTimes, string])[] = [
  ["acceptedMs", "stage 1, sent to accepted by ingest"],
  ["gatheredMs", "stage 2, gathering for Kafka"],
  ["routedMs", "stage 3, Kafka, router, gathering"],
  ["deliveredMs", "stage 4, Kafka, deliverer, HTTP"],
];

export interface Run {
  readonly subject: Subject;
  readonly endpoints: Endpoints;
  /** Before the loads' names. */
  readonly title: string;
  readonly warmUpSeconds: number;
  /** Of the product. */
  readonly stagesOf?: (samples: readonly CallSample[]) => Promise<readonly StageTimes[]>;
}

export type Kind = Pick<LoadOptions, "callsPerSecond" | "inFlight" | "batchSize">;

function sayOutcome(report: Report, name: string, { refused, missing, doubles }: Outcome): void {
  report.figure(`${name}: calls refused`, refused, { unit: "calls", asked: "0" });
  report.figure(`${name}: calls accepted and not arrived`, missing, { unit: "calls", asked: "0" });
  report.figure(`${name}: arrivals beyond the first`, doubles, { unit: "calls" });
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

/** In the closed loop how even the seconds are, in the open one how late it was itself. */
function sayAnswers(report: Report, name: string, { answers, starts, perSecond }: Answers, kind: Kind): void {
  sayLatency(report, `${name}: sent to acknowledged`, answers);
  if (kind.callsPerSecond > 0) {
    sayLatency(report, `${name}: late in the generator`, starts);
    return;
  }
  report.figure(`${name}: accepted in the least second`, Math.min(...perSecond), { unit: "calls/s" });
  report.figure(`${name}: accepted in the best second`, Math.max(...perSecond), { unit: "calls/s" });
}

const COMPARED = ["CPU a call", "wakes a call", "requests a call"];

/** What is compared with a relay, in this order. */
const HEADLINE: readonly Column[] = ["calls/s", ...COMPARED, "p50", "p99"].map((name) => ({
  name,
  unit: "x",
}));

function headlineOf(costs: Costs, { p50Ms, p99Ms }: Latency): Row {
  const all = costRows(costs).get(ALL) ?? [];
  const compared = COMPARED.map(
    (column) => all[COST_COLUMNS.findIndex(({ name }) => name === column)] ?? Number.NaN,
  );
  return [costs.calls / costs.seconds, ...compared, p50Ms, p99Ms];
}

/** Ends when every call has arrived; gives the headline. */
export async function underLoad(
  { report, flags }: Pick<BenchContext<"seconds">, "report" | "flags">,
  run: Run,
  load: readonly [string, Kind],
): Promise<Row> {
  const { subject, endpoints, title, stagesOf } = run;
  const [loadName, kind] = load;
  const name = `${title}${loadName}`;
  const since = await endpoints.sink.sample();
  const generator = await subject.load({ writeKeys: endpoints.writeKeys, ...kind });
  await seconds(run.warmUpSeconds);
  await Promise.all([endpoints.latency(), endpoints.sink.ask("samples"), generator.ask("answers")]);
  const costs = await costsOver({ subject, load: generator, endpoints }, flags.seconds);
  const latency = await endpoints.latency();
  const { samples } = await endpoints.sink.ask<{ samples: CallSample[] }>("samples");
  const answers = await generator.ask<Answers>("answers");
  const outcome = await drained(generator, endpoints, since);
  sayCosts(report, name, costs);
  sayLatency(report, `${name}: sent to received`, latency);
  sayAnswers(report, name, answers, kind);
  // At full load it would read the whole of two topics.
  if (stagesOf !== undefined && kind.callsPerSecond > 0) sayStages(report, name, await stagesOf(samples));
  sayOutcome(report, name, outcome);
  return headlineOf(costs, latency);
}

/** Every headline of the product as a multiple of a relay's, by load. */
export function sayAgainst(
  report: Report,
  name: string,
  headlines: ReadonlyMap<string, Row>,
  relay: ReadonlyMap<string, Row>,
): void {
  const rows = [...headlines].map(([load, ours]): [string, Row] => {
    const theirs = relay.get(load) ?? [];
    return [load, ours.map((value, at) => value / (theirs[at] ?? Number.NaN))];
  });
  report.table(`against the ${name}`, HEADLINE, new Map(rows));
}
