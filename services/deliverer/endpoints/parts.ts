import type { BreakerState } from "./breaker.ts";

export interface EndpointQueuesOptions {
  /** An upper bound for each endpoint. */
  readonly maxInFlight: number;
  /** Requests that the process can hold at a time. At this bound it reads no further. */
  readonly maxHeld: number;
  /** Ascending: the periods of an open breaker are the retry delays. */
  readonly retryDelaysMs: readonly number[];
}

export interface EndpointQueuesListener {
  /** A probe has succeeded: the calls that wait for the endpoint can be woken. */
  onRecovered(endpoint: string): void;
  /** A queue that turned requests away has room again. */
  onRoom(endpoint: string): void;
}

export interface RequestEnd {
  readonly durationMs: number;
  readonly nowMs: number;
}

/**
 * The state of an endpoint's breaker. `untilMs`, by the queues' clock, says when an open one lets a probe
 * through.
 */
export interface BreakerStanding {
  readonly state: BreakerState;
  readonly untilMs: number;
}
