/** Any 16 bytes in base64url. One for all: a cluster is told from another by its ports and folders. */
export const CLUSTER_ID = "SG9va2xpbmVMb2NhbFN0aw";

export interface DetourPorts {
  /** The port on which the broker listens. */
  readonly listener: number;
  /** The port that it advertises. */
  readonly advertised: number;
}

export interface NodePorts {
  readonly client: number;
  readonly controller: number;
  readonly detours: readonly DetourPorts[];
}

export interface KafkaNode {
  /** The index of the node, from 0. */
  readonly index: number;
  /** The ports of every node of the cluster, this one's included. */
  readonly ports: readonly NodePorts[];
  readonly dataFolder: string;
}

/** Keys are Kafka's. */
export type KafkaSettings = Readonly<Record<string, string | number | boolean>>;

/** The common settings of every node of a cluster of this size, wherever it runs. */
export function clusterSettings(brokers: number): KafkaSettings {
  const minInsync = brokers > 1 ? 2 : 1;
  return {
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "offsets.topic.replication.factor": brokers,
    "transaction.state.log.replication.factor": brokers,
    "transaction.state.log.min.isr": minInsync,
    "share.coordinator.state.topic.replication.factor": brokers,
    "share.coordinator.state.topic.min.isr": minInsync,
    "auto.create.topics.enable": false,
    "group.initial.rebalance.delay.ms": 0,
    // Fewer, so that the first consumer group starts sooner.
    "offsets.topic.num.partitions": 4,
    // Kafka's 10 MB per index and 128 MB for the cleaner are meant for servers; test runs make hundreds of partitions.
    "log.index.size.max.bytes": 1_048_576,
    "log.cleaner.dedupe.buffer.size": 16_777_216,
    // A killed broker is missed after this time, and only then may it come back under its id.
    "broker.session.timeout.ms": 4000,
    // A cluster in which nothing happens writes to its own log this often; twice a second, Kafka's default, is half of what it costs idle.
    "metadata.max.idle.interval.ms": 5000,
    "broker.heartbeat.interval.ms": 1000,
  };
}

export interface ListenerSettings {
  readonly listeners: string;
  readonly "advertised.listeners": string;
  readonly "listener.security.protocol.map": string;
}

/** The listeners of a node and, behind them, one for each of its detours; `host` is where it listens. */
export function withDetours(
  settings: ListenerSettings,
  detours: readonly DetourPorts[],
  host: string,
): ListenerSettings {
  const listed = (first: string, show: (ports: DetourPorts, name: string) => string): string =>
    [first, ...detours.map((ports, index) => show(ports, `DETOUR${index + 1}`))].join();
  return {
    listeners: listed(settings.listeners, ({ listener }, name) => `${name}://${host}:${listener}`),
    "advertised.listeners": listed(
      settings["advertised.listeners"],
      ({ advertised }, name) => `${name}://127.0.0.1:${advertised}`,
    ),
    "listener.security.protocol.map": listed(
      settings["listener.security.protocol.map"],
      (_, name) => `${name}:PLAINTEXT`,
    ),
  };
}

export interface Listener {
  readonly name: string;
  /** The protocol as Kafka spells it, e.g. SASL_SSL. */
  readonly protocol: string;
  readonly port: number;
}

/** A local node's settings with more listeners. */
export function withListeners(settings: KafkaSettings, listeners: readonly Listener[]): KafkaSettings {
  const added = (key: string, show: (listener: Listener) => string): Record<string, string> => ({
    [key]: [settings[key], ...listeners.map(show)].join(),
  });
  return {
    ...settings,
    ...added("listeners", ({ name, port }) => `${name}://127.0.0.1:${port}`),
    ...added("advertised.listeners", ({ name, port }) => `${name}://127.0.0.1:${port}`),
    ...added("listener.security.protocol.map", ({ name, protocol }) => `${name}:${protocol}`),
  };
}

/** Settings of one node that runs on this machine. */
export function localSettings({ index, ports, dataFolder }: KafkaNode): KafkaSettings {
  const own = ports[index];
  if (own === undefined) throw new RangeError(`no ports for node ${index}`);
  const voters = ports.map(({ controller }, node) => `${node + 1}@127.0.0.1:${controller}`);
  const listeners = {
    listeners: `PLAINTEXT://127.0.0.1:${own.client},CONTROLLER://127.0.0.1:${own.controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${own.client}`,
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
  };
  return {
    ...clusterSettings(ports.length),
    ...withDetours(listeners, own.detours, "127.0.0.1"),
    "node.id": index + 1,
    "controller.quorum.voters": voters.join(","),
    "inter.broker.listener.name": "PLAINTEXT",
    "log.dirs": dataFolder,
  };
}

/** Writes settings as a Java properties file. */
export function propertiesText(settings: KafkaSettings): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${String(value).replaceAll("\\", "\\\\")}\n`)
    .join("");
}

/** Writes settings as the environment of the apache/kafka image, which spells `log.dirs` KAFKA_LOG_DIRS. */
export function imageEnvironment(settings: KafkaSettings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      `KAFKA_${key.toUpperCase().replaceAll(".", "_")}`,
      String(value),
    ]),
  );
}
