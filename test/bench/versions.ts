// `npm run bench:versions`: what a call costs another version and this one, by turns. Both stand ready on the same brokers all the time,
// so that the machine's other work and its warmth meet both alike: runs one after the other differ more than the versions do.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { RETRY_DELAYS_MS } from "#contract";
import { type Stack, startStack } from "#stack";
import { environment } from "#support/environment";
import { type OldVersion, oldVersion } from "#support/old-version";
import { settingsOn } from "#support/wire";
import { COST_COLUMNS, costRows } from "./cost-table.ts";
import { type Costs, costsOver } from "./costs.ts";
import { FULL_LOAD } from "./load.ts";
import { type Column, conditionsNow, createReport, percentile, type Report, type Row } from "./report.ts";
import {
  drained,
  type Endpoints,
  PARTITIONS,
  type Rig,
  sayWhetherBrokerIsSeen,
  seconds,
  startRig,
} from "./rig.ts";

const HELP = `Starts another version and this one on the same brokers, sends single calls to one and then to the other, round after round,
and says what each process and the broker take: CPU time, wakes, requests to Kafka (of a version that counts them), memory. The median of the
rounds, the least and the most. While one version is measured the other one stands idle on the same broker, which takes some of its time.

  npm run bench:versions -- --from COMMIT [--rate 0]... [--rounds 6] [--seconds 8]

  --from     the other version, a commit or tag
  --rate     calls per second; 0 is as many as are taken, "idle" none; may be given several times
  --rounds   after one that is not counted
  --seconds  of each measurement, two seconds after its load began, or twenty after the last one where there is none
  --json     the figures as one JSON document on standard output, lines for people on standard error
  --help     this text`;

const ENDPOINTS = 10;
const SETTLING_SECONDS = 2;
/** After the last call, where there is no load: what was held is written and committed, and requests have become rare (decision 122). */
const QUIET_SECONDS = 20;
/** Before the first measurement of each version, which is not counted. */
const WARM_UP_SECONDS = 10;

/** Calls a second; 0 is the closed loop. */
type Rate = number | "idle";

interface Version {
  readonly name: string;
  readonly rig: Rig;
  readonly endpoints: Endpoints;
}

/** Of one round, by what was measured. */
type Round = ReadonlyMap<string, number>;

