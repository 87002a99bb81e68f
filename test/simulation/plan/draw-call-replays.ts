import type { Random } from "#testing";
import { drawControlProcesses, drawReplayFaults, HELD_MS } from "./draw-control.ts";
import type { CallsAgain, Plan, ReplayPlan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 0.07;

/** Some calls are through by then. */
const EARLIEST_MS = 8_000;
const QUIET_MS = 1_000;

/** The same world in which people want calls sent again that destinations have had, or that died; in most worlds nothing changes. */
export function withCallReplays(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const hasControl = plan.processes.some(({ service }) => service === "control");
  const added = hasControl ? [] : drawControlProcesses(random.split("processes"));
  const processes = [...plan.processes, ...added];
  const controls = processes.filter(({ service }) => service === "control");
  const replays = drawCallReplays(plan, random.split("replays"));
  const { timing } = plan;
  const faults = drawReplayFaults({ processes: controls, replays, timing, random: random.split("faults") });
  return {
    ...plan,
    timing: { ...timing, endMs: timing.endMs + (hasControl ? 0 : HELD_MS) },
    processes,
    replays: [...plan.replays, ...replays],
    faults: [...plan.faults, ...faults.map((fault) => ({ ...fault, id: `k${fault.id}` }))],
  };
}

function drawCallReplays(plan: Plan, random: Random): ReplayPlan[] {
  const { destinations, timing } = plan;
  return Array.from({ length: random.between(1, 4) }, (_, index) => {
    const own = random.split(`replay ${index}`);
    const atMs = own.between(EARLIEST_MS, timing.calmMs - QUIET_MS);
    const destination = destinations[Math.floor(own.next() * destinations.length)];
    return {
      id: `k${index + 1}`,
      atMs,
      destinationId: destination?.id ?? "",
      letters: undefined,
      sinceMs: own.chance(0.2) ? own.between(0, atMs) : undefined,
      callsPerSecond: own.pick([undefined, 5, 10, 20, 40]),
      cancelAfterMs: own.chance(0.2) ? own.between(50, 8_000) : undefined,
      calls: drawCalls(plan, own),
    };
  });
}

function drawCalls({ calls, destinations }: Plan, random: Random): CallsAgain {
  const which = random.pick(["delivered", "delivered", "all", "dead"]);
  const someone = calls[Math.floor(random.next() * calls.length)]?.userId;
  const userId = random.chance(0.2) ? someone : undefined;
  const other = destinations[Math.floor(random.next() * destinations.length)]?.id;
  return { which, userId, toDestinationId: random.chance(0.25) ? other : undefined };
}
