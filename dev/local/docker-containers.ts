// The containers of the Docker rung, as they are asked for.
import type { GenericContainer, StartedNetwork } from "testcontainers";
import {
  CLUSTER_ID,
  clusterSettings,
  type DetourPorts,
  imageEnvironment,
  withDetours,
} from "./kafka-settings.ts";

export const KAFKA_IMAGE = "apache/kafka:4.3.1";
export const REGISTRY_IMAGE = "apicurio/apicurio-registry:3.0.9";
export const START_TIMEOUT_MS = 90_000;
/** The only address that ports are published on: what runs in the containers asks nobody for a password. */
export const LOOPBACK = "127.0.0.1";
/** The first port in the container; the next ones follow. */
const FIRST_DETOUR_PORT = 9095;

export type Testcontainers = Pick<typeof import("testcontainers"), "GenericContainer" | "Wait">;
/** Published ports in the engine's form, by container port. */
type PortBindings = Readonly<Record<string, readonly { readonly HostPort: string }[]>>;

export interface Cluster {
  readonly testcontainers: Testcontainers;
  readonly network: StartedNetwork;
  /** The host at which the containers' ports can be reached. */
  readonly host: string;
  readonly ports: readonly number[];
  /** The detours of each node; `listener` is the published port. */
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

/** One node; not started yet. */
export function kafkaContainer(cluster: Cluster, index: number): GenericContainer {
  const { Wait } = cluster.testcontainers;
  const detours = (cluster.detours[index] ?? []).map(({ listener }, detour) => ({
    container: FIRST_DETOUR_PORT + detour,
    host: listener,
  }));
  return loopbackContainer(cluster.testcontainers, KAFKA_IMAGE)
    .withNetwork(cluster.network)
    .withNetworkAliases(`kafka-${index + 1}`)
    .withEnvironment(nodeEnvironment(cluster, index))
    .withExposedPorts({ container: 9092, host: cluster.ports[index] ?? 0 }, ...detours)
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(START_TIMEOUT_MS);
}

export function registryContainer(testcontainers: Testcontainers): GenericContainer {
  const { Wait } = testcontainers;
  return loopbackContainer(testcontainers, REGISTRY_IMAGE)
    .withExposedPorts(8080)
    .withWaitStrategy(Wait.forHttp("/apis/ccompat/v7/subjects", 8080))
    .withStartupTimeout(START_TIMEOUT_MS);
}

/** A container whose ports are published on loopback; testcontainers offers every address of the machine, or nothing. */
function loopbackContainer({ GenericContainer }: Testcontainers, image: string): GenericContainer {
  return new (class extends GenericContainer {
    override withExposedPorts(...ports: Parameters<GenericContainer["withExposedPorts"]>): this {
      super.withExposedPorts(...ports);
      const { PortBindings: bindings } = this.hostConfig as { PortBindings?: PortBindings };
      const published = Object.entries(bindings ?? {}).map(([port, places]) => [
        port,
        places.map((place) => ({ ...place, HostIp: LOOPBACK })),
      ]);
      this.hostConfig.PortBindings = Object.fromEntries(published);
      return this;
    }
  })(image);
}
