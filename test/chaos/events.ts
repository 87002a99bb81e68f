import type { DeployedService } from "#support/deployment";
import type { Cut } from "#support/tcp-proxy";

/** Services with more than one process at most; deliverers begin with one. */
const SEVERAL: Readonly<Partial<Record<DeployedService, number>>> = {
  ingest: 2,
  "webhook-router": 2,
  deliverer: 3,
};

/** How many processes of a service run at most. */
export function mostProcesses(service: DeployedService): number {
  return SEVERAL[service] ?? 1;
}

export const BROKERS = 3;

/** One process of a service, by its place among them, from 0. */
export interface Target {
  readonly service: DeployedService;
  readonly index: number;
}

/** What is done to the running product. */
export type ChaosEvent =
  /** SIGKILL, and started again `backAfterMs` later; at once, or so long after the endpoint "recovering" takes calls again. */
  | {
      readonly kind: "kill";
      readonly target: Target;
      readonly backAfterMs: number;
      readonly afterRecoveryMs?: number;
    }
  /** SIGTERM, and started again `backAfterMs` after its end. */
  | { readonly kind: "stop"; readonly target: Target; readonly backAfterMs: number }
  /** SIGSTOP, SIGCONT `forMs` later. */
  | { readonly kind: "freeze"; readonly target: Target; readonly forMs: number }
  /** Between one deliverer and every broker. */
  | { readonly kind: "cut"; readonly target: Target; readonly how: Cut; readonly forMs: number }
  | { readonly kind: "scale"; readonly deliverers: 1 | 3 }
  | {
      readonly kind: "broker";
      readonly broker: number;
      readonly how: "stop" | "kill";
      readonly forMs: number;
    }
  /** Every partition that this broker leads gets another leader; the broker itself stays. */
  | { readonly kind: "leaders"; readonly broker: number }
  /** The registry cannot be reached, and meanwhile this process is killed and started. */
  | { readonly kind: "registry"; readonly target: Target; readonly forMs: number };

export type EventKind = ChaosEvent["kind"];

/** "deliverer-2", as the processes are called in reports and in their User-Agent. */
export function processName({ service, index }: Target): string {
  return `${service}-${index + 1}`;
}

function seconds(timeMs: number): string {
  return `${(timeMs / 1000).toFixed(1)} s`;
}

function whenKilled(afterRecoveryMs: number | undefined): string {
  return afterRecoveryMs === undefined
    ? ""
    : ` ${seconds(afterRecoveryMs)} after an endpoint comes back half`;
}

/** One phrase for people. */
export function describeEvent(event: ChaosEvent): string {
  switch (event.kind) {
    case "kill":
      return `kill -9 ${processName(event.target)}${whenKilled(event.afterRecoveryMs)}, back after ${seconds(event.backAfterMs)}`;
    case "stop":
      return `SIGTERM ${processName(event.target)}, back after ${seconds(event.backAfterMs)}`;
    case "freeze":
      return `freeze ${processName(event.target)} for ${seconds(event.forMs)}`;
    case "cut":
      return `cut ${processName(event.target)} from Kafka (${event.how}) for ${seconds(event.forMs)}`;
    case "scale":
      return `scale the deliverer to ${event.deliverers}`;
    case "broker":
      return `${event.how} broker ${event.broker + 1} for ${seconds(event.forMs)}`;
    case "leaders":
      return `move every leader away from broker ${event.broker + 1}`;
    case "registry":
      return `registry away for ${seconds(event.forMs)} while ${processName(event.target)} starts`;
  }
}
