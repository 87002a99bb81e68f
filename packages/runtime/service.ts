import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Host, systemHost } from "#host";
import type { Environment } from "./environment.ts";
import { createHealth, type Health, type HealthState } from "./health.ts";
import {
  createLifecycle,
  type ExitStatus,
  failUnlessStopping,
  type Lifecycle,
  type LifecycleControl,
} from "./lifecycle.ts";
import { createLogger, type Logger, type RootLogger } from "./logger.ts";
import { createMetrics, type Metrics, watchReadiness } from "./metrics.ts";
import { startOperationsServer } from "./operations-server.ts";
import { processSettings } from "./process-settings.ts";
import { readSettings, type SettingsOf, type SettingsSchema, unknownSettings } from "./settings.ts";

/** The context in which a service wires itself. */
export interface ServiceContext<T> {
  readonly settings: T;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly lifecycle: Lifecycle;
  /** Time and chance; `nowMs` is its clock. */
  readonly host: Host;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}

/** Ports that the service has bound, by name, for the ready line. */
type BoundPorts = Readonly<Record<string, number>>;

/** One service: its name (the folder under services/), its settings, and how its parts are wired. */
export interface ServiceDefinition<S extends SettingsSchema> {
  readonly name: string;
  /** Exported as `settings` by the service's config.ts too: the reference page is made from it. */
  readonly settings: S;
  /** Resolves when the parts run; registers each with `lifecycle.onStop` as it is opened. */
  start(context: ServiceContext<SettingsOf<S>>): Promise<BoundPorts>;
}

export interface StartOptions {
  readonly environment: Environment;
  /** Another clock than the system's. */
  readonly nowMs?: () => number;
  /** The target of log lines; stdout unless given. */
  readonly logTo?: { write(line: string): void };
}

/** A service running inside this process. */
export interface RunningService {
  /** The bound ports, once every readiness check has said yes for the first time; rejects when it ends before. */
  readonly ready: Promise<BoundPorts>;
  readonly ended: Promise<ExitStatus>;
  readonly logger: Logger;
  /** Ends it in order. */
  stop(): Promise<ExitStatus>;
  fail(error: unknown): void;
}

/** Interval at which start-up asks whether the checks have become true. */
const READY_POLL_MS = 20;

/** The version of the package that runs, as in 1.2.3. */
export function releaseVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

async function untilReady(health: HealthState, stopping: AbortSignal): Promise<void> {
  while (health.notReadyBecause().length > 0) {
    await delay(READY_POLL_MS, undefined, { signal: stopping });
  }
  stopping.throwIfAborted();
}

function warnOfUnknown(logger: Logger, environment: Environment, schema: SettingsSchema): void {
  const own = [processSettings, ...Object.values(schema)].flatMap((group) =>
    group.settings.flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])),
  );
  for (const sentence of unknownSettings(environment, own)) logger.warn({}, sentence);
}

interface Wiring<S extends SettingsSchema> {
  readonly definition: ServiceDefinition<S>;
  readonly context: ServiceContext<SettingsOf<S>>;
  readonly operations: { readonly metricsHost: string; readonly metricsPort: number };
  readonly logger: RootLogger;
  readonly health: HealthState;
  readonly lifecycle: LifecycleControl;
}

/** Opens the operations port first, so that a start that waits for Kafka can be watched; it closes last. */
async function start<S extends SettingsSchema>(wiring: Wiring<S>): Promise<BoundPorts> {
  const { context, health, lifecycle, logger } = wiring;
  let started = false;
  health.readiness("started", () => started);
  health.readiness("not stopping", () => !lifecycle.stopping.aborted);
  const { metricsHost: host, metricsPort: port } = wiring.operations;
  const server = await startOperationsServer({ host, port, metrics: context.metrics, health });
  lifecycle.onStop("operations server", () => server.close());
  lifecycle.stopping.throwIfAborted();
  const ports = { ...(await wiring.definition.start(context)), metricsPort: server.port };
  started = true;
  await untilReady(health, lifecycle.stopping);
  logger.announce(ports, "ready");
  return ports;
}

/** Starts a service in this process; throws a SettingsError when settings are wrong. Takes no signals and ends no process. */
export function startService<S extends SettingsSchema>(
  definition: ServiceDefinition<S>,
  { environment, nowMs = () => systemHost.now(), logTo }: StartOptions,
): RunningService {
  const { process: own, service: settings } = readAll(definition, environment);
  const logger = createLogger({
    service: definition.name,
    level: own.logLevel,
    ...(logTo === undefined ? {} : { stream: logTo }),
  });
  warnOfUnknown(logger, environment, definition.settings);
  const health = createHealth();
  const host = { ...systemHost, now: nowMs };
  const lifecycle = createLifecycle({ graceMs: own.shutdownGraceMs, logger, host });
  const metrics = createMetrics({ service: definition.name, version: releaseVersion() });
  watchReadiness(metrics, definition.name, () => health.notReadyBecause().length === 0);
  const context = {
    settings,
    logger,
    metrics,
    health,
    lifecycle,
    host,
    nowMs,
  };
  const ready = start({ definition, context, operations: own, logger, health, lifecycle });
  ready.catch(failUnlessStopping(lifecycle));
  return {
    ready,
    logger,
    ended: lifecycle.ended,
    stop: () => lifecycle.stop(),
    fail: (error) => lifecycle.fail(error),
  };
}

/** Both schemas in one reading, so that all wrong variables are named together. */
function readAll<S extends SettingsSchema>(definition: ServiceDefinition<S>, environment: Environment) {
  const source = { processName: definition.name, environment };
  const all = readSettings({ ...definition.settings, "": processSettings }, source);
  const { "": own, ...service } = all as Record<string, unknown>;
  return {
    process: own as SettingsOf<{ own: typeof processSettings }>["own"],
    service: service as SettingsOf<S>,
  };
}
