import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "#contract";
import { createKafka } from "#kafka";
import { allTopics, type DeadLetter, type TopicMap, topicMap } from "#topics";
import { type ApiAnswer, type ControlClient, controlClient, sendCall } from "./api.ts";
import { readDeadLetters } from "./dead-letters.ts";
import { metricsOf, sumOfMetric } from "./metrics.ts";
import { provision } from "./provision.ts";
import { type ServiceProcess, startService } from "./service.ts";
import { type TestStack, useStack } from "./stack.ts";
import { until } from "./until.ts";
import { newPrefix, settingsOn } from "./wire.ts";

/** What calls need on their way to webhooks. A test of audiences starts the process that keeps them itself. */
export type DeployedService = Exclude<ServiceName, "audience-processor">;

export const DEPLOYED_SERVICES = SERVICE_NAMES.toReversed().filter((name) => name !== "audience-processor");

const IN_FORCE_TIMEOUT_MS = 60_000;

export interface DeploymentOptions {
  /** HOOKLINE_ variables for every service, over this file's own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** HOOKLINE_ variables for the first process of one service, over `settings`. */
  readonly settingsOf?: Readonly<Partial<Record<DeployedService, Readonly<Record<string, string>>>>>;
  readonly partitions?: number;
  /** Delays of the retry topics, shortest first; also written into HOOKLINE_RETRY_DELAYS. */
  readonly retryDelaysMs?: readonly number[];
  /** Another stack than the test run's, e.g. one whose brokers the test stops. */
  readonly stack?: TestStack;
  readonly replicationFactor?: number;
  /** Of the topics; a random one unless given. */
  readonly prefix?: string;
  /** Of the first processes' code; this version's unless given. */
  readonly root?: string;
}

