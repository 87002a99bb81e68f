import { homedir } from "node:os";
import type { StartedNetwork, StartedTestContainer } from "testcontainers";
import { engineAddresses, ensureImage, findEngine } from "./docker-engine.ts";
import {
  CLUSTER_ID,
  clusterSettings,
  type DetourPorts,
  imageEnvironment,
  withDetours,
} from "./kafka-settings.ts";
import { freePorts } from "./ports.ts";
import { countBrokers, registryAnswers } from "./probe.ts";
import type { BrokerControl, Stack, StackOptions } from "./stack.ts";
import { StackError } from "./stack-error.ts";
import { until } from "./until.ts";

const KAFKA_IMAGE = "apache/kafka:4.3.1";
const REGISTRY_IMAGE = "apicurio/apicurio-registry:3.0.9";
const START_TIMEOUT_MS = 90_000;
/** In the container; the next ones follow. */
const FIRST_DETOUR_PORT = 9095;

type Testcontainers = typeof import("testcontainers");
/** What testcontainers gives for a container that is stopped and started again: the engine's own handle. */
type Handle = ReturnType<
  Awaited<ReturnType<Testcontainers["getContainerRuntimeClient"]>>["container"]["getById"]
>;

interface Cluster {
  readonly testcontainers: Testcontainers;
  readonly network: StartedNetwork;
  /** Where the containers' ports can be reached. */
  readonly host: string;
  readonly ports: readonly number[];
  /** Of each node; `listener` is the published port. */
  readonly detours: readonly (readonly DetourPorts[])[];
}

/** Settings of one node: clients come through the published port, the other brokers through the network. */
function nodeEnvironment({ host, ports, detours }: Cluster, index: number): Record<string, string> {
  const voters = ports.map((_, node) => `${node + 1}@kafka-${node + 1}:9093`);
  const listeners = {
    listeners: "HOST://:9092,CONTROLLER://:9093,INTERNAL://:9094",
    "advertised.listeners": `HOST://${host}:${ports[index]},INTERNAL://kafka-${index + 1}:9094`,
    "listener.security.protocol.map": "HOST:PLAINTEXT,CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT",
  };
  const inside = (detours[index] ?? []).map(({ advertised }, detour) => ({
    listener: FIRST_DETOUR_PORT + detour,
    advertised,
  }));
  return {
    CLUSTER_ID,
    KAFKA_HEAP_OPTS: "-Xmx512m",
    ...imageEnvironment({
      ...clusterSettings(ports.length),
      "node.id": index + 1,
      "controller.quorum.voters": voters.join(","),
      ...withDetours(listeners, inside, ""),
      "inter.broker.listener.name": "INTERNAL",
    }),
  };
}

function startNode(cluster: Cluster, index: number): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = cluster.testcontainers;
  const detours = (cluster.detours[index] ?? []).map(({ listener }, detour) => ({
    container: FIRST_DETOUR_PORT + detour,
    host: listener,
  }));
  return new GenericContainer(KAFKA_IMAGE)
    .withNetwork(cluster.network)
    .withNetworkAliases(`kafka-${index + 1}`)
    .withEnvironment(nodeEnvironment(cluster, index))
    .withExposedPorts({ container: 9092, host: cluster.ports[index] ?? 0 }, ...detours)
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
}

function startRegistry({ GenericContainer, Wait }: Testcontainers): Promise<StartedTestContainer> {
  return new GenericContainer(REGISTRY_IMAGE)
    .withExposedPorts(8080)
    .withWaitStrategy(Wait.forHttp("/apis/ccompat/v7/subjects", 8080))
    .withStartupTimeout(START_TIMEOUT_MS)
    .start();
}

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

async function startContainers(brokers: number, detours: number): Promise<Stack> {
  const testcontainers = await import("testcontainers");
  const client = await testcontainers.getContainerRuntimeClient();
  const host = client.info.containerRuntime.host;
  const network = await new testcontainers.Network().start();
  const cluster: Cluster = { testcontainers, network, host, ...(await clusterPorts(brokers, detours)) };
  const results = await Promise.allSettled([
    startRegistry(testcontainers),
    ...cluster.ports.map((_, index) => startNode(cluster, index)),
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
