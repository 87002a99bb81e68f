import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemEnvironment } from "#runtime";
import { until } from "../../cli/until.ts";
import { archiveClasses } from "./class-archive.ts";
import { findJava, JAVA_VARIABLES } from "./java.ts";
import { type JvmBroker, jvmBroker } from "./jvm-broker.ts";
import type { JvmContext } from "./jvm-process.ts";
import { type JvmRegistry, jvmRegistry } from "./jvm-registry.ts";
import type { NodePorts } from "./kafka-settings.ts";
import { freePorts } from "./ports.ts";
import { countBrokers } from "./probe.ts";
import { makeRunFolder } from "./run-folder.ts";
import { fetchSoftware } from "./software.ts";
import type { BrokerControl, Stack, StackOptions } from "./stack.ts";
import { StackError } from "./stack-error.ts";

const CLUSTER_TIMEOUT_MS = 30_000;

interface Programs {
  readonly brokers: readonly JvmBroker[];
  readonly registry: JvmRegistry;
  readonly detours: Stack["detours"];
}

function legs(ports: readonly NodePorts[], detours: number): Stack["detours"] {
  return Array.from({ length: detours }, (_, index) =>
    ports.map((node) => ({
      port: node.detours[index]?.advertised ?? 0,
      target: `127.0.0.1:${node.detours[index]?.listener}`,
    })),
  );
}

/** Programs on free ports, with their data under `folder`; none is started yet. */
async function prepare(context: JvmContext, folder: string, options: StackOptions): Promise<Programs> {
  const { brokers = 1, detours = 0 } = options;
  const free = await freePorts(1 + brokers * (2 + 2 * detours));
  const take = (): number => free.pop() ?? 0;
  const registryPort = take();
  const ports: NodePorts[] = Array.from({ length: brokers }, () => ({
    client: take(),
    controller: take(),
    detours: Array.from({ length: detours }, () => ({ listener: take(), advertised: take() })),
  }));
  return {
    detours: legs(ports, detours),
    brokers: ports.map((_, index) =>
      jvmBroker(context, { index, ports, folder: join(folder, `broker-${index + 1}`) }),
    ),
    registry: jvmRegistry(context, {
      port: registryPort,
      databaseFile: join(folder, "registry"),
      isKept: options.dataFolder !== undefined,
    }),
  };
}

/** Once in the life of a download. */
async function prepareClasses(context: JvmContext): Promise<void> {
  const [client = 0, controller = 0] = await freePorts(2);
  const ports = [{ client, controller, detours: [] }];
  await archiveClasses({
    archive: context.software.kafkaArchive,
    program: (folder, flags) => jvmBroker(context, { index: 0, ports, folder, flags }),
    log: context.log,
  });
}

/** Ends when the broker that was started last counts every running one. */
async function untilCounted(started: JvmBroker, brokers: readonly JvmBroker[]): Promise<void> {
  const running = brokers.filter((broker) => broker.isRunning()).length;
  await until(async () => (await countBrokers(started.address)) >= running, {
    timeoutMs: CLUSTER_TIMEOUT_MS,
    what: `Kafka at ${started.address} to count ${running} brokers`,
  });
}

async function startAll({ brokers, registry }: Programs): Promise<void> {
  // All to their end before a failure is told, so that nothing starts after the clean-up.
  const results = await Promise.allSettled([registry.start(), ...brokers.map((broker) => broker.start())]);
  const failure = results.find((result) => result.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  await Promise.all(brokers.map((broker) => untilCounted(broker, brokers)));
}

/** Ends all programs: in order when the data is kept; at once when it goes anyway. */
async function endAll({ brokers, registry }: Programs, isKept: boolean): Promise<void> {
  const all = [registry, ...brokers];
  await Promise.all(all.map((program) => (isKept ? program.stop() : program.kill())));
}

function control(brokers: readonly JvmBroker[], index: number): BrokerControl {
  const broker = brokers[index];
  if (broker === undefined) throw new StackError("failed", `there is no broker ${index}`);
  const start = async (): Promise<void> => {
    await broker.start();
    await untilCounted(broker, brokers);
  };
  return { start, stop: broker.stop, kill: broker.kill };
}

/** Kafka and the registry as processes of this machine's Java. */
export async function startOnJvm(options: StackOptions, cacheFolder: string): Promise<Stack> {
  const { log, dataFolder } = options;
  const environment = systemEnvironment(options.environment, JAVA_VARIABLES);
  const java = await findJava(environment);
  const software = await fetchSoftware({ cacheFolder, environment, log });
  const folder = dataFolder ?? (await makeRunFolder(cacheFolder));
  const context = { java, software, environment, log };
  await prepareClasses(context);
  const programs = await prepare(context, folder, options);
  const stop = async (): Promise<void> => {
    await endAll(programs, dataFolder !== undefined);
    if (dataFolder === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await startAll(programs);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    rung: "jvm",
    brokers: programs.brokers.map(({ address }) => address),
    registryUrl: programs.registry.url,
    detours: programs.detours,
    broker: (index) => control(programs.brokers, index),
    stop,
  };
}
