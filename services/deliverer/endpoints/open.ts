import type { DelivererContext } from "../connection.ts";
import { Gates } from "./destination-limits.ts";
import { Lanes } from "./endpoint-queues.ts";

/** What a wait may be longer than its bound. One timer for all lanes; none for a request. */
const SWEEP_EVERY_MS = 100;
/** Utilisation of the event loop, or lateness of a timer, from which on the process itself is what everything waits for. */
const BUSY = { utilization: 0.9, lateMs: 50 };
/** How exactly a destination's rate is kept; only while somebody waits for it. */
const TICK_AFTER_MS = 5;

export function openLanes({ host, lifecycle, settings }: DelivererContext): Lanes {
  const { maxInFlightPerEndpoint, maxOutstandingCalls } = settings.delivery;
  const lanes = new Lanes({
    maxInFlight: maxInFlightPerEndpoint,
    maxHeld: maxOutstandingCalls,
    retryDelaysMs: settings.retries.delaysMs,
  });
  const measure = () => ({ busyMs: host.busyMs(), elapsedMs: host.elapsed() });
  let before = measure();
  const timer = host.setInterval(() => {
    const now = measure();
    const sinceMs = now.elapsedMs - before.elapsedMs;
    const utilization = (now.busyMs - before.busyMs) / sinceMs;
    before = now;
    lanes.sweep(now.elapsedMs, utilization > BUSY.utilization || sinceMs - SWEEP_EVERY_MS > BUSY.lateMs);
  }, SWEEP_EVERY_MS);
  lifecycle.onStop("lanes", () => timer.clear());
  return lanes;
}

/** The way into the lanes. */
export function openGates({ host, lifecycle }: DelivererContext, lanes: Lanes): Gates {
  const wantTick = () => void host.setTimeout(() => gates.tick(host.elapsed()), TICK_AFTER_MS);
  const gates: Gates = new Gates({ lanes, wantTick });
  const timer = host.setInterval(() => gates.sweep(host.elapsed()), SWEEP_EVERY_MS);
  lifecycle.onStop("gates", () => timer.clear());
  return gates;
}
