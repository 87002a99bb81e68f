import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { RETRY_DELAYS_MS, type ServiceName } from "#contract";
import type { Stack } from "#stack";
import { DEPLOYED_SERVICES, type Deployment, startDeployment } from "#support/deployment";
import type { ServiceProcess } from "#support/service";
import { type KafkaRequests, requestsOf, sumOfRequests } from "./kafka-requests.ts";
import { FULL_LOAD, type Load, type LoadOptions, type Sent, startLoad } from "./load.ts";
import { type Program, type Sample, startGoProgram } from "./process.ts";
import type { Latency, Report } from "./report.ts";
import { sumOfUsages, type Usage, usageListeningOn } from "./usage.ts";

export const PARTITIONS = 12;
const CREATED_AT_A_TIME = 10;
/** Long enough that a backlog shows. */
const HIGHEST_SECONDS = 30;

/** How an endpoint behaves (go/sink). */
export type EndpointMode = "ok" | "hang" | "slow" | "away" | "error" | "reset" | "half-open" | "stumble";

/** What has come to the endpoints so far; `count` has each message once. */
export interface Received extends Sample {
  /** How often a message came that had come before. */
  readonly doubles: number;
  readonly requests: number;
}

/** Endpoints of one process, each an origin of its own, each with a source and a destination. */
export interface Endpoints {
  readonly writeKeys: readonly string[];
  /** Messages, each counted once. */
  readonly received: () => Promise<number>;
  /** Of the calls received since it was last asked, from before the request to the first byte of the delivery. */
  readonly latency: () => Promise<Latency>;
  readonly become: (mode: EndpointMode) => Promise<void>;
  readonly sink: Program<Received>;
  readonly stop: () => Promise<void>;
}

/** What takes calls and posts them: the product, or a relay in its place. */
export interface Subject {
  readonly load: (options: LoadOptions) => Promise<Load>;
  /** By process: its own and "broker", as far as they can be seen. */
  readonly usage: () => Promise<ReadonlyMap<string, Usage>>;
  /** By process; of those that count. */
  readonly requests: () => Promise<ReadonlyMap<string, KafkaRequests>>;
}

/** The whole product on one machine, with what a benchmark does to it. */
export interface Rig extends Subject {
  readonly deployment: Deployment;
  /** Starts one more process of a service. Those of one service are counted together. */
  readonly add: (name: ServiceName) => Promise<ServiceProcess>;
  /** Those that run. */
  readonly processes: () => readonly ServiceProcess[];
  readonly endpoints: (count: number) => Promise<Endpoints>;
  readonly stop: () => Promise<void>;
}

export const startSink = (count: number): Promise<Program<Received>> =>
  startGoProgram<Received>("sink", [String(count)]);

async function connectEndpoint(deployment: Deployment, port: number): Promise<string> {
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [id],
    sharedSecret: "bench",
    webhooks: [{ url: `http://127.0.0.1:${port}/bench` }],
  });
  return writeKeys[0];
}

/** Endpoints that no destination names; write keys of a relay say nothing. */
export async function bareEndpoints(count: number): Promise<Endpoints> {
  const sink = await startSink(count);
  return {
    writeKeys: ["relay"],
    sink,
    received: async () => (await sink.sample()).count,
    latency: () => sink.ask<Latency>("latencies"),
    become: async (mode) => void (await sink.ask(mode)),
    stop: sink.stop,
  };
}

async function startEndpoints(deployment: Deployment, count: number): Promise<Endpoints> {
  const bare = await bareEndpoints(count);
  const writeKeys: string[] = [];
  for (let at = 0; at < count; at += CREATED_AT_A_TIME) {
    const ports = bare.sink.ports.slice(at, at + CREATED_AT_A_TIME);
    writeKeys.push(...(await Promise.all(ports.map((port) => connectEndpoint(deployment, port)))));
  }
  return { ...bare, writeKeys };
}

/** What the brokers have taken together, where they are processes of this machine. */
export async function brokerUsage({ brokers }: Pick<Stack, "brokers">): Promise<[string, Usage][]> {
  const ports = brokers.map((broker) => Number(broker.slice(broker.lastIndexOf(":") + 1)));
  return (await Promise.all(ports.map((port) => usageAs("broker", port)))).flat();
}

export async function sayWhetherBrokerIsSeen(stack: Stack, report: Report): Promise<void> {
  if ((await brokerUsage(stack)).length === 0)
    report.say("  the broker is not a process of this machine: its share is missing");
}

async function usageAs(name: string, port: number): Promise<[string, Usage][]> {
  const usage = await usageListeningOn(port);
  return usage === undefined ? [] : [[name, usage]];
}

/** The processes of one service together. */
function sumsByName<T>(
  entries: readonly (readonly [string, T])[],
  sumOf: (one: T, other: T) => T,
): Map<string, T> {
  const sums = new Map<string, T>();
  for (const [name, value] of entries) {
    const known = sums.get(name);
    sums.set(name, known === undefined ? value : sumOf(known, value));
  }
  return sums;
}

