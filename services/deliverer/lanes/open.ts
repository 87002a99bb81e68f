import { performance } from "node:perf_hooks";
import type { DelivererContext } from "../connection.ts";
import { Gates } from "./gates.ts";
import { Lanes } from "./lanes.ts";

/** What a wait may be longer than its bound. One timer for all lanes; none for a request. */
const SWEEP_EVERY_MS = 100;
/** Utilisation of the event loop, or lateness of a timer, from which on the process itself is what everything waits for. */
const BUSY = { utilization: 0.9, lateMs: 50 };
/** How exactly a destination's rate is kept; only while somebody waits for it. */
const TICK_AFTER_MS = 5;

export function openLanes({ lifecycle, nowMs, settings }: DelivererContext): Lanes {
  const { maxInFlightPerEndpoint, maxOutstandingCalls } = settings.delivery;
  const lanes = new Lanes({
    maxInFlight: maxInFlightPerEndpoint,
    maxHeld: maxOutstandingCalls,
    retryDelaysMs: settings.retries.delaysMs,
  });
  let before = performance.eventLoopUtilization();
  let sweptAtMs = nowMs();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    const lateMs = nowMs() - sweptAtMs - SWEEP_EVERY_MS;
    before = now;
    sweptAtMs = nowMs();
    lanes.sweep(sweptAtMs, utilization > BUSY.utilization || lateMs > BUSY.lateMs);
  }, SWEEP_EVERY_MS);
  lifecycle.onStop("lanes", () => clearInterval(timer));
  return lanes;
}

/** The way into the lanes. */
export function openGates({ lifecycle, nowMs }: DelivererContext, lanes: Lanes): Gates {
  const gates = new Gates({ lanes, wantTick: () => setTimeout(() => gates.tick(nowMs()), TICK_AFTER_MS) });
  const timer = setInterval(() => gates.sweep(nowMs()), SWEEP_EVERY_MS);
  lifecycle.onStop("gates", () => clearInterval(timer));
  return gates;
}
