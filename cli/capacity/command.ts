// `hookline capacity`: what a load needs.
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { addShownLeaf, positiveInteger, positiveNumber } from "../leaf.ts";
import { coloured, printJson, printTable } from "../output.ts";
import { destinationLimit, type Limit, limitsOf } from "./limits.ts";
import { type Capacity, capacityOf, type Load } from "./plan.ts";

interface CapacityOptions {
  readonly json?: boolean;
  readonly calls: number;
  readonly averageCalls?: number;
  readonly destinations: number;
  readonly destinationsPerCall: number;
  readonly callBytes: number;
  readonly audiences?: boolean;
  readonly replication: number;
}

/** The size of the calls that the figures were measured with. */
const CALL_BYTES = 700;

export function addCapacity(program: Command, context: CommandContext): void {
  addShownLeaf(program, "capacity", {
    description: "compute processes, partitions, brokers and disks for a load (docs/operate/scaling.md)",
    examples: [
      "capacity --calls 5000 --destinations 10000",
      "capacity --calls 20000 --average-calls 6000 --destinations 500 --destinations-per-call 2 --audiences --json",
    ],
  })
    .requiredOption("--calls <count>", "calls a second at the peak", positiveNumber)
    .requiredOption("--destinations <count>", "destinations that are configured", positiveInteger)
    .option(
      "--average-calls <count>",
      "calls a second over the day, for what is kept (default: --calls)",
      positiveNumber,
    )
    .option(
      "--destinations-per-call <count>",
      "number of destinations that one call goes to",
      positiveNumber,
      1,
    )
    .option("--call-bytes <count>", "size of a call", positiveInteger, CALL_BYTES)
    .option("--replication <count>", "copies of every partition", positiveInteger, 3)
    .option("--audiences", "with audiences: the audience processor, and its topics")
    .action((options: CapacityOptions) => print(context, options));
}

function loadOf(options: CapacityOptions): Load {
  return {
    callsPerSecond: options.calls,
    averageCallsPerSecond: options.averageCalls ?? options.calls,
    destinations: options.destinations,
    destinationsPerCall: options.destinationsPerCall,
    callBytes: options.callBytes,
    hasAudiences: options.audiences === true,
    replicationFactor: options.replication,
  };
}

function print(context: CommandContext, options: CapacityOptions): void {
  const load = loadOf(options);
  const capacity = capacityOf(load);
  const limits = limitsOf(load, capacity);
  if (options.json === true)
    printJson(context, { load, ...capacity, limits: [...limits, destinationLimit()] });
  else printPlan(context, { ...capacity, hasAudiences: load.hasAudiences }, limits);
}

function printPlan(
  context: CommandContext,
  { hasAudiences, indexThreads, kafka, partitions, services }: Capacity & Pick<Load, "hasAudiences">,
  limits: readonly Limit[],
): void {
  const data = Object.entries(services).map(([name, { cores, processes, memoryBytes, diskBytes }]) => ({
    name,
    processes: String(processes),
    cores: cores.toFixed(2),
    memory: memoryBytes === null ? null : bytesText(memoryBytes),
    disk: diskBytes === 0 ? null : bytesText(diskBytes),
  }));
  printTable(
    context,
    {
      service: "name",
      processes: "processes",
      "cores used": "cores",
      "memory each": "memory",
      "disk of all": "disk",
    },
    { data, next: null },
  );
  context.print("");
  context.print(
    `${coloured(context, "bold", "partitions")}  ${partitions} of every topic (HOOKLINE_PARTITIONS); they are not added later`,
  );
  context.print(
    `${coloured(context, "bold", "Kafka")}       ${kafka.brokers} brokers, ${kafka.cores.toFixed(1)} cores used, ${bytesText(kafka.diskBytes)} of disk, ${bytesText(kafka.writtenBytesPerSecond)}/s written`,
  );
  if (indexThreads > 0)
    context.print(
      `${coloured(context, "bold", "control")}     ${indexThreads} threads of its index, a core each (HOOKLINE_INDEX_THREADS=${indexThreads})`,
    );
  if (!hasAudiences)
    context.print(
      `${coloured(context, "bold", "audiences")}   none are planned (--audiences): set HOOKLINE_AUDIENCES=off, and run no audience processor`,
    );
  context.print("");
  context.print(coloured(context, "bold", "what is at its end next"));
  for (const { what, callsPerSecond, remedy } of [...limits, destinationLimit()])
    context.print(`  ${Math.round(callsPerSecond).toLocaleString("en")} calls/s  ${what}: ${remedy}`);
  context.print("");
  context.print(
    "Measured on one machine with one broker; what is above that is computed. docs/operate/scaling.md says which.",
  );
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB", "PB"] as const;

/** Prints bytes in powers of 1,000: as disks are sold. */
export function bytesText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}
