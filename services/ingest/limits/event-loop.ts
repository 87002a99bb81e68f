import { performance } from "node:perf_hooks";
import type { Host } from "#host";
import type { EventLoopLoad } from "./load-gate.ts";

const SAMPLE_MS = 250;

/**
 * Measures how busy the event loop is, four times a second. The lag is the lesser of the last two: one long turn, as for a collection of
 * garbage or while other processes have the machine, is over when it is measured, and what waited meanwhile is served at once.
 */
export function watchEventLoop(host: Host): {
  readonly load: () => EventLoopLoad;
  readonly stop: () => void;
} {
  let load: EventLoopLoad = { utilisation: 0, lagMs: 0 };
  let last = performance.eventLoopUtilization();
  let lastLagMs = 0;
  let expectedAtMs = host.elapsed() + SAMPLE_MS;
  const timer = host.setInterval(() => {
    const current = performance.eventLoopUtilization();
    const nowMs = host.elapsed();
    const lagMs = Math.max(0, nowMs - expectedAtMs);
    load = {
      utilisation: performance.eventLoopUtilization(current, last).utilization,
      lagMs: Math.min(lagMs, lastLagMs),
    };
    last = current;
    lastLagMs = lagMs;
    expectedAtMs = nowMs + SAMPLE_MS;
  }, SAMPLE_MS);
  return { load: () => load, stop: () => timer.clear() };
}
