import { setTimeout as pause } from "node:timers/promises";
import type { Stack } from "#stack";
import { type DeployedService, type Deployment, startDeployment } from "#support/deployment";
import { type Program, startProgram } from "./process.ts";
import { pidListeningOn, type Usage, usageOf } from "./usage.ts";

/** As the product's default: what the deliverer reads beside the jobs counts. */
export const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 900_000, 1_800_000];
const PARTITIONS = 12;
/** Requests under way where nothing else is said. */
const IN_FLIGHT = 64;
const CREATED_AT_A_TIME = 10;
/** Long enough that a backlog shows. */
const HIGHEST_SECONDS = 30;

const SERVICES: readonly DeployedService[] = ["ingest", "webhook-router", "deliverer", "control"];

/** How an endpoint behaves (programs/sink.ts). */
export type EndpointMode = "ok" | "hang" | "slow" | "error" | "reset" | "half-open" | "stumble";

/** Endpoints of one process, each an origin of its own, each with a source and a destination. */
export interface Endpoints {
  readonly writeKeys: readonly string[];
  readonly received: () => Promise<number>;
  /** Of the calls received since it was last asked, from before the request to after the body. */
  readonly latenciesMs: () => Promise<number[]>;
  readonly become: (mode: EndpointMode) => Promise<void>;
  readonly sink: Program;
  readonly stop: () => Promise<void>;
}

export interface LoadOptions {
  /** Calls go to them in turn. */
  readonly writeKeys: readonly string[];
  /** 0 keeps `inFlight` requests under way instead. */
  readonly callsPerSecond: number;
  readonly batchSize?: number;
  readonly inFlight?: number;
}

/** As much as the pipeline takes: with 64 requests under way it would wait for Kafka's answers half of the time. */
export const FULL_LOAD = { callsPerSecond: 0, inFlight: 256 };

/** The whole product on one machine, with what a benchmark does to it. */
export interface Rig {
  readonly deployment: Deployment;
  /** `unique` counts a call once, however often it comes. */
  readonly endpoints: (count: number, unique?: "unique") => Promise<Endpoints>;
  readonly load: (options: LoadOptions) => Promise<Program>;
  /** By process: the services and "broker", as far as they can be seen. */
  readonly usage: () => Promise<ReadonlyMap<string, Usage>>;
  readonly stop: () => Promise<void>;
}

export function startLoad(origin: string, options: LoadOptions): Promise<Program> {
  const { writeKeys, callsPerSecond, batchSize = 1, inFlight = IN_FLIGHT } = options;
  const given = { origin, writeKeys, batchSize, inFlight, requestsPerSecond: callsPerSecond };
  return startProgram("load", [JSON.stringify(given)]);
}

async function connectEndpoint(deployment: Deployment, port: number): Promise<string> {
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [id],
    sharedSecret: "bench",
    webhooks: [{ url: `http://127.0.0.1:${port}/bench` }],
  });
  return writeKeys[0];
}

async function startEndpoints(deployment: Deployment, count: number, unique = ""): Promise<Endpoints> {
  const sink = await startProgram("sink", [String(count), unique]);
  const writeKeys: string[] = [];
  for (let at = 0; at < count; at += CREATED_AT_A_TIME) {
    const ports = sink.ports.slice(at, at + CREATED_AT_A_TIME);
    writeKeys.push(...(await Promise.all(ports.map((port) => connectEndpoint(deployment, port)))));
  }
  return {
    writeKeys,
    sink,
    received: async () => (await sink.sample()).count,
    latenciesMs: async () => (await sink.ask<{ latenciesMs: number[] }>("latencies")).latenciesMs,
    become: async (mode) => void (await sink.ask(mode)),
    stop: sink.stop,
  };
}

async function pidsOf(deployment: Deployment): Promise<Map<string, number>> {
  const [broker = ""] = deployment.stack.brokers;
  const ports: [string, number][] = [["broker", Number(broker.slice(broker.lastIndexOf(":") + 1))]];
  for (const name of SERVICES) {
    const service = deployment.service(name);
    if (service.isRunning()) ports.push([name, service.ports["metricsPort"] ?? 0]);
  }
  const pids = await Promise.all(
    ports.map(async ([name, port]) => [name, await pidListeningOn(port)] as const),
  );
  return new Map(pids.flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid]])));
}

export async function startRig(stack: Stack, settings: Record<string, string> = {}): Promise<Rig> {
  const deployment = await startDeployment({
    stack,
    partitions: PARTITIONS,
    retryDelaysMs: RETRY_DELAYS_MS,
    // One source sends all that the machine takes.
    settings: { HOOKLINE_LOG_LEVEL: "warn", HOOKLINE_INGEST_RATE_LIMIT: "0", ...settings },
  });
  const started: { stop(): Promise<void> }[] = [];
  const keep = <T extends { stop(): Promise<void> }>(part: T): T => {
    started.push(part);
    return part;
  };
  return {
    deployment,
    endpoints: async (count, unique) => keep(await startEndpoints(deployment, count, unique)),
    load: async (options) => keep(await startLoad(deployment.ingestUrl(), options)),
    async usage() {
      const found = new Map<string, Usage>();
      for (const [name, pid] of await pidsOf(deployment)) {
        const usage = await usageOf(pid);
        if (usage !== undefined) found.set(name, usage);
      }
      return found;
    },
    async stop() {
      await Promise.all(started.map((part) => part.stop()));
      await deployment.stop();
    },
  };
}

export const seconds = (count: number): Promise<void> => pause(count * 1000);

/** Calls a second over the next `length` seconds. */
export async function rateOver(length: number, count: () => Promise<number>): Promise<number> {
  const before = await count();
  const beganAtMs = performance.now();
  await seconds(length);
  return ((await count()) - before) / ((performance.now() - beganAtMs) / 1000);
}

/** Waits until everything acknowledged so far has arrived; gives up when nothing arrives for 10 s. */
export async function drained(endpoints: Endpoints, expected: number): Promise<void> {
  let received = await endpoints.received();
  for (let quiet = 0; received < expected && quiet < 50; quiet += 1) {
    await pause(200);
    const now = await endpoints.received();
    if (now > received) quiet = 0;
    received = now;
  }
}

/** Calls a second that are both acknowledged and received: a backlog that grows or drains is not held. */
async function rateHeld(length: number, load: Program, endpoints: Endpoints): Promise<number> {
  const answered = async (): Promise<number> => (await load.sample()).count;
  return Math.min(...(await Promise.all([rateOver(length, answered), rateOver(length, endpoints.received)])));
}

/** The calls a second that are held at full load; ends when all of them have arrived. */
export async function highestRate(rig: Rig, endpoints: Endpoints, warmUpSeconds: number): Promise<number> {
  const load = await rig.load({ writeKeys: endpoints.writeKeys, ...FULL_LOAD });
  await seconds(warmUpSeconds);
  const rate = await rateHeld(HIGHEST_SECONDS, load, endpoints);
  const sent = (await load.sample()).count;
  await load.stop();
  await drained(endpoints, sent);
  return rate;
}
