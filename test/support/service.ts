import { join } from "node:path";
import { type Child, startChild, until } from "#stack";
import { environment } from "./environment.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Types are stripped and code is compiled once, not by each of the hundred processes of a test run: decision 2. */
const COMPILE_CACHE = join(ROOT, ".cache/node");
const READY_TIMEOUT_MS = 120_000;
const STOP_GRACE_MS = 60_000;
const KEPT_LINES = 2000;
/** Variables through which a service is told its ports, by the name that its ready line gives each. */
const PORT_VARIABLES: Readonly<Record<string, string>> = {
  ingestPort: "HOOKLINE_INGEST_PORT",
  controlPort: "HOOKLINE_CONTROL_PORT",
  metricsPort: "HOOKLINE_METRICS_PORT",
};

/** One JSON line of a service's log. */
type LogLine = Readonly<Record<string, unknown>> & { readonly level?: string; readonly msg?: string };

export interface ServiceOptions {
  /** Folder under services/. */
  readonly name: string;
  /** HOOKLINE_ variables; of this process's environment none is handed on. Ports are free ones unless given. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of its code; this version's unless given. */
  readonly root?: string;
}

/** A service in a process of its own, as it runs in production. */
export interface ServiceProcess {
  readonly name: string;
  /** As the ready line names them, e.g. ingestPort, metricsPort. */
  readonly ports: Readonly<Record<string, number>>;
  readonly logs: readonly LogLine[];
  /** Base URL of /metrics, /livez and /readyz. */
  readonly operationsUrl: string;
  readonly isRunning: () => boolean;
  /** Of the process that runs now, or ran last. */
  readonly exited: () => Promise<number>;
  /** SIGTERM without waiting for the end. */
  readonly terminate: () => void;
  /** SIGTERM, and SIGKILL when the grace time is over; gives the exit code. */
  readonly stop: () => Promise<number>;
  /** SIGSTOP: it does nothing any more, and its connections stay open. */
  readonly freeze: () => void;
  /** SIGCONT. */
  readonly thaw: () => void;
  /** SIGKILL. */
  readonly kill: () => Promise<number>;
  /** Starts it again with the same settings on the same ports; `changes` are put over its settings for good. */
  readonly restart: (changes?: Readonly<Record<string, string>>) => Promise<void>;
}

/** The environment without the product's variables: a test says itself what its services are set to. */
function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("HOOKLINE_")));
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: "raw", msg: line };
  }
}

function portsOf(ready: LogLine): Record<string, number> {
  return Object.fromEntries(
    Object.entries(ready).filter((entry): entry is [string, number] => entry[0].endsWith("Port")),
  );
}

/** The settings that put a service on the ports that it had. */
function portSettings(ports: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ports).flatMap(([name, port]) => {
      const variable = PORT_VARIABLES[name];
      return variable === undefined ? [] : [[variable, String(port)]];
    }),
  );
}

function lastLines(logs: readonly LogLine[]): string {
  return logs
    .slice(-15)
    .map((line) => `  ${JSON.stringify(line)}`)
    .join("\n");
}

async function untilReady(name: string, child: Child, since: () => readonly LogLine[]): Promise<LogLine> {
  const ready = await until(() => since().find(({ msg }) => msg === "ready") ?? !child.isRunning(), {
    timeoutMs: READY_TIMEOUT_MS,
    what: () => `${name} to be ready; it said\n${lastLines(since())}`,
  });
  if (ready !== true) return ready;
  throw new Error(
    `${name} ended with ${await child.exited} before it was ready; it said\n${lastLines(since())}`,
  );
}

/** Starts services/<name>/main.ts and waits until it is ready. Whoever starts it must stop or kill it. */
export async function startService({ name, settings, root = ROOT }: ServiceOptions): Promise<ServiceProcess> {
  const logs: LogLine[] = [];
  let current: Record<string, string> = {
    ...Object.fromEntries(Object.values(PORT_VARIABLES).map((variable) => [variable, "0"])),
    ...settings,
  };
  let child: Child;
  let ports: Record<string, number> = {};

  const run = async (): Promise<void> => {
    const from = logs.length;
    child = await startChild({
      command: process.execPath,
      args: [join(root, "services", name, "main.ts")],
      environment: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...bareEnvironment(), ...current },
      onLine: (line) => {
        // The first lines tell what went wrong, so it is the later ones that are not kept.
        if (logs.length < from + KEPT_LINES) logs.push(parse(line));
      },
    });
    try {
      ports = portsOf(await untilReady(name, child, () => logs.slice(from)));
    } catch (error) {
      await child.kill();
      throw error;
    }
  };
  await run();

  return {
    name,
    get ports() {
      return ports;
    },
    logs,
    get operationsUrl() {
      return `http://127.0.0.1:${ports["metricsPort"]}`;
    },
    isRunning: () => child.isRunning(),
    exited: () => child.exited,
    freeze: () => child.freeze(),
    thaw: () => child.thaw(),
    terminate: () => child.signal("SIGTERM"),
    stop: () => child.stop(STOP_GRACE_MS),
    kill: () => child.kill(),
    restart: async (changes = {}) => {
      if (child.isRunning()) await child.stop(STOP_GRACE_MS);
      current = { ...current, ...portSettings(ports), ...changes };
      await run();
    },
  };
}