export interface RigOptions {
  /** Of the services' code; this version's unless given. */
  readonly root?: string;
  /** Of the topics; a random one unless given. */
  readonly prefix?: string;
  /** False leaves the audience processor out, of benchmarks of other parts. */
  readonly hasProcessor?: boolean;
}

/** Whether this version has one, and the benchmark wants it. */
function hasProcessor({ root, hasProcessor: isWanted = true }: RigOptions): boolean {
  return isWanted && (root === undefined || existsSync(join(root, "services/audience-processor")));
}

export async function startRig(stack: Stack, options: RigOptions = {}): Promise<Rig> {
  const deployment = await startDeployment({
    ...options,
    stack,
    partitions: PARTITIONS,
    replicationFactor: stack.brokers.length,
    retryDelaysMs: RETRY_DELAYS_MS,
    // One source sends all that the machine takes.
    settings: { HOOKLINE_LOG_LEVEL: "warn", HOOKLINE_INGEST_RATE_LIMIT: "0" },
  });
  const added: ServiceProcess[] = [];
  const add = async (name: ServiceName): Promise<ServiceProcess> => {
    const process = await deployment.addProcess(name, {}, options.root);
    added.push(process);
    return process;
  };
  if (hasProcessor(options))
    await add("audience-processor").catch(async (error: unknown) => {
      await deployment.stop();
      throw error;
    });
  const running = (): ServiceProcess[] =>
    [...DEPLOYED_SERVICES.toReversed().map(deployment.service), ...added].filter((process) =>
      process.isRunning(),
    );
  const ingestUrls = (): string[] =>
    running().flatMap(({ ports: { ingestPort } }) =>
      ingestPort === undefined ? [] : [`http://127.0.0.1:${ingestPort}`],
    );
  const prefix = deployment.topics.calls.name.replace(/calls$/, "");
  const started: { stop(): Promise<void> }[] = [];
  const keep = <T extends { stop(): Promise<void> }>(part: T): T => {
    started.push(part);
    return part;
  };
  return {
    deployment,
    add,
    processes: running,
    endpoints: async (count) => keep(await startEndpoints(deployment, count)),
    load: async (options) => keep(await startLoad(ingestUrls(), options)),
    async usage() {
      const ofServices = await Promise.all(
        running().map(({ name, ports }) => usageAs(name, ports["metricsPort"] ?? 0)),
      );
      return sumsByName([...(await brokerUsage(stack)), ...ofServices.flat()], sumOfUsages);
    },
    async requests() {
      const counts = running().map(
        async (service) => [service.name, await requestsOf(service, prefix)] as const,
      );
      return sumsByName(await Promise.all(counts), sumOfRequests);
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

/** What became of the calls of one generator. */
export interface Outcome {
  /** Answered with 200. */
  readonly accepted: number;
  readonly refused: number;
  /** Accepted and not arrived. */
  readonly missing: number;
  /** Arrivals beyond each message's first. */
  readonly doubles: number;
}

/** Ends a load in order, and waits until everything that it sent has arrived; gives up when nothing arrives for 10 s. */
export async function drained(load: Load, endpoints: Endpoints, since: Received): Promise<Outcome> {
  let sent = await load.ask<Sent>("halt");
  for (let quiet = 0; sent.underWay > 0 && quiet < 50; quiet += 1) {
    await pause(200);
    sent = await load.sample();
  }
  await load.stop();
  let received = await endpoints.sink.sample();
  for (let quiet = 0; received.count - since.count < sent.count && quiet < 50; quiet += 1) {
    await pause(200);
    const now = await endpoints.sink.sample();
    if (now.count > received.count) quiet = 0;
    received = now;
  }
  return {
    accepted: sent.count,
    refused: sent.refused,
    missing: Math.max(0, sent.count - (received.count - since.count)),
    doubles: received.doubles - since.doubles,
  };
}

/** Calls a second that are both acknowledged and received: a backlog that grows or drains is not held. */
async function rateHeld(length: number, load: Load, endpoints: Endpoints): Promise<number> {
  const answered = async (): Promise<number> => (await load.sample()).count;
  return Math.min(...(await Promise.all([rateOver(length, answered), rateOver(length, endpoints.received)])));
}

/** The calls a second that are held at full load; ends when all of them have arrived. */
export async function highestRate(rig: Rig, endpoints: Endpoints, warmUpSeconds: number): Promise<number> {
  const since = await endpoints.sink.sample();
  const load = await rig.load({ writeKeys: endpoints.writeKeys, ...FULL_LOAD });
  await seconds(warmUpSeconds);
  const rate = await rateHeld(HIGHEST_SECONDS, load, endpoints);
  await drained(load, endpoints, since);
  return rate;
}
