import type { Random } from "#testing";
import type { Plan, ProfileWrite } from "./plan.ts";

/** The only imported list. */
export const LIST = "l1";

/** In so many worlds users are put on a list, and deleted. */
const LISTED_SHARE = 0.35;
const DELETED_SHARE = 0.35;
const EARLIEST_MS = 5_000;
const QUIET_MS = 3_000;

/** Users are anonymous at first, or merged by an alias. */
export const isLinking = ({ calls }: Plan): boolean =>
  calls.some(
    ({ fields, userId }) =>
      fields?.["anonymousId"] !== undefined ||
      fields?.["previousId"] !== undefined ||
      (fields?.["userId"] ?? userId) !== userId,
  );

/** Imports and deletions of users. There are no lists where users are linked: whose they are then is chance. */
export function drawProfileWrites(plan: Plan, random: Random): ProfileWrite[] {
  if (isLinking(plan)) return [];
  const users = [...new Set(plan.calls.map(({ userId }) => userId)), "nobody"];
  const draw = (name: string, share: number, most: number, listed: (own: Random) => ProfileWrite["list"]) => {
    const own = random.split(name);
    if (!own.chance(share)) return [];
    return Array.from({ length: own.between(1, most) }, (_, index): ProfileWrite => {
      const atMs = own.between(EARLIEST_MS, plan.timing.calmMs - QUIET_MS);
      const userId = users[own.between(0, users.length - 1)] ?? "nobody";
      const list = listed(own);
      return { id: `${name}${index + 1}`, atMs, userId, ...(list !== undefined && { list }) };
    });
  };
  return [
    ...draw("i", LISTED_SHARE, 12, (own) => ({ id: LIST, isMember: own.chance(0.6) })),
    ...draw("d", DELETED_SHARE, 4, () => undefined),
  ];
}
