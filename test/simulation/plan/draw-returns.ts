import type { Random } from "#testing";
import type { CallPlan, Fault, Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 0.06;
const EARLIEST_MS = 8_000;
/** So long before the calm at the latest. */
const QUIET_MS = 3_000;
const CALLS = { from: 30, to: 80 };
/** So long before it the endpoint falls ill, and the calls come. */
const BEFORE_MS = 3_000;
/** A session and more. */
const UNHEARD_FOR_MS = { from: 6_000, to: 9_000 };
/** So much longer nothing that it writes arrives. */
const LONGER_MS = 10_000;

/**
 * The same world in which a process's group does not hear of it for a session, while many calls wait and what becomes of others is being
 * written: partitions come back to it with that still in its hand. In most worlds nothing changes.
 */
export function withReturns(plan: Plan, random: Random): Plan {
  const [first, ...others] = plan.scripts;
  if (first === undefined || !random.chance(SHARE)) return plan;
  const atMs = random.between(EARLIEST_MS, plan.timing.calmMs - QUIET_MS);
  const startMs = atMs - BEFORE_MS;
  const endMs = atMs + random.between(0, 2_000);
  const ill = {
    id: "e1.x",
    startMs,
    endMs,
    behaviour: { kind: "unavailable", retryAfterS: undefined },
  } as const;
  const before = first.phases.filter((phase) => phase.endMs <= startMs);
  const after = first.phases.filter((phase) => phase.startMs >= endMs);
  const faults = drawMissed(plan, atMs, random.split("faults"));
  const longerMs = Math.max(0, ...faults.map((each) => each.atMs + each.forMs - plan.timing.calmMs));
  const { timing } = plan;
  return {
    ...plan,
    timing: { ...timing, calmMs: timing.calmMs + longerMs, endMs: timing.endMs + longerMs },
    scripts: [{ ...first, phases: [...before, ill, ...after] }, ...others],
    calls: withCalls(plan.calls, startMs, random.split("calls")),
    faults: [...plan.faults, ...faults],
  };
}

/** Of many users, so that every partition has some. */
function withCalls(calls: readonly CallPlan[], fromMs: number, random: Random): CallPlan[] {
  const more = Array.from({ length: random.between(CALLS.from, CALLS.to) }, (_, index): CallPlan => {
    const atMs = fromMs + random.between(0, BEFORE_MS);
    return {
      messageId: `x${index + 1}`,
      userId: `w${random.between(1, 40)}`,
      type: "track",
      atMs,
      againAfterMs: undefined,
    };
  });
  return [...calls, ...more].sort((one, other) => one.atMs - other.atMs);
}

function drawMissed({ processes }: Plan, atMs: number, random: Random): Fault[] {
  const service = random.pick(["deliverer", "webhook-router", "webhook-router", "webhook-router"]);
  const names = processes.filter((process) => process.service === service).map(({ name }) => name);
  const targets = random.chance(0.5) ? names : names.slice(0, 1);
  return targets.flatMap((only, index): Fault[] => {
    const forMs = random.between(UNHEARD_FOR_MS.from, UNHEARD_FOR_MS.to);
    const longer = { atMs: atMs - random.between(0, 500), forMs: forMs + LONGER_MS };
    const lost = { kind: "requests", how: "lost", share: 1, only } as const;
    return [
      { ...lost, id: `x${2 * index + 1}`, what: "group", atMs, forMs },
      { ...lost, id: `x${2 * index + 2}`, what: "produce", ...longer },
    ];
  });
}
