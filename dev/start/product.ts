import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ServiceName } from "#contract";
import { type Environment, readSettings } from "#runtime";
import type { Stack } from "#stack";
import { settings as provisionSchema } from "../../cli/provision/config.ts";
import { runProvision } from "../../cli/provision/index.ts";
import { environmentOf } from "../../cli/service-settings.ts";
import { metricsPortOf, startedServices } from "../../cli/started-services.ts";
import { type SupervisedService, superviseService } from "./supervised-service.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface ProductOptions {
  readonly stack: Stack;
  /** The environment of all services; the stack's addresses are added, and each gets what it reads. */
  readonly environment: Environment;
  /** Port of ingest's metrics; the others follow. 0 for free ones. */
  readonly metricsPort: number;
  readonly dataFolder: string;
  readonly logFolder: string;
  /** Folder in which Node keeps what it has compiled: the next start of a service takes half as long. */
  readonly compileCache: string;
  readonly say: (line: string) => void;
  /** Called once, before the first service is started. */
  readonly onStarted: (stop: () => Promise<void>) => void;
}

/** Every service, running. */
export interface Product {
  readonly ingestUrl: string;
  readonly controlUrl: string;
  /** The folder of the services' state. */
  readonly dataFolder: string;
}

async function provision(environment: Environment, say: (line: string) => void): Promise<void> {
  const settings = readSettings(provisionSchema, { processName: "npm start", environment });
  const { created, subjects, differing } = await runProvision(settings, say);
  say(`Topics and schemas: ${created.length} topics created, ${subjects.length} schemas in the registry`);
  for (const { topic, setting, wanted, found } of differing) {
    say(`  topic ${topic} has ${setting} ${found}, not ${wanted}: it is left as it is`);
  }
}

/** All to their end, so that a failure leaves none behind unseen. */
async function superviseAll(environment: Environment, options: ProductOptions): Promise<SupervisedService[]> {
  const { metricsPort, logFolder, say } = options;
  const stops: (() => Promise<void>)[] = [];
  const onStarted = (stop: () => Promise<void>): number => stops.push(stop);
  options.onStarted(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });
  const results = await Promise.allSettled(
    startedServices(environment).map((name) => {
      const port = String(metricsPortOf(name, metricsPort));
      const own = environmentOf(name, { ...environment, HOOKLINE_METRICS_PORT: port });
      const program = join(ROOT, "services", name, "main.ts");
      const withCache = { NODE_COMPILE_CACHE: options.compileCache, ...own };
      return superviseService({ name, program, environment: withCache, logFolder, say, onStarted });
    }),
  );
  const failure = results.find((result) => result.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** Topics, schemas, services. Rejects when one of them fails; what runs by then is ended by what `onStarted` was told. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const { stack, say } = options;
  const environment = {
    ...options.environment,
    HOOKLINE_DATA_DIR: options.dataFolder,
    HOOKLINE_KAFKA_BROKERS: stack.brokers.join(","),
    HOOKLINE_SCHEMA_REGISTRY_URL: stack.registryUrl,
  };
  await provision(environment, say);
  await mkdir(options.logFolder, { recursive: true, mode: 0o700 });
  say(
    `Starting ${startedServices(environment).toReversed().join(", ")} (logs in ${join(options.logFolder, "*.log")}) ...`,
  );
  const services = await superviseAll(environment, options);
  const portOf = (service: ServiceName, name: string): number | undefined =>
    services.find((one) => one.name === service)?.ports[name];
  return {
    ingestUrl: `http://127.0.0.1:${portOf("ingest", "ingestPort")}`,
    controlUrl: `http://127.0.0.1:${portOf("control", "controlPort")}`,
    dataFolder: options.dataFolder,
  };
}
