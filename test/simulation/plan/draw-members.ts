// Worlds of members: audiences whose changes are delivered, and destinations that are connected to them in the middle of it. Control works on
// what follows from that, with profiles of its own.
import { SPACE_SOURCE } from "#contract";
import { Random, type Script } from "#testing";
import { SOURCE_ID } from "../world/clients.ts";
import { withChanges } from "./draw-audience-changes.ts";
import { drawAudiencePlan } from "./draw-audiences.ts";
import { drawControlProcesses, HELD_MS } from "./draw-control.ts";
import { withImports } from "./draw-imports.ts";
import { drawMemberFaults } from "./draw-member-faults.ts";
import { drawMemberRegulations } from "./draw-member-regulations.ts";
import type { CallPlan, DestinationPlan, Plan, ProcessPlan, Wish } from "./plan.ts";

const EARLIEST_MS = 6_000;
/** So long before the calm a destination is connected at the latest. */
const QUIET_MS = 6_000;

/** A sync goes so fast: at the slow ones it is still under way when something happens. */
const SYNC_RATES = [500, 40, 10, 4] as const;

/** So long after its deletion an audience is forgotten: in half of the worlds not within their time. */
const KEPT_MS = [500, 3_000, 600_000, 600_000] as const;

/** No audience sends to it. */
const OTHER_SOURCE = "source-2";

/** All that a seed decides, of a world of members. */
export function drawMembersPlan(seed: number): Plan {
  const random = new Random(seed).split("members");
  const base = withChanges(drawAudiencePlan(seed), random.split("changes"));
  const { timing } = base;
  const processes = [...base.processes, ...drawProcesses(random.split("processes"))];
  const destinations = [ofAll(), drawLate(timing.calmMs, random.split("late"))];
  const wishes = destinations.flatMap((destination, index) =>
    drawWishes(destination, { prefix: `w${index + 1}`, timing, random: random.split(destination.id) }),
  );
  const plan: Plan = {
    ...base,
    timing: { ...timing, endMs: timing.endMs + HELD_MS },
    processes,
    destinations,
    scripts: destinations.flatMap(({ urls }) => urls.map(wellAt)),
    calls: withCallsNear(base.calls, wishes, random.split("near")),
    wishes,
    profileWrites: [],
    faults: [
      ...base.faults,
      ...drawMemberFaults({ processes, wishes, timing, random: random.split("faults") }),
    ],
  };
  const regulations = drawMemberRegulations(plan, random.split("regulations"));
  const more = drawMemberFaults({
    processes,
    wishes: regulations,
    timing,
    random: random.split("more faults"),
  });
  const whole: Plan = {
    ...plan,
    faults:
      regulations.length === 0
        ? plan.faults
        : [...plan.faults, ...more.map((each) => ({ ...each, id: `g${each.id}` }))],
    members: {
      syncCallsPerSecond: random.split("pace").pick(SYNC_RATES),
      isIngestDropping: random.split("ingest").chance(0.5),
      regulations,
      imports: [],
      deletedKeptMs: random.split("deleted").pick(KEPT_MS),
    },
  };
  return withImports(whole, random.split("imports"));
}

function drawProcesses(random: Random): ProcessPlan[] {
  const of = (service: "webhook-router" | "deliverer", count: number): ProcessPlan[] =>
    Array.from({ length: count }, (_, index) => ({
      name: `${service}-${index + 1}`,
      service,
      startMs: random.between(0, 500),
      skewMs: 0,
    }));
  return [
    ...of("webhook-router", random.pick([1, 1, 2])),
    ...of("deliverer", 1),
    ...drawControlProcesses(random.split("control")),
  ];
}

function destinationOf(id: string, more: Partial<DestinationPlan>): DestinationPlan {
  const limits = { maxRequestsPerSecond: null, maxInFlight: null };
  return { id, urls: [`https://${id}.test/1`], callTypes: null, ...limits, ...more };
}

/** It is told of everything from the first call on. */
function ofAll(): DestinationPlan {
  return destinationOf("destination-1", { sourceIds: [SOURCE_ID, SPACE_SOURCE] });
}

/** One that is not connected to audiences when the first calls come: it is not made yet, is switched off, or has another source. */
function drawLate(calmMs: number, random: Random): DestinationPlan {
  const own = [OTHER_SOURCE];
  const kind = random.pick(["made late", "switched off", "another source", "another source"]);
  return destinationOf("destination-2", {
    sourceIds: kind === "another source" ? own : [...own, SPACE_SOURCE],
    ...(kind === "made late" && { madeAtMs: random.between(EARLIEST_MS, calmMs - QUIET_MS) }),
    ...(kind === "switched off" && { isMadeOff: true }),
  });
}

interface WishesDrawn {
  /** Of their ids. */
  readonly prefix: string;
  readonly timing: Plan["timing"];
  readonly random: Random;
}

/** The late one is connected first. After that each may be off and on again: for milliseconds, while it is given its members, or for long. */
function drawWishes(destination: DestinationPlan, { prefix, random, timing }: WishesDrawn): Wish[] {
  const { id: destinationId, isMadeOff = false, madeAtMs, sourceIds = [] } = destination;
  const latestMs = timing.calmMs - QUIET_MS;
  const isConnected = sourceIds.includes(SPACE_SOURCE);
  const connectedAtMs = madeAtMs ?? random.between(EARLIEST_MS, latestMs);
  const first = { id: `${prefix}.1`, atMs: connectedAtMs, destinationId };
  const connecting: Wish[] = [
    ...(isConnected ? [] : [{ ...first, kind: "connect" } as const]),
    ...(isMadeOff ? [{ ...first, kind: "switch_off", forMs: 0 } as const] : []),
  ];
  const cycles = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, (_, index): Wish => {
    const own = random.split(`cycle ${index}`);
    const afterMs = own.pick([own.between(0, 100), own.between(1_500, 4_000), own.between(0, 15_000)]);
    const atMs = Math.min(connectedAtMs + afterMs, latestMs);
    const forMs = own.pick([0, own.between(0, 30), own.between(100, 3_000), own.between(1_000, 8_000)]);
    const kind = own.pick(["switch_off", "disconnect"]);
    return { id: `${prefix}.${index + 2}`, atMs, destinationId, kind, forMs };
  });
  return [...connecting, ...cycles].sort((one, other) => one.atMs - other.atMs);
}

/** In so many worlds calls come around what is asked for: who is in changes while somebody is connected, and before its members are given. */
const NEAR_SHARE = 0.5;
/** Until its members are given; or while it is off for a moment. */
const NEAR_MS: readonly [[number, number], ...[number, number][]] = [
  [-1_000, 5_000],
  [0, 300],
];

function withCallsNear(calls: readonly CallPlan[], wishes: readonly Wish[], random: Random): CallPlan[] {
  const [wish] = wishes.length === 0 || !random.chance(NEAR_SHARE) ? [] : [random.pick(wishes as [Wish])];
  if (wish === undefined) return [...calls];
  const [from, to] = random.pick(NEAR_MS);
  const moved = calls.map((call) => {
    const own = random.split(call.messageId);
    // Whose time is its own is late by as much as was drawn.
    if (call.fields?.["timestamp"] !== undefined || !own.chance(0.5)) return call;
    return { ...call, atMs: wish.atMs + own.between(from, to) };
  });
  return moved.sort((one, other) => one.atMs - other.atMs);
}

function wellAt(url: string): Script {
  return { url, usually: { kind: "well", fromMs: 2, toMs: 10 }, phases: [] };
}
