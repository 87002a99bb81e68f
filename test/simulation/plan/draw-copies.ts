import type { Random } from "#testing";
import type { CallPlan, Fault, Plan } from "./plan.ts";

/** In so many worlds most calls come again. */
const SHARE = 0.08;
const COPIED_SHARE = 0.6;
const AGAIN_AFTER_MS = { from: 200, to: 20_000 };
/** Longer than any world with a clock that is set wrong, so that no id leaves it; a part of it is shorter than most worlds. */
const WINDOW_MS = 240_000;
const EARLIEST_MS = 5_000;
/** So long before the calm the last router is killed: copies come after that. */
const QUIET_MS = 3_000;

/** The same world in which clients send most calls again, and routers are killed between a call and its copy; in most worlds nothing changes. */
export function withCopies(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  return {
    ...plan,
    timing: { ...plan.timing, dedupeWindowMs: WINDOW_MS },
    calls: plan.calls.map((call) => withCopy(call, random.split(call.messageId))),
    faults: [...plan.faults, ...drawKills(plan, random.split("kills"))],
  };
}

function withCopy(call: CallPlan, random: Random): CallPlan {
  if (call.againAfterMs !== undefined || !random.chance(COPIED_SHARE)) return call;
  return { ...call, againAfterMs: random.between(AGAIN_AFTER_MS.from, AGAIN_AFTER_MS.to) };
}

function drawKills({ processes, timing: { calmMs } }: Plan, random: Random): Fault[] {
  const routers = processes.filter(({ service }) => service === "webhook-router");
  return Array.from({ length: random.between(1, 3) }, (_, index): Fault => {
    const atMs = random.between(EARLIEST_MS, calmMs - QUIET_MS);
    const target = routers[Math.floor(random.next() * routers.length)]?.name ?? "";
    const afterEvents = random.between(0, 60);
    const losesDisk = random.chance(0.4);
    return {
      id: `w${index + 1}`,
      atMs,
      forMs: random.between(50, 2_000),
      kind: "kill",
      target,
      afterEvents,
      losesDisk,
    };
  });
}
