import { Random } from "#testing";
import { withCallReplays } from "./draw-call-replays.ts";
import { withCopies } from "./draw-copies.ts";
import { withCutLogs } from "./draw-cut-logs.ts";
import { withFilters } from "./draw-filters.ts";
import { withLateDestinations } from "./draw-late-destinations.ts";
import { withLostCommits } from "./draw-lost-commits.ts";
import { withReturns } from "./draw-returns.ts";
import { withSchedules } from "./draw-schedules.ts";
import { withSharedIds } from "./draw-shared-ids.ts";
import { withWishes } from "./draw-wishes.ts";
import type { Plan } from "./plan.ts";

/** Each is in some of the worlds, by chance of its own: the others stay as they were, the same object. */
const FEATURES = {
  "shared ids": withSharedIds,
  filters: withFilters,
  schedules: withSchedules,
  wishes: withWishes,
  copies: withCopies,
  lostCommits: withLostCommits,
  lateDestinations: withLateDestinations,
  returns: withReturns,
  callReplays: withCallReplays,
  cutLogs: withCutLogs,
} as const satisfies Readonly<Record<string, (plan: Plan, random: Random) => Plan>>;

export type Feature = keyof typeof FEATURES;

export const FEATURE_NAMES = Object.keys(FEATURES) as readonly Feature[];

/** The same world of deliveries, with what people do over the control API and what else was added later, and which of that it has. */
export function withMore(plan: Plan): { readonly plan: Plan; readonly features: ReadonlySet<Feature> } {
  const random = new Random(plan.seed);
  const features = new Set<Feature>();
  let made = plan;
  for (const name of FEATURE_NAMES) {
    const before = made;
    made = FEATURES[name](before, random.split(name));
    if (made !== before) features.add(name);
  }
  return { plan: made, features };
}
