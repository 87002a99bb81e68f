// What people ask control for about users, in worlds of members: to delete them, to suppress them, to end that.
import type { Random } from "#testing";
import { SOURCE_ID } from "../world/clients.ts";
import type { Plan, RegulationPlan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 0.5;
const EARLIEST_MS = 5_000;
const QUIET_MS = 6_000;
/** A suppression is ended after so long, counted from the answer to who asked for it. */
const LASTS_MS = { from: 500, to: 10_000 };
/** Around a destination's connection: who is suppressed then is given to nobody. */
const NEAR_MS = { from: -1_000, to: 6_000 };

const TYPES = [
  "SUPPRESS_WITH_DELETE",
  "SUPPRESS_WITH_DELETE",
  "SUPPRESS_ONLY",
  "SUPPRESS_ONLY",
  "DELETE_ONLY",
] as const;

export function drawMemberRegulations(plan: Plan, random: Random): RegulationPlan[] {
  if (!random.chance(SHARE)) return [];
  const latestMs = plan.timing.calmMs - QUIET_MS;
  const users = usersOf(plan);
  return Array.from({ length: random.between(1, 4) }, (_, index): RegulationPlan => {
    const own = random.split(`regulation ${index}`);
    const wish = plan.wishes[Math.floor(own.next() * plan.wishes.length)];
    const nearMs = (wish?.atMs ?? EARLIEST_MS) + own.between(NEAR_MS.from, NEAR_MS.to);
    const wantedMs = own.chance(0.5) ? nearMs : own.between(EARLIEST_MS, latestMs);
    const type = own.pick(TYPES);
    return {
      id: `g${index + 1}`,
      atMs: Math.min(Math.max(wantedMs, EARLIEST_MS), latestMs),
      type,
      userIds: Array.from({ length: own.pick([1, 1, 2, 3]) }, () => own.pick(users)),
      sourceId: own.chance(0.25) ? SOURCE_ID : null,
      endsAfterMs:
        type !== "DELETE_ONLY" && own.chance(0.5) ? own.between(LASTS_MS.from, LASTS_MS.to) : undefined,
    };
  });
}

/** Everybody who may be named, also one who is merged into another one, and one who never calls. */
function usersOf({ calls }: Plan): readonly [string, ...string[]] {
  const named = calls.flatMap(({ fields, userId }) => [userId, fields?.["userId"], fields?.["previousId"]]);
  const users = named.filter((id): id is string => typeof id === "string");
  return ["nobody", ...[...new Set(users)].sort()];
}