interface Measurement {
  readonly rate: Rate;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

function roundOf(costs: Costs, rest: ReadonlyMap<string, number>): Round {
  const cells = [...costRows(costs)].flatMap(([process, row]) =>
    COST_COLUMNS.map(
      ({ name, unit }, at) =>
        [`${name} ${unit}, ${process}`.replace(" ,", ","), row[at] ?? Number.NaN] as const,
    ),
  );
  return new Map([["calls/s", costs.calls / costs.seconds], ...cells, ...rest]);
}

async function measured(
  { rig, endpoints }: Version,
  { rate, seconds: length, warmUpSeconds }: Measurement,
): Promise<Round> {
  if (rate === "idle") {
    await seconds(QUIET_SECONDS);
    return roundOf(await costsOver({ subject: rig, endpoints }, length), new Map());
  }
  const since = await endpoints.sink.sample();
  const how = rate === 0 ? FULL_LOAD : { callsPerSecond: rate };
  const load = await rig.load({ writeKeys: endpoints.writeKeys, ...how });
  await seconds(warmUpSeconds);
  await endpoints.latency();
  const costs = await costsOver({ subject: rig, load, endpoints }, length);
  const { p50Ms, p99Ms } = await endpoints.latency();
  const { missing, refused } = await drained(load, endpoints, since);
  const rest = new Map([
    ["p50 ms", p50Ms],
    ["p99 ms", p99Ms],
    ["calls refused", refused],
    ["calls not arrived", missing],
  ]);
  return roundOf(costs, rest);
}

/** Of each version the median, the least and the most; how many times the first one's median the second one's is. */
function sayRounds(
  report: Report,
  title: string,
  versions: readonly Version[],
  rounds: ReadonlyMap<Version, readonly Round[]>,
): void {
  const valuesOf = (version: Version, what: string): number[] =>
    (rounds.get(version) ?? []).map((round) => round.get(what) ?? Number.NaN);
  const all = new Set(versions.flatMap((version) => [...(rounds.get(version)?.[0]?.keys() ?? [])]));
  const rows = [...all].map((what): [string, Row] => {
    const spread = versions.map((version) => {
      const values = valuesOf(version, what);
      return [percentile(values, 0.5), Math.min(...values), Math.max(...values)] as const;
    });
    const [old, now] = spread;
    return [what, [...spread.flat(), (now?.[0] ?? Number.NaN) / (old?.[0] ?? Number.NaN)]];
  });
  const columns: Column[] = versions.flatMap(({ name }) =>
    [name, `${name} least`, `${name} most`].map((column) => ({ name: column, unit: "" })),
  );
  // What no version counts, and shares of a call where there was none.
  const said = rows.filter(([, row]) => row.some(Number.isFinite));
  report.table(title, [...columns, { name: "by", unit: "" }], new Map(said));
}

async function startVersion(stack: Stack, old?: OldVersion): Promise<Version> {
  const prefix = `bench-${randomBytes(4).toString("hex")}-`;
  await old?.provision({
    ...settingsOn(stack, { prefix, retryDelaysMs: RETRY_DELAYS_MS }),
    HOOKLINE_PARTITIONS: String(PARTITIONS),
  });
  const rig = await startRig(stack, { prefix, ...(old !== undefined && { root: old.root }) });
  return { name: old?.commit ?? "now", rig, endpoints: await rig.endpoints(ENDPOINTS) };
}

async function compare(
  report: Report,
  versions: readonly Version[],
  { rates, rounds: count, seconds: length }: { rates: readonly Rate[]; rounds: number; seconds: number },
): Promise<void> {
  const warm = { rate: 0, seconds: length, warmUpSeconds: WARM_UP_SECONDS } as const;
  for (const version of versions) await measured(version, warm);
  for (const rate of rates) {
    const rounds = new Map(versions.map((version) => [version, [] as Round[]]));
    for (let round = 0; round < count; round += 1)
      for (const [version, ofVersion] of rounds)
        ofVersion.push(await measured(version, { rate, seconds: length, warmUpSeconds: SETTLING_SECONDS }));
    const title = rate === 0 ? "full load" : rate === "idle" ? "idle" : `${rate}/s`;
    sayRounds(report, title, versions, rounds);
  }
}

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    rate: { type: "string", multiple: true, default: ["0"] },
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "8" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const rates: readonly Rate[] = values.rate.map((rate) => (rate === "idle" ? rate : Number(rate)));

async function main(from: string): Promise<void> {
  const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const old = await oldVersion(from);
  const stack = await startStack({ environment, log: say });
  const versions: Version[] = [];
  try {
    const report = createReport("versions", conditionsNow(stack.rung), say);
    await sayWhetherBrokerIsSeen(stack, report);
    for (const version of [old, undefined]) versions.push(await startVersion(stack, version));
    await compare(report, versions, {
      rates,
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
    });
    if (values.json) process.stdout.write(`${report.json()}\n`);
  } finally {
    for (const { rig } of versions) await rig.stop();
    await stack.stop();
    await old.remove();
  }
}

const areNumbers =
  rates.every((rate) => rate === "idle" || rate >= 0) &&
  Number(values.rounds) > 0 &&
  Number(values.seconds) > 0;
if (values.help) process.stdout.write(`${HELP}\n`);
else if (values.from === undefined || !areNumbers) {
  process.stderr.write(
    "--from is a commit or tag, the others are numbers; see npm run bench:versions -- --help\n",
  );
  process.exitCode = 2;
} else await main(values.from);
