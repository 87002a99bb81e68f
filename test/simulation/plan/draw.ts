import type { ServiceName } from "#contract";
import { Random } from "#testing";
import { withComeback } from "./draw-comeback.ts";
import { withControl } from "./draw-control.ts";
import { drawFaults } from "./draw-faults.ts";
import { withRetention } from "./draw-retention.ts";
import { drawScripts } from "./draw-scripts.ts";
import type { CallPlan, Change, DestinationPlan, Plan, ProcessPlan, Timing } from "./plan.ts";
import { drawSize, SIZES, type Size, type SizeName } from "./size.ts";

/** A call that waits for the longest delay, and hops a little. */
const DRAIN_MARGIN_MS = 45_000;
const START_MS = 4_000;
/** In so many worlds routers record what becomes of calls. */
const RECORDING_SHARE = 0.15;

/** All that a seed decides, its world's size too unless that is given. */
export function drawPlan(seed: number, sizeName?: SizeName): Plan {
  const random = new Random(seed).split("plan");
  const name = sizeName ?? drawSize(random.split("size"));
  const size = SIZES[name];
  const timing = drawTiming(size, random.split("timing"));
  const processes = drawProcesses(size, random.split("processes"));
  const destinations = drawDestinations(random.split("destinations"));
  const scripts = drawScripts(destinations, timing, random.split("scripts"));
  const usual: Plan = {
    seed,
    brokers: 3,
    partitions: random.split("partitions").pick([1, 2, 4, 4, 6]),
    timing,
    recordsCalls: random.split("recorded calls").chance(RECORDING_SHARE),
    processes,
    destinations,
    scripts,
    calls: drawCalls(size, timing, random.split("calls")),
    changes: drawChanges(destinations, timing, random.split("changes")),
    wishes: [],
    replays: [],
    audiences: [],
    profileWrites: [],
    faults: drawFaults({ processes, scripts, timing, random: random.split("faults") }),
  };
  const plan = name === "small" ? withComeback(usual, random.split("comeback")) : usual;
  return withRetention(withControl(plan, name, random.split("control")), random.split("retention"));
}

function drawTiming({ calmS, windowS }: Size, random: Random): Timing {
  const retryDelaysMs = random.pick([
    [1_000, 3_000, 8_000],
    [1_000, 3_000, 8_000],
    [2_000, 6_000],
    [500, 2_000, 5_000, 10_000],
  ]);
  const calmMs = random.between(...calmS) * 1_000;
  // A short window makes calls end by it; mostly none does.
  const retryWindowMs = random.chance(0.25) ? random.between(...windowS) * 1_000 : 600_000;
  const longestMs = retryDelaysMs.at(-1) ?? 0;
  return {
    retryDelaysMs,
    retryWindowMs,
    dedupeWindowMs: 3_600_000,
    calmMs,
    endMs: calmMs + 2 * longestMs + DRAIN_MARGIN_MS,
  };
}

function drawProcesses({ joinMs }: Size, random: Random): ProcessPlan[] {
  const of = (service: ServiceName, count: number): ProcessPlan[] =>
    Array.from({ length: count }, (_, index) => ({
      name: `${service}-${index + 1}`,
      service,
      // The second and later ones may join in the middle of it.
      startMs: index > 0 && random.chance(0.4) ? random.between(...joinMs) : random.between(0, 500),
      skewMs: random.chance(0.3) ? random.between(-2_000, 2_000) : 0,
    }));
  return [
    ...of("ingest", 1),
    ...of("webhook-router", random.pick([1, 1, 2, 2, 3])),
    ...of("deliverer", random.pick([1, 2, 2, 2, 3])),
  ];
}

function drawDestinations(random: Random): DestinationPlan[] {
  return Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, (_, index) => {
    const id = `destination-${index + 1}`;
    const webhooks = random.pick([1, 1, 1, 2]);
    return {
      id,
      urls: Array.from({ length: webhooks }, (_, place) => `https://${id}.test/${place + 1}`),
      callTypes: random.chance(0.2) ? ["track"] : null,
      maxRequestsPerSecond: random.chance(0.1) ? random.between(10, 50) : null,
      maxInFlight: random.chance(0.1) ? random.between(2, 10) : null,
    };
  });
}

function drawCalls(size: Size, { calmMs }: Timing, random: Random): CallPlan[] {
  const users = random.between(3, 30);
  const endMs = calmMs - 2_000;
  const count = random.between(...size.calls);
  // Some come all at once, the others evenly.
  const burstAtMs = random.between(START_MS, endMs);
  const burstShare = random.chance(0.4) ? random.next() * 0.7 : 0;
  return Array.from({ length: count }, (_, index): CallPlan => {
    const isInBurst = random.chance(burstShare);
    return {
      messageId: `m${index + 1}`,
      userId: `u${random.between(1, users)}`,
      type: random.chance(0.9) ? "track" : "identify",
      atMs: isInBurst ? burstAtMs + random.between(0, 300) : random.between(START_MS, endMs),
      againAfterMs: random.chance(0.03) ? random.between(10, 20_000) : undefined,
    };
  }).sort((one, other) => one.atMs - other.atMs);
}

function drawChanges(destinations: readonly DestinationPlan[], { calmMs }: Timing, random: Random): Change[] {
  if (!random.chance(0.2)) return [];
  return destinations.flatMap(({ id: destinationId }, index): Change[] => {
    if (!random.chance(0.5)) return [];
    const atMs = random.between(8_000, calmMs - 5_000);
    const id = `c${index + 1}`;
    const to = random.pick(["disabled", "deleted", "other_webhooks"]);
    const change: Change = { id, atMs, destinationId, to };
    if (to !== "disabled") return [change];
    return [change, { id: `${id}b`, atMs: atMs + random.between(500, 4_000), destinationId, to: "enabled" }];
  });
}
