// What a service takes until it is ready where a million sources and destinations are configured.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createSecretBox } from "#secrets";
import type { Stack } from "#stack";
import {
  DEPLOYED_SERVICES,
  type DeployedService,
  type Deployment,
  startDeployment,
} from "#support/deployment";
import { metricsOf, sumOfMetric } from "#support/metrics";
import type { ServiceProcess } from "#support/service";
import type { Bench } from "./bench.ts";
import { writeDestinations, writeSources } from "./configuration.ts";
import { type Column, percentile, type Row } from "./report.ts";
import { PARTITIONS } from "./rig.ts";
import { pidListeningOn, usageOf } from "./usage.ts";

const MIB = 2 ** 20;
const LOOK_EVERY_MS = 50;
const WATCH = pathToFileURL(join(import.meta.dirname, "../support/watch-turns.ts")).href;

const COLUMNS = [
  { name: "CPU time", unit: "s" },
  { name: "time", unit: "s" },
  { name: "RSS", unit: "MiB" },
  { name: "most RSS", unit: "MiB" },
  { name: "heap used", unit: "MiB" },
  { name: "heap", unit: "MiB" },
  { name: "external", unit: "MiB" },
  { name: "longest turn", unit: "ms" },
] as const satisfies readonly Column[];

async function untilReady({ operationsUrl }: ServiceProcess): Promise<void> {
  while (!(await fetch(`${operationsUrl}/readyz`)).ok) await pause(LOOK_EVERY_MS);
}

/** The most that was in memory at a time, in bytes. */
async function mostRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return 1024 * Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]);
}

/** CPU time in ms, as the turn watch says it; those below its threshold count as none, and the first, which reads the code, does not count. */
function longestTurn({ logs }: ServiceProcess): number {
  const turns = logs.flatMap(({ msg, tookMs }) => (msg === "a long turn" ? Number(tookMs) : []));
  return Math.max(0, ...turns.slice(1));
}

/** Starts one process and ends it when it is ready. The figures are in the order of COLUMNS. */
async function startOne(deployment: Deployment, name: DeployedService): Promise<Row> {
  const beganAtMs = performance.now();
  const service = await deployment.addProcess(name, { NODE_OPTIONS: `--import ${WATCH}` });
  try {
    await untilReady(service);
    const seconds = (performance.now() - beganAtMs) / 1_000;
    const pid = await pidListeningOn(service.ports["metricsPort"] ?? 0);
    const usage = pid === undefined ? undefined : await usageOf(pid);
    if (pid === undefined || usage === undefined) throw new Error(`${name} is no process of this machine`);
    const text = await metricsOf(service);
    const heapOf = (metric: string): number => sumOfMetric(text, `nodejs_${metric}_bytes`) / MIB;
    return [
      usage.cpuSeconds,
      seconds,
      usage.rssBytes / MIB,
      (await mostRss(pid)) / MIB,
      heapOf("heap_size_used"),
      heapOf("heap_size_total"),
      heapOf("external_memory"),
      longestTurn(service),
    ];
  } finally {
    await service.kill();
  }
}

/** All services, with so many sources and destinations, whose secrets they can read. None of them runs. */
async function configured(stack: Stack, count: number): Promise<Deployment> {
  const key = randomBytes(32);
  const deployment = await startDeployment({
    stack,
    partitions: PARTITIONS,
    settings: {
      HOOKLINE_LOG_LEVEL: "warn",
      HOOKLINE_ENCRYPTION_KEYS: `bench:${key.toString("base64")}`,
    },
  });
  try {
    for (const name of DEPLOYED_SERVICES) await deployment.service(name).stop();
    const box = createSecretBox({ keys: [{ id: "bench", key }] });
    const numbers = { from: 0, to: count };
    await writeSources(deployment, numbers);
    await writeDestinations(deployment, numbers, (destinationId) =>
      box.encrypt(randomBytes(16).toString("hex"), { destinationId, field: "sharedSecret" }),
    );
    return deployment;
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

function median(rows: readonly Row[]): Row {
  return COLUMNS.map((_, at) =>
    percentile(
      rows.map((row) => row[at] ?? Number.NaN),
      0.5,
    ),
  );
}

export const starts: Bench<"most" | "rounds"> = {
  name: "starts",
  summary:
    "What ingest, router, deliverer and control take until each is ready, with a million sources and destinations: CPU time, memory, the longest turn of the event loop. Medians.",
  flags: {
    most: { default: 1_000_000, doc: "sources, and as many destinations" },
    rounds: { default: 3, doc: "starts of each" },
  },
  async run({ stack, report, flags }) {
    const deployment = await configured(stack, flags.most);
    try {
      const rows = new Map<string, Row>();
      for (const name of DEPLOYED_SERVICES.toReversed()) {
        const found: Row[] = [];
        for (let round = 0; round < flags.rounds; round += 1) found.push(await startOne(deployment, name));
        rows.set(name, median(found));
      }
      report.table(`${flags.most} sources and destinations`, COLUMNS, rows);
    } finally {
      await deployment.stop();
    }
  },
};
