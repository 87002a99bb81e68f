import { Random } from "../random.ts";
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

/** Each is in some of the worlds, by chance of its own: the others stay as they were. */
const FEATURES: Readonly<Record<string, (plan: Plan, random: Random) => Plan>> = {
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
};

/** The same world of deliveries, with what people do over the control API and what else was added later. */
export function withMore(plan: Plan): Plan {
  const random = new Random(plan.seed);
  return Object.entries(FEATURES).reduce((made, [name, add]) => add(made, random.split(name)), plan);
}
