import { Random } from "#testing";
import { drawPlan } from "./draw.ts";
import { withAccounts } from "./draw-accounts.ts";
import { withChanges } from "./draw-audience-changes.ts";
import { drawAudiencePlan } from "./draw-audiences.ts";
import { withCookies } from "./draw-cookies.ts";
import { drawMembersPlan } from "./draw-members.ts";
import { type Feature, withMore } from "./draw-more.ts";
import type { Plan } from "./plan.ts";
import type { SizeName } from "./size.ts";

/**
 * What worlds are about: calls on their way to endpoints, audiences that calls make, or both, and what control does about members. In worlds of steady audiences nobody edits, pauses or
 * deletes anything, nothing is imported, no anonymous id is forgotten, and clocks agree; in those of steady deliveries nobody uses the control API but for replays of dead
 * letters (`draw-more.ts`). In those of accounts all is as in worlds of audiences, and some audiences are of accounts. What was found in them stays a seed of theirs.
 */
export const WORLDS = [
  "deliveries",
  "steady_deliveries",
  "audiences",
  "steady_audiences",
  "accounts",
  "members",
] as const;

export type Worlds = (typeof WORLDS)[number];

/** Which world it is. */
export interface WorldName {
  readonly seed: number;
  readonly worlds: Worlds;
  /** Of deliveries; undefined: as the seed decides. Worlds of audiences have one size. */
  readonly size?: SizeName | undefined;
}

export function planOf({ seed, size, worlds }: WorldName): Plan {
  if (worlds === "steady_deliveries") return drawPlan(seed, size);
  if (worlds === "deliveries") return withTimeForClocks(withMore(drawPlan(seed, size)).plan);
  if (worlds === "members") return drawMembersPlan(seed);
  const plan = drawAudiencePlan(seed);
  if (worlds === "steady_audiences") return plan;
  const random = new Random(seed);
  const changed = withCookies(withChanges(plan, random.split("audience changes")), random.split("cookies"));
  return worlds === "accounts" ? withAccounts(changed, random.split("accounts")) : changed;
}

/** Whether the world has what was drawn for some of the worlds of deliveries alone. */
export function hasFeature({ seed, size, worlds }: WorldName, feature: Feature): boolean {
  return worlds === "deliveries" && withMore(drawPlan(seed, size)).features.has(feature);
}

/** A call that gets its turn by a clock that is ahead waits for so much longer when that is set right; a world ends when all is through, or then. */
function withTimeForClocks({ timing, ...plan }: Plan): Plan {
  const aheadMs = Math.max(0, ...plan.faults.map((fault) => (fault.kind === "clock" ? fault.byMs : 0)));
  return { ...plan, timing: { ...timing, endMs: timing.endMs + aheadMs } };
}
