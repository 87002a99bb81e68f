import { routeOf, userOf } from "./calls.ts";
import type { ChaosEvent } from "./events.ts";
import type { Attempt, DeadCall, Disturbance, Ledger, SentCall } from "./ledger.ts";

/** Numbers of calls that go to these destinations. */
export const HEALTHY_CALL = 0;
export const SLOW_CALL = 8;
export const GONE_CALL = 18;
export const FAILING_CALL = 19;

export function sentCallOf(call: number, over: Partial<SentCall> = {}): SentCall {
  return {
    call,
    user: userOf(call),
    destinations: routeOf(call).destinations,
    sentAtMs: 0,
    acknowledgedAtMs: 10,
    ...over,
  };
}

/** A delivery of a call to its first destination. */
export function deliveryOf(call: number, over: Partial<Attempt> = {}): Attempt {
  const destination = routeOf(call).destinations[0] ?? "slow";
  return { call, destination, process: "deliverer-1.1", atMs: 20, isTaken: true, ...over };
}

export function deadCallOf(call: number, reason = "permanent"): DeadCall {
  const destination = routeOf(call).destinations[0] ?? "slow";
  return { call, destination, reason };
}

export function disturbance(event: ChaosEvent, over: Partial<Disturbance> = {}): Disturbance {
  return { event, fromMs: 1_000, toMs: 2_000, ...over };
}

export function ledgerOf(parts: Partial<Ledger>): Ledger {
  return { sent: [], attempts: [], dead: [], disturbances: [], ...parts };
}
