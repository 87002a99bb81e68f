import { performance } from "node:perf_hooks";
import type { Host } from "#host";
import type { EventLoopLoad } from "./load-gate.ts";

const SAMPLE_MS = 250;

/** Measures how busy the event loop is, four times a second. */
export function watchEventLoop(host: Host): {
  readonly load: () => EventLoopLoad;
  readonly stop: () => void;
} {
  let load: EventLoopLoad = { utilisation: 0, lagMs: 0 };
  let last = performance.eventLoopUtilization();
  let expectedAtMs = host.elapsed() + SAMPLE_MS;
  const timer = host.setInterval(() => {
    const current = performance.eventLoopUtilization();
    const nowMs = host.elapsed();
    load = {
      utilisation: performance.eventLoopUtilization(current, last).utilization,
      lagMs: Math.max(0, nowMs - expectedAtMs),
    };
    last = current;
    expectedAtMs = nowMs + SAMPLE_MS;
  }, SAMPLE_MS);
  return { load: () => load, stop: () => timer.clear() };
}
