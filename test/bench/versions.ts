// `npm run bench:versions`: what a call costs another version and this one, by turns. Both stand ready on the same brokers all the time,
// so that the machine's other work and its warmth meet both alike: runs one after the other differ more than the versions do.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { RETRY_DELAYS_MS } from "#contract";
import { type Stack, startStack } from "#stack";
import { environment } from "#support/environment";
import { type OldVersion, oldVersion } from "#support/old-version";
import { costsBetween, momentOf } from "./costs.ts";
import { conditionsNow, createReport, percentile, type Report } from "./report.ts";
import { drained, type Endpoints, FULL_LOAD, PARTITIONS, type Rig, seconds, startRig } from "./rig.ts";

const HELP = `Starts another version and this one on the same brokers, sends single calls to one and then to the other, round after round,
and says the CPU time a call of each process: the median of the rounds, the least and the most.

  npm run bench:versions -- --from COMMIT [--rate 0] [--rounds 6] [--seconds 8]

  --from     the other version, a commit or tag
  --rate     calls per second; 0 is as many as are taken
  --rounds   after one that is not counted
  --seconds  of each measurement, two seconds after its load began
  --json     the figures as one JSON document on standard output, lines for people on standard error
  --help     this text`;

const ENDPOINTS = 10;
const SETTLING_SECONDS = 2;
/** Before the first measurement of each version, which is not counted. */
const WARM_UP_SECONDS = 10;

interface Version {
  readonly name: string;
  readonly rig: Rig;
  readonly endpoints: Endpoints;
  /** Of each round, by what was measured. */
  readonly rounds: ReadonlyMap<string, number>[];
}

interface Measurement {
  readonly callsPerSecond: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

async function measured(
  { rig, endpoints }: Version,
  { callsPerSecond, seconds: length, warmUpSeconds }: Measurement,
): Promise<Map<string, number>> {
  const since = await endpoints.sink.sample();
  const how = callsPerSecond === 0 ? FULL_LOAD : { callsPerSecond };
  const load = await rig.load({ writeKeys: endpoints.writeKeys, ...how });
  await seconds(warmUpSeconds);
  const from = await momentOf({ rig, load, endpoints });
  await seconds(length);
  const { callsPerSecond: held, cpuMicros } = costsBetween(from, await momentOf({ rig, load, endpoints }));
  const { missing, refused } = await drained(load, endpoints, since);
  const cost = [...cpuMicros].map(([process, micros]) => [`CPU a call, ${process}`, micros] as const);
  return new Map([["calls/s", held], ...cost, ["calls refused", refused], ["calls not arrived", missing]]);
}

function sayRounds(report: Report, { name, rounds }: Version): void {
  for (const what of rounds[0]?.keys() ?? []) {
    const values = rounds.map((round) => round.get(what) ?? Number.NaN);
    const unit = what.startsWith("CPU") ? "us" : "";
    report.figure(`${name}: ${what}, median`, percentile(values, 0.5), { unit });
    report.figure(`${name}: ${what}, least`, Math.min(...values), { unit });
    report.figure(`${name}: ${what}, most`, Math.max(...values), { unit });
  }
}

async function startVersion(stack: Stack, old?: OldVersion): Promise<Version> {
  const prefix = `bench-${randomBytes(4).toString("hex")}-`;
  await old?.provision({
    HOOKLINE_KAFKA_BROKERS: stack.brokers.join(","),
    HOOKLINE_SCHEMA_REGISTRY_URL: stack.registryUrl,
    HOOKLINE_TOPIC_PREFIX: prefix,
    HOOKLINE_PARTITIONS: String(PARTITIONS),
    HOOKLINE_RETRY_DELAYS: RETRY_DELAYS_MS.map((delayMs) => `${delayMs}ms`).join(","),
  });
  const rig = await startRig(stack, { prefix, ...(old !== undefined && { root: old.root }) });
  return { name: old?.commit ?? "this version", rig, endpoints: await rig.endpoints(ENDPOINTS), rounds: [] };
}

async function compare(
  versions: readonly Version[],
  rounds: number,
  measurement: Omit<Measurement, "warmUpSeconds">,
): Promise<void> {
  for (const version of versions) await measured(version, { ...measurement, warmUpSeconds: WARM_UP_SECONDS });
  for (let round = 0; round < rounds; round += 1)
    for (const version of versions)
      version.rounds.push(await measured(version, { ...measurement, warmUpSeconds: SETTLING_SECONDS }));
}

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    rate: { type: "string", default: "0" },
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "8" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function main(from: string): Promise<void> {
  const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const old = await oldVersion(from);
  const stack = await startStack({ environment, log: say });
  const versions: Version[] = [];
  try {
    const report = createReport("versions", conditionsNow(stack.rung), say);
    for (const version of [old, undefined]) versions.push(await startVersion(stack, version));
    const measurement = { callsPerSecond: Number(values.rate), seconds: Number(values.seconds) };
    await compare(versions, Number(values.rounds), measurement);
    for (const version of versions) sayRounds(report, version);
    if (values.json) process.stdout.write(`${report.json()}\n`);
  } finally {
    for (const { rig } of versions) await rig.stop();
    await stack.stop();
    await old.remove();
  }
}

const areNumbers = Number(values.rate) >= 0 && Number(values.rounds) > 0 && Number(values.seconds) > 0;
if (values.help) process.stdout.write(`${HELP}\n`);
else if (values.from === undefined || !areNumbers) {
  process.stderr.write(
    "--from is a commit or tag, the others are numbers; see npm run bench:versions -- --help\n",
  );
  process.exitCode = 2;
} else await main(values.from);
