// What the ends of the product saw during a run: the callers, the endpoints, the dead letters, and whoever disturbed it.
import type { DestinationName } from "./behaviours.ts";
import type { ChaosEvent } from "./events.ts";

/** A call as its sender knows it. */
export interface SentCall {
  readonly call: number;
  readonly user: string;
  readonly destinations: readonly DestinationName[];
  /** Of the first try. */
  readonly sentAtMs: number;
  /** undefined: ingest never answered 200. */
  readonly acknowledgedAtMs?: number;
}

/** A request that came to an endpoint. */
export interface Attempt {
  /** undefined: the request is of no call that was sent. */
  readonly call?: number;
  readonly destination: DestinationName;
  /** Which deliverer, by its User-Agent: "deliverer-2.1" is the first process in the second place. */
  readonly process: string;
  readonly atMs: number;
  /** The endpoint answered 2xx. */
  readonly isTaken: boolean;
  /** What is wrong with its body or its signature. */
  readonly alteration?: string;
}

export interface DeadCall {
  readonly call?: number;
  readonly destination?: DestinationName;
  /** "window_over: timeout" is a call whose last attempt timed out. */
  readonly reason: string;
  readonly alteration?: string;
}

/** An event as it really went. */
export interface Disturbance {
  readonly event: ChaosEvent;
  readonly fromMs: number;
  readonly toMs: number;
  /** The process that it befell, as it was called then, when it befell one. */
  readonly process?: string;
}

export interface Ledger {
  readonly sent: readonly SentCall[];
  readonly attempts: readonly Attempt[];
  readonly dead: readonly DeadCall[];
  readonly disturbances: readonly Disturbance[];
}