/** The whole product on real Kafka, each service in its own process, apart from every other by its topic prefix. */
export interface Deployment {
  readonly stack: TestStack;
  readonly topics: TopicMap;
  /** The first process of a service. */
  readonly service: (name: DeployedService) => ServiceProcess;
  /** Starts one more process of a service, with these HOOKLINE_ variables over the deployment's; of the code in `root`, this version's unless given. */
  readonly addProcess: (
    name: ServiceName,
    settings?: Readonly<Record<string, string>>,
    root?: string,
  ) => Promise<ServiceProcess>;
  readonly ingestUrl: () => string;
  readonly controlUrl: () => string;
  readonly control: ControlClient;
  /** Sends one call, or whatever `body` is, to /v1/`route`. */
  readonly send: (
    writeKey: string,
    route: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer>;
  readonly deadLetters: () => Promise<DeadLetter[]>;
  /** Stops every service in order, added processes first, deletes the topics. Gives the exit code of each service's first process. */
  readonly stop: () => Promise<Record<string, number>>;
}

interface Place {
  readonly stack: TestStack;
  readonly prefix: string;
  readonly dataFolder: string;
  readonly retryDelaysMs: readonly number[];
}

function settingsOf(place: Place): Record<string, string> {
  return {
    ...settingsOn(place.stack, place),
    HOOKLINE_ENCRYPTION_KEYS: `test:${randomBytes(32).toString("base64")}`,
    HOOKLINE_EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
    HOOKLINE_DATA_DIR: place.dataFolder,
    HOOKLINE_LOG_LEVEL: "info",
  };
}

async function deleteTopics(stack: TestStack, topics: TopicMap): Promise<void> {
  const kafka = createKafka({ brokers: stack.brokers, clientId: "test-deployment", tls: false });
  try {
    await kafka.admin().deleteTopics(allTopics(topics).map(({ name }) => name));
  } finally {
    await kafka.close();
  }
}

async function cleanUp({ stack, dataFolder }: Place, topics: TopicMap): Promise<void> {
  await deleteTopics(stack, topics);
  await rm(dataFolder, { recursive: true, force: true });
}

async function startServices(
  settings: Record<string, string>,
  { root, settingsOf = {} }: DeploymentOptions,
): Promise<Map<string, ServiceProcess>> {
  const results = await Promise.allSettled(
    DEPLOYED_SERVICES.map((name) =>
      startService({
        name,
        settings: { ...settings, ...settingsOf[name] },
        ...(root === undefined ? {} : { root }),
      }),
    ),
  );
  const started = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failure = results.find((result) => result.status === "rejected");
  if (failure !== undefined) {
    await Promise.all(started.map((service) => service.kill()));
    throw failure.reason;
  }
  return new Map(started.map((service) => [service.name, service]));
}

/** The services that act on a change made at this path of the control API. */
function followersOf(path: string): readonly DeployedService[] {
  return path.startsWith("/v1/sources") ? ["ingest"] : ["webhook-router", "deliverer"];
}

const FOLLOWED_METRIC = "hookline_table_last_record_timestamp_seconds";

/**
 * Ends when the running services act on what was changed since: a change answered with 2xx is in force within a second
 * (contract 10.1), and a test that is not about that second must not depend on it.
 */
async function untilInForce(followers: readonly ServiceProcess[], sinceMs: number): Promise<void> {
  const follows = async (service: ServiceProcess): Promise<boolean> =>
    !service.isRunning() || sumOfMetric(await metricsOf(service), FOLLOWED_METRIC) * 1000 >= sinceMs;
  await until(async () => (await Promise.all(followers.map(follows))).every(Boolean), {
    timeoutMs: IN_FORCE_TIMEOUT_MS,
    what: "the services to act on a change",
  });
}

/** Brings up everything; ends when every service is ready. Whoever starts it must stop it. */
export async function startDeployment(options: DeploymentOptions = {}): Promise<Deployment> {
  const place: Place = {
    stack: options.stack ?? (await useStack()),
    prefix: options.prefix ?? newPrefix(),
    dataFolder: await mkdtemp(join(tmpdir(), "hookline-test-")),
    retryDelaysMs: options.retryDelaysMs ?? [500, 2000],
  };
  const topics = topicMap({ prefix: place.prefix, retryDelaysMs: place.retryDelaysMs });
  const settings = { ...settingsOf(place), ...options.settings };
  const services = await provision(place.stack, { partitions: 4, ...options, ...place })
    .then(() => startServices(settings, options))
    .catch(async (error: unknown) => {
      await cleanUp(place, topics);
      throw error;
    });
  const service = (name: DeployedService): ServiceProcess => {
    const found = services.get(name);
    if (found === undefined) throw new Error(`no ${name} in this deployment`);
    return found;
  };
  const added: ServiceProcess[] = [];
  const addProcess: Deployment["addProcess"] = async (name, changes = {}, root) => {
    const dataFolder = join(place.dataFolder, `${name}-${added.length + 2}`);
    const process = await startService({
      name,
      settings: { ...settings, HOOKLINE_DATA_DIR: dataFolder, ...changes },
      ...(root === undefined ? {} : { root }),
    });
    added.push(process);
    return process;
  };
  const ingestUrl = (): string => `http://127.0.0.1:${service("ingest").ports["ingestPort"]}`;
  const controlUrl = (): string => `http://127.0.0.1:${service("control").ports["controlPort"]}`;

  return {
    stack: place.stack,
    topics,
    service,
    addProcess,
    ingestUrl,
    controlUrl,
    control: controlClient(controlUrl, (path, sinceMs) =>
      untilInForce(followersOf(path).map(service), sinceMs),
    ),
    send: (writeKey, route, body, headers = {}) => sendCall(ingestUrl(), { route, writeKey, body, headers }),
    deadLetters: () => readDeadLetters(place.stack, topics),
    stop: async () => {
      const codes: Record<string, number> = {};
      await Promise.all(added.map((process) => process.stop()));
      for (const name of DEPLOYED_SERVICES.toReversed()) codes[name] = await service(name).stop();
      await cleanUp(place, topics);
      return codes;
    },
  };
}
