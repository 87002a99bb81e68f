import type { Random } from "#testing";
import type { Fault, Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 0.06;
const EARLIEST_MS = 6_000;

/** The same world in which groups get a coordinator that lacks their last commits; in most worlds nothing changes. */
export function withLostCommits(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const added = Array.from({ length: random.between(1, 3) }, (_, index): Fault => {
    const own = random.split(`loss ${index}`);
    const atMs = own.between(EARLIEST_MS, plan.timing.calmMs - 1);
    const groupId = own.pick(["webhook-router", "deliverer"]);
    const commits = own.pick([1, 3, 10, 40]);
    return { id: `g${index + 1}`, atMs, forMs: 1, kind: "lost_commits", groupId, commits };
  });
  return { ...plan, faults: [...plan.faults, ...added] };
}
