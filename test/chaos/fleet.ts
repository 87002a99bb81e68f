import { setTimeout as pause } from "node:timers/promises";
import { DEPLOYED_SERVICES, type Deployment } from "#support/deployment";
import type { ServiceProcess } from "#support/service";
import { mostProcesses, processName, type Target } from "./events.ts";

/** Every process of every service, as a run finds and changes them. */
export interface Fleet {
  /** Of those that run now. */
  readonly ingestUrls: () => readonly string[];
  /** What the process that runs there, or ran last, is called: "deliverer-2.3" is the third one in the second place. */
  readonly nameOf: (target: Target) => string;
  readonly process: (target: Target) => ServiceProcess;
  /** Starts a process in a place, for the first time or again. */
  readonly start: (target: Target) => Promise<void>;
}

export interface FleetOptions {
  readonly deployment: Deployment;
  /** HOOKLINE_ variables of the process in a place. */
  readonly settingsOf: (target: Target) => Readonly<Record<string, string>>;
}

interface Place {
  process: ServiceProcess;
  /** How many processes have run here. */
  generation: number;
}

/** By this variable an endpoint knows which deliverer a request is from. */
export function calledBy(name: string): Readonly<Record<string, string>> {
  return { HOOKLINE_USER_AGENT: name };
}

/** The fleet whose first processes are the deployment's. */
export function fleetOf({ deployment, settingsOf }: FleetOptions): Fleet {
  const places = new Map<string, Place>();
  for (const service of DEPLOYED_SERVICES) {
    places.set(processName({ service, index: 0 }), { process: deployment.service(service), generation: 1 });
  }
  const place = (target: Target): Place => {
    const found = places.get(processName(target));
    if (found === undefined) throw new Error(`${processName(target)} was never started`);
    return found;
  };
  const nameOf = (target: Target): string => `${processName(target)}.${place(target).generation}`;
  return {
    ingestUrls: () =>
      Array.from({ length: mostProcesses("ingest") }, (_, index) => ({ service: "ingest", index }) as const)
        .map(place)
        .map(({ process }) => `http://127.0.0.1:${process.ports["ingestPort"]}`),
    nameOf,
    process: (target) => place(target).process,
    async start(target) {
      const known = places.get(processName(target));
      if (known === undefined) {
        const settings = { ...settingsOf(target), ...calledBy(`${processName(target)}.1`) };
        const process = await deployment.addProcess(target.service, settings);
        places.set(processName(target), { process, generation: 1 });
        return;
      }
      known.generation += 1;
      await known.process.restart(calledBy(nameOf(target)));
    },
  };
}

/** Starts what a service begins with beside its first process. */
export async function completeFleet(fleet: Fleet): Promise<void> {
  await Promise.all([
    fleet.start({ service: "ingest", index: 1 }),
    fleet.start({ service: "webhook-router", index: 1 }),
  ]);
}

/** Waits, then starts: what a supervisor does after a process has ended. */
export async function startAfter(fleet: Fleet, target: Target, delayMs: number): Promise<void> {
  await pause(delayMs);
  await fleet.start(target);
}
