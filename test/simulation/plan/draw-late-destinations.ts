import type { Random } from "#testing";
import type { CallPlan, Fault, Plan } from "./plan.ts";

/** In so many worlds of one destination. */
const SHARE = 0.15;
const EARLIEST_MS = 6_000;
/** So long before the calm at the latest. */
const QUIET_MS = 6_000;
/** Around the moment at which it is made so many of the calls come. */
const NEAR_SHARE = 0.7;
const NEAR_MS = { from: -300, to: 1_500 };
const SLOW_FOR_MS = { from: 500, to: 3_000 };

/**
 * The same world in which nobody has made a destination when the calls begin to come; in most worlds nothing changes. What is read of the
 * configuration is late then: calls and jobs overtake the destination that they are for.
 */
export function withLateDestinations(plan: Plan, random: Random): Plan {
  // Who wishes something of a destination has made it long before.
  if (plan.wishes.length > 0 || plan.destinations.length > 1 || !random.chance(SHARE)) return plan;
  const madeAtMs = random.between(EARLIEST_MS, plan.timing.calmMs - QUIET_MS);
  const destinations = plan.destinations.map((destination) => ({ ...destination, madeAtMs }));
  const calls = plan.calls
    .map((call) => near(call, madeAtMs, random.split(call.messageId)))
    .sort((one, other) => one.atMs - other.atMs);
  const slow = drawSlow(madeAtMs, random.split("slow"));
  return { ...plan, destinations, calls, changes: [], replays: [], faults: [...plan.faults, ...slow] };
}

function near(call: CallPlan, madeAtMs: number, random: Random): CallPlan {
  if (!random.chance(NEAR_SHARE)) return call;
  return { ...call, atMs: madeAtMs + random.between(NEAR_MS.from, NEAR_MS.to) };
}

/** What is asked is answered late, and other requests are lost: somebody knows of an end of the log that is past, and has not read up to it. */
function drawSlow(madeAtMs: number, random: Random): Fault[] {
  if (!random.chance(0.8)) return [];
  const atMs = madeAtMs - random.between(0, SLOW_FOR_MS.from);
  const forMs = random.between(SLOW_FOR_MS.from, SLOW_FOR_MS.to);
  return (["lost", "answer_late"] as const).map((how, index) => {
    const share = 0.2 + random.next() * 0.6;
    return { id: `d${index + 1}`, atMs, forMs, kind: "requests", what: "read", how, share };
  });
}
