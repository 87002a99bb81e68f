// Worlds of the audience processor: calls, audiences, processors and what goes wrong with them. Nothing is delivered in them.
import { audience } from "#support/records";
import { Random } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { AudienceConfig } from "#topics";
import { drawAudienceCalls } from "./draw-audience-calls.ts";
import { drawAudienceFaults } from "./draw-audience-faults.ts";
import type { AudienceWrite, Plan, ProcessPlan } from "./plan.ts";

/** How long until everything has to be through once nothing goes wrong any more: a processor may have to restore twice. */
const DRAIN_MS = 60_000;

export type Definition = Readonly<Record<string, unknown>>;

const A60 = { event: "A", within: "60s" };

/** Known whole from what a profile keeps of its past: audiences that are made in the middle of it know what came before. */
const FROM_SUMMARY: readonly [Definition, ...Definition[]] = [
  A60,
  { event: "A" },
  { trait: "plan", op: "eq", value: "pro" },
  { event: "A", count: { op: "gte", value: 3 } },
  { all: [{ not: { event: "B", within: "60s" } }], everyone: true },
  { all: [A60, { not: { event: "B", within: "90s" } }] },
];

export const FROM_CALLS: readonly [Definition, ...Definition[]] = [
  ...FROM_SUMMARY,
  { ...A60, count: { op: "gte", value: 2 } },
  { ...A60, count: { op: "eq", value: 2 } },
  { any: [{ event: "A", within: "2m", count: { op: "lte", value: 1 } }], everyone: true },
  { ...A60, where: [{ path: "properties.n", op: "gte", value: 3 }] },
  { any: [{ all: [A60, { trait: "plan", op: "eq", value: "pro" }] }, { event: "B", within: "60s" }] },
];

/** What asks for more than how often: seen through only in worlds that have time for it. */
const COMPOSITE: readonly [Definition, ...Definition[]] = [
  { event: "A", within: "2m", notFollowedBy: { event: "B", within: "60s" } },
  { event: "A", within: "2m", followedBy: { event: "B", within: "60s" } },
  { ...A60, reduce: { fn: "sum", path: "properties.n" }, op: "gt", value: 5 },
  { event: "A", reduce: { fn: "last", path: "properties.n" }, op: "gte", value: 3 },
  { ...A60, first: true },
  { event: "A", stopped: "60s" },
];

/** All that a seed decides, of a world of audiences. */
export function drawAudiencePlan(seed: number): Plan {
  const random = new Random(seed).split("audiences");
  const calmMs = random.split("timing").between(16, 40) * 1_000;
  const timing = {
    retryDelaysMs: [1_000],
    retryWindowMs: 600_000,
    dedupeWindowMs: 3_600_000,
    calmMs,
    endMs: calmMs + DRAIN_MS,
  };
  const processes = drawProcesses(random.split("processes"));
  return {
    seed,
    brokers: 3,
    partitions: random.split("partitions").pick([1, 1, 2, 2, 3]),
    timing,
    recordsCalls: false,
    processes,
    destinations: [],
    scripts: [],
    calls: drawAudienceCalls(calmMs, random.split("calls")),
    changes: [],
    wishes: [],
    replays: [],
    audiences: drawAudiences(calmMs, random.split("definitions")),
    profileWrites: [],
    faults: drawAudienceFaults({ processes, calmMs, random: random.split("faults") }),
  };
}

function drawProcesses(random: Random): ProcessPlan[] {
  const processors = random.pick([1, 1, 2, 2, 3]);
  const ingest: ProcessPlan = { name: "ingest-1", service: "ingest", startMs: 0, skewMs: 0 };
  const rest = Array.from({ length: processors }, (_, index): ProcessPlan => {
    const isLate = index > 0 && random.chance(0.5);
    return {
      name: `audience-processor-${index + 1}`,
      service: "audience-processor",
      startMs: isLate ? random.between(5_000, 25_000) : random.between(0, 500),
      // Whose clock is ahead lets users go that much earlier: that is no fault, and would hide one.
      skewMs: 0,
    };
  });
  return [ingest, ...rest];
}

function drawAudiences(calmMs: number, random: Random): AudienceWrite[] {
  const count = random.pick([1, 2, 3, 4]);
  const drawn = drawPlain(count, calmMs, random);
  const own = random.split("composite");
  // Beside the others, which stay what they were.
  if (!own.chance(0.25)) return drawn;
  return [...drawn, { id: "c1", atMs: 1, config: configOf("c1", own.pick(COMPOSITE), 1) }];
}

function drawPlain(count: number, calmMs: number, random: Random): AudienceWrite[] {
  return Array.from({ length: count }, (_, index): AudienceWrite => {
    const own = random.split(`audience ${index}`);
    const id = `a${index + 1}`;
    const isLate = index > 0 && own.chance(0.25);
    // Before the first call.
    const atMs = isLate ? own.between(6_000, calmMs - 4_000) : 1;
    const namesOther = !isLate && index > 0 && own.chance(0.2);
    const drawn = own.pick(isLate ? FROM_SUMMARY : FROM_CALLS);
    const definition = namesOther ? { any: [{ audience: "a1" }, { event: "B", within: "60s" }] } : drawn;
    return { id, atMs, config: { ...configOf(id, definition, atMs), ...drawSends(own.split("sends")) } };
  });
}

/** Some say more of each change. */
function drawSends(random: Random): Pick<AudienceConfig, "hasTrackCalls" | "sentTraits"> {
  return { hasTrackCalls: random.chance(0.4), sentTraits: random.chance(0.3) ? ["plan", "none"] : [] };
}

export function configOf(id: string, definition: Definition, atMs: number): AudienceConfig {
  const writtenAtMs = EPOCH_MS + atMs;
  const times = { createdAtMs: writtenAtMs, updatedAtMs: writtenAtMs };
  return audience(id, { definition: JSON.stringify(definition), ...times });
}
