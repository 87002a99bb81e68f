import { homedir } from "node:os";
import { until } from "../../cli/until.ts";
import {
  type Cluster,
  KAFKA_IMAGE,
  kafkaContainer,
  LOOPBACK,
  REGISTRY_IMAGE,
  registryContainer,
  START_TIMEOUT_MS,
} from "./docker-containers.ts";
import { engineAddresses, ensureImage, findEngine } from "./docker-engine.ts";
import { freePorts } from "./ports.ts";
import { countBrokers, registryAnswers } from "./probe.ts";
import type { BrokerControl, Stack, StackOptions } from "./stack.ts";
import { StackError } from "./stack-error.ts";

/** The engine's own handle, which testcontainers gives for a container that is stopped and started again. */
type Handle = ReturnType<
  Awaited<ReturnType<typeof import("testcontainers")["getContainerRuntimeClient"]>>["container"]["getById"]
>;

async function untilClusterOf(address: string, brokers: number): Promise<void> {
  await until(async () => (await countBrokers(address)) >= brokers, {
    timeoutMs: START_TIMEOUT_MS,
    what: `Kafka at ${address} to count ${brokers} brokers`,
  });
}

function control(handle: Handle, address: string): BrokerControl {
  return {
    stop: async () => {
      await handle.stop({ t: 20 });
    },
    kill: async () => {
      await handle.kill();
    },
    start: async () => {
      await handle.start();
      await untilClusterOf(address, 1);
    },
  };
}

/** Ports for a cluster, each of them free. */
async function clusterPorts(brokers: number, detours: number): Promise<Pick<Cluster, "ports" | "detours">> {
  const free = await freePorts(brokers * (1 + 2 * detours));
  const take = (): number => free.pop() ?? 0;
  return {
    ports: Array.from({ length: brokers }, take),
    detours: Array.from({ length: brokers }, () =>
      Array.from({ length: detours }, () => ({ listener: take(), advertised: take() })),
    ),
  };
}

/** Containers are published on the loopback address of the engine's machine, so that has to be this one. */
function loopbackHost(engineHost: string): string {
  if (["localhost", LOOPBACK, "::1"].includes(engineHost)) return LOOPBACK;
  throw new StackError("unavailable", `the engine is on another machine (${engineHost})`);
}

async function startContainers(brokers: number, detours: number): Promise<Stack> {
  const testcontainers = await import("testcontainers");
  const client = await testcontainers.getContainerRuntimeClient();
  const host = loopbackHost(client.info.containerRuntime.host);
  const network = await new testcontainers.Network().start();
  const cluster: Cluster = { testcontainers, network, host, ...(await clusterPorts(brokers, detours)) };
  const results = await Promise.allSettled([
    registryContainer(testcontainers).start(),
    ...cluster.ports.map((_, index) => kafkaContainer(cluster, index).start()),
  ]);
  const containers = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(containers.map((container) => container.stop()));
    await network.stop();
  };
  const failure = results.find((result) => result.status === "rejected");
  const [registry, ...nodes] = containers;
  if (failure !== undefined || registry === undefined) {
    await stop();
    throw failure?.reason ?? new StackError("unavailable", "no container was started");
  }

  const addresses = cluster.ports.map((port) => `${host}:${port}`);
  const registryUrl = `http://${host}:${registry.getMappedPort(8080)}/apis/ccompat/v7`;
  const controls = nodes.map((node, index) =>
    control(client.container.getById(node.getId()), addresses[index] ?? ""),
  );
  await Promise.all(addresses.map((address) => untilClusterOf(address, brokers)));
  await until(() => registryAnswers(registryUrl), { timeoutMs: START_TIMEOUT_MS, what: registryUrl });
  return {
    rung: "docker",
    brokers: addresses,
    registryUrl,
    detours: Array.from({ length: detours }, (_, detour) =>
      cluster.detours.map((node) => ({
        port: node[detour]?.advertised ?? 0,
        target: `${host}:${node[detour]?.listener}`,
      })),
    ),
    broker: (index) => {
      const found = controls[index];
      if (found === undefined) throw new StackError("failed", `there is no broker ${index}`);
      return found;
    },
    stop,
  };
}

/**
 * Kafka and the registry as containers. testcontainers is loaded only once an engine answers and has the images; its own
 * watcher container removes ours when this process is killed.
 */
export async function startOnDocker({
  environment,
  log,
  brokers = 1,
  detours = 0,
}: StackOptions): Promise<Stack> {
  const engine = await findEngine(engineAddresses(environment, homedir()));
  if (engine === undefined) throw new StackError("unavailable", "no Docker engine answers");
  await ensureImage(engine, KAFKA_IMAGE, log);
  await ensureImage(engine, REGISTRY_IMAGE, log);
  try {
    return await startContainers(brokers, detours);
  } catch (error) {
    throw new StackError("unavailable", `Docker did not start it: ${(error as Error).message}`);
  }
}
