// Services as processes: one in this process, or all of them, each in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ServiceName } from "#contract";
import type { Environment } from "#runtime";
import type { CommandContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { environmentOf } from "./service-settings.ts";
import { FIRST_METRICS_PORT, metricsPortOf, startedServices } from "./started-services.ts";

const ROOT = join(import.meta.dirname, "..");
const MAIN = join(import.meta.dirname, "main.ts");

/** Runs the service until a signal or a failure ends this process. */
export async function runServiceHere(name: ServiceName): Promise<void> {
  await import(join(ROOT, "services", name, "main.ts"));
}

/**
 * The settings of one service. The operations ports of all lie beside each other: HOOKLINE_METRICS_PORT is
 * ingest's.
 */
export function settingsOf(name: ServiceName, environment: Environment): Environment {
  const given = environment["HOOKLINE_METRICS_PORT"]?.trim() ?? "";
  const first = given === "" ? FIRST_METRICS_PORT : Number(given);
  const port = String(metricsPortOf(name, first));
  return environmentOf(name, { ...environment, HOOKLINE_METRICS_PORT: port });
}

/** The channel breaks when this process is killed, and the service ends (main.ts); its log goes where this one's goes. */
function start(name: ServiceName, environment: Environment): ChildProcess {
  return spawn(process.execPath, [MAIN, name], {
    env: settingsOf(name, environment),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // A Ctrl-C reaches this process alone: a second signal would end a service at once.
    detached: true,
  });
}

/**
 * Runs every service that the environment asks for until a signal comes, or one of them ends: then the others
 * end in order too, and the parent process starts all of it again.
 */
export async function runAllServices({ environment, say, endWith }: CommandContext): Promise<void> {
  const children = new Map(startedServices(environment).map((name) => [name, start(name, environment)]));
  let isEnding = false;
  const endAll = (): void => {
    isEnding = true;
    for (const child of children.values()) child.kill("SIGTERM");
  };
  // A second signal ends each service at once, as it does for one alone.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, endAll);
  const ends = [...children].map(async ([name, child]) => {
    const [code] = (await once(child, "exit")) as [number | null];
    if (!isEnding) say(`${name} ended with ${code ?? child.signalCode}; the others end too`);
    if (!isEnding || code !== 0) endWith(EXIT.failed);
    if (!isEnding) endAll();
  });
  await Promise.all(ends);
}
