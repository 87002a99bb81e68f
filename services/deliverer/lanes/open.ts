import type { DelivererContext } from "../connection.ts";
import { Lanes } from "./lanes.ts";

/** What a wait may be longer than its bound. One timer for all lanes; none for a request. */
const SWEEP_EVERY_MS = 200;

export function openLanes({ lifecycle, nowMs, settings }: DelivererContext): Lanes {
  const { maxInFlightPerEndpoint, maxOutstandingCalls } = settings.delivery;
  const lanes = new Lanes({
    maxInFlight: maxInFlightPerEndpoint,
    maxHeld: maxOutstandingCalls,
    periodsMs: settings.retries.delaysMs,
  });
  const timer = setInterval(() => lanes.sweep(nowMs()), SWEEP_EVERY_MS);
  lifecycle.onStop("lanes", () => clearInterval(timer));
  return lanes;
}
