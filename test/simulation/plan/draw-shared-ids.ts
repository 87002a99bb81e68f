import type { Random } from "#testing";
import type { CallPlan, Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 1 / 6;

/** The same world, in which several users' calls have one messageId, often at about the same time: they are calls of their own (contract 1.8). */
export function withSharedIds(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const share = random.pick([0.1, 0.5, 0.9]);
  const names = random.pick([1, 3, 10]);
  const users = new Map<string, Set<string>>();
  const calls = plan.calls.map((call): CallPlan => {
    const messageId = `x${random.between(1, names)}`;
    const known = users.get(messageId) ?? new Set<string>();
    users.set(messageId, known);
    // A user's second call under it would be a copy.
    if (!random.chance(share) || known.has(call.userId)) return call;
    known.add(call.userId);
    return { ...call, messageId };
  });
  return { ...plan, calls };
}
